// The messages between the extension and the dashboard's web view.
import { fieldsOf, isOneOf, isString, passes } from '../shared/json.ts';
import type { Check, Checks } from '../shared/json.ts';
import { ACTIONS, GROUPINGS, RANGES, SEALING_ACTIONS } from './model.ts';
import type {
  AssistantAction,
  DashboardState,
  Grouping,
  NamedRequest,
  Range,
  SealingAction,
  Section,
  UsageView,
} from './model.ts';

/** From the extension to the web view. */
export type ToDashboard =
  | { readonly type: 'state'; readonly state: DashboardState }
  /** `reset`: forget the requests so far. One replaces that with the same id. */
  | { readonly type: 'requests'; readonly reset: boolean; readonly requests: readonly NamedRequest[] }
  | { readonly type: 'usage'; readonly view: UsageView }
  /** What this message has asked for has ended, also if it failed; its result was sent before. */
  | { readonly type: 'ended'; readonly action: FromDashboard }
  | { readonly type: 'show'; readonly section: Section };

/** From the web view to the extension, which checks each message like any input. */
export type FromDashboard =
  /** The web view is loaded: send everything. */
  | { readonly type: 'ready' }
  /** One of the commands that the overview offers. */
  | { readonly type: 'command'; readonly name: string }
  /** Open the setting that a text names. */
  | { readonly type: 'setting'; readonly name: string }
  | { readonly type: 'saveEvidence' }
  /** The button of the sender with this id. */
  | { readonly type: 'remedy'; readonly id: string }
  | { readonly type: 'sealing'; readonly action: SealingAction }
  /** Open the settings that decide about the side prompt with this title. */
  | { readonly type: 'sidePromptSettings'; readonly title: string }
  | { readonly type: 'usageView'; readonly range: Range; readonly by: Grouping }
  | { readonly type: 'eraseUsage' }
  | { readonly type: 'revokeKey'; readonly id: string }
  | { readonly type: 'assistant'; readonly action: AssistantAction; readonly id: string };

/** What the fields of each message must be, besides its type. */
const FIELDS: { readonly [M in FromDashboard as M['type']]: Readonly<Record<Exclude<keyof M, 'type'>, Check>> } = {
  ready: {},
  command: { name: isString },
  setting: { name: isString },
  saveEvidence: {},
  remedy: { id: isString },
  sealing: { action: isOneOf(...SEALING_ACTIONS) },
  sidePromptSettings: { title: isString },
  usageView: { range: isOneOf(...RANGES), by: isOneOf(...GROUPINGS) },
  eraseUsage: {},
  revokeKey: { id: isString },
  assistant: { action: isOneOf(...ACTIONS), id: isString },
};

/**
 * The message that `value` is, or undefined. Fields that are not known are left out. Whether its command or id is allowed
 * now is for the caller to check.
 */
export function parseFromDashboard(value: unknown): FromDashboard | undefined {
  const given = fieldsOf(value);
  const [, fields] = Object.entries<Checks>(FIELDS).find(([type]) => type === given['type']) ?? [];
  if (fields === undefined || !passes(given, fields)) return undefined;
  const names = ['type', ...Object.keys(fields)];
  return Object.fromEntries(names.map((name) => [name, given[name]])) as unknown as FromDashboard;
}
