// The rows of the view in the activity bar: what one look should answer, and where to go for more. Pure.
import { visibleKeys } from '../keys/accessKeys.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import { COMMANDS } from '../presentation/commands.ts';
import type { CommandName, VisibleCommand } from '../presentation/commands.ts';
import { describeStatus, summaryOf } from '../presentation/statusText.ts';
import type { StatusView } from '../presentation/statusText.ts';
import { capitalized, clockTime } from '../presentation/text.ts';
import type { RequestRecord } from '../shared/activity.ts';
import { asPlain } from '../shared/escape.ts';
import { baseUrlOf, isConnected } from '../shared/status.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { clientName } from './clients.ts';
import { describeUse } from './clientText.ts';
import { ASK_IN_CHAT } from './model.ts';
import type { Section } from './model.ts';
import { failureOf } from './requestFailures.ts';
import { describeEnd } from './requestText.ts';

export interface SideRow {
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** The name of a codicon. */
  readonly icon?: string;
  /** What a click runs. */
  readonly command?: CommandName;
  /** Of the dashboard, if a click opens it. */
  readonly section?: Section;
  /** A group, which is open at first. */
  readonly children?: readonly SideRow[];
}

/** In characters. */
const LONGEST_TOOLTIP = 1000;
/** More are in the dashboard. */
export const MOST_FAILURES = 5;

const ACTIONS: readonly VisibleCommand[] = ['connectAssistant', 'showPrompts', 'openDashboard', 'diagnose', 'showMenu'];

/**
 * @param keys the valid access keys
 * @param models the ids of those that the backend offers, or offered last
 * @param failures the requests that failed last, the latest first
 */
export function sideRows(
  status: ProxyStatus,
  keys: readonly AccessKey[],
  models: readonly string[],
  failures: readonly RequestRecord[],
): readonly SideRow[] {
  const url = baseUrlOf(status);
  const view = describeStatus(status);
  const remedies = remedyRows(view);
  const others = ACTIONS.filter((name) => remedies.every(({ command }) => command !== name));
  return [
    stateRow(status, view),
    ...remedies,
    ...(url === undefined
      ? []
      : [{ label: 'Base URL', description: url, icon: 'copy', command: 'copyBaseUrl' } as const]),
    { label: 'Clients', children: clientRows(keys, isConnected(status)) },
    ...(url === undefined ? [] : [{ label: 'Last failures', children: failureRows(failures, keys, models) }]),
    { label: 'Actions', children: [ASK, ...others.map(commandRow)] },
  ];
}

const ASK: SideRow = { label: ASK_IN_CHAT, icon: 'comment-discussion', command: 'openChat' };

/** Short, because the view is narrow: the tooltip has the sentences. */
const CONNECTED_TO = {
  verified: 'to a verified enclave',
  development: 'not verified, for tests only',
  none: '',
} as const;

function stateRow(status: ProxyStatus, view: StatusView): SideRow {
  return {
    label: capitalized(view.label || 'connected'),
    description: isConnected(status) ? CONNECTED_TO[status.verified?.kind ?? 'none'] : '',
    tooltip: asPlain(summaryOf(view), LONGEST_TOOLTIP),
    icon: view.icon,
    command: view.click === 'showMenu' ? 'openDashboard' : view.click,
  };
}

/** What helps in a state that needs the user; a click on the state itself may run it already. */
function remedyRows({ remedy, click }: StatusView): readonly SideRow[] {
  return remedy === null || remedy === click ? [] : [commandRow(remedy)];
}

function commandRow(name: VisibleCommand): SideRow {
  const { title, icon = 'list-unordered' } = COMMANDS[name];
  return { label: title, icon, command: name };
}

/** @param isServed requests of clients reach the backend now */
function clientRows(keys: readonly AccessKey[], isServed: boolean): readonly SideRow[] {
  const visible = visibleKeys(keys);
  if (visible.length === 0)
    return [{ label: 'None yet: connect an assistant', icon: 'link', command: 'connectAssistant' }];
  return visible.map(({ name, firstUsedAt, lastUsedAt }) => {
    const label = asPlain(name);
    const description = describeUse({ firstUsedAt, lastUsedAt }, timeOf);
    return {
      label,
      description,
      tooltip: `${label}: ${description}`, // the view may be too narrow for both
      icon: !isServed ? 'circle-outline' : lastUsedAt === null ? 'watch' : 'pass',
      command: 'openDashboard' as const,
      section: 'clients' as const,
    };
  });
}

function failureRows(
  failures: readonly RequestRecord[],
  keys: readonly AccessKey[],
  models: readonly string[],
): readonly SideRow[] {
  if (failures.length === 0) return [{ label: 'None since the proxy started', icon: 'pass' }];
  return failures.map((record) => {
    const client = asPlain(clientName(record.caller, keys));
    const end = asPlain(describeEnd(record, models));
    const { remedy } = failureOf(record, models);
    return {
      label: end,
      description: `${clockTime(record.at)}, ${client}`,
      tooltip: `${end}. ${remedy} ${client}, ${timeOf(record.at)}. The dashboard has the details.`,
      icon: 'error',
      command: 'openDashboard' as const,
      section: 'requests' as const,
    };
  });
}

/** With the day, because a window may be open for days; first the time, because the view may be too narrow for both. */
function timeOf(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
  return `${time}, ${date.toLocaleDateString('en-US', { month: 'short', day: 'numeric' })}`;
}
