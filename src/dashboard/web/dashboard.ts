// What a section of the dashboard knows and can do.
import type { FromDashboard } from '../messages.ts';
import type { UsageView } from '../model.ts';
import type { SavedView } from './host.ts';
import type { RequestList } from './requestList.ts';

export interface Dashboard {
  readonly requests: RequestList;
  /** Undefined until it has arrived. */
  readonly usage: UsageView | undefined;
  /** What the user has selected. */
  readonly view: SavedView;
  /** The time of this rendering. */
  readonly now: number;
  change(part: Partial<SavedView>): void;
  send(message: FromDashboard): void;
  /** Sends an action that is disabled until it has ended. */
  act(message: FromDashboard): void;
  isBusy(message: FromDashboard): boolean;
}
