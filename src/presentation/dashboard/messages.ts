// The messages of the dashboard's web view, which are checked like any input. Pure.
import { RANGES } from '../../dashboard/model.ts';
import type { AssistantAction, FromDashboard, Grouping } from '../../dashboard/model.ts';
import { fieldsOf } from '../../shared/json.ts';

const GROUPINGS: readonly Grouping[] = ['client', 'model'];
const ACTIONS: readonly AssistantAction[] = ['undo', 'check', 'repair'];

/** The message that `value` is, or undefined. Whether its command or id is allowed now is for the caller to check. */
export function parseFromDashboard(value: unknown): FromDashboard | undefined {
  const { type, name, id, action: givenAction, range: givenRange, by: givenBy } = fieldsOf(value);
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
