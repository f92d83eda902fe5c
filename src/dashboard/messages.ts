// The messages between the extension and the dashboard's web view.
import { fieldsOf } from '../shared/json.ts';
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
  | { readonly type: 'show'; readonly section: Section };

/** From the web view to the extension, which checks each message like any input. */
export type FromDashboard =
  /** The web view is loaded: send everything. */
  | { readonly type: 'ready' }
  /** One of the commands that the overview offers. */
  | { readonly type: 'command'; readonly name: string }
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

/** The message that `value` is, or undefined. Whether its command or id is allowed now is for the caller to check. */
export function parseFromDashboard(value: unknown): FromDashboard | undefined {
  const { type, name, id, title, action: givenAction, range: givenRange, by: givenBy } = fieldsOf(value);
  switch (type) {
    case 'ready':
    case 'saveEvidence':
    case 'eraseUsage':
      return { type };
    case 'command':
      return typeof name === 'string' ? { type, name } : undefined;
    case 'revokeKey':
    case 'remedy':
      return typeof id === 'string' ? { type, id } : undefined;
    case 'sidePromptSettings':
      return typeof title === 'string' ? { type, title } : undefined;
    case 'sealing': {
      const action = SEALING_ACTIONS.find((known) => known === givenAction);
      return action === undefined ? undefined : { type, action };
    }
    case 'usageView': {
      const range = RANGES.find((known) => known === givenRange);
      const by = GROUPINGS.find((known) => known === givenBy);
      return range === undefined || by === undefined ? undefined : { type, range, by };
    }
    case 'assistant': {
      const action = ACTIONS.find((known) => known === givenAction);
      return action === undefined || typeof id !== 'string' ? undefined : { type, action, id };
    }
    default:
      return undefined;
  }
}
