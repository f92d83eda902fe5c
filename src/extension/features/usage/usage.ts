// What the clients use: recorded for the dashboard, and today's sums for the tooltip.
import * as vscode from 'vscode';
import { startOf, todayOf } from '../../../dashboard/usage.ts';
import type { UsageSum } from '../../../shared/activity.ts';
import type { Core } from '../../core/core.ts';
import { UsageRecorder } from './usageRecorder.ts';

export function registerUsage({ context, secrets, settings, log, onUsage, onStatus, inBackground }: Core) {
  const changed = new vscode.EventEmitter<void>();
  let sums: readonly UsageSum[] = [];
  let isTold = false;
  const read = async () => {
    sums = isTold ? await history.read(startOf('day', Date.now())) : [];
    changed.fire();
  };
  const recorder = new UsageRecorder(context.globalStorageUri.fsPath, secrets, settings, log, () => {
    inBackground(read());
  });
  const { history } = recorder;
  context.subscriptions.push(
    changed,
    onUsage(recorder.record),
    onStatus((status) => {
      const wasTold = isTold;
      isTold = status.kind === 'running' && !status.shared;
      if (isTold !== wasTold) inBackground(read());
    }),
  );
  return {
    history,
    /** Nothing polls: only the window whose proxy runs is told what clients use. In the others this is undefined. */
    today: () => (isTold && settings().usageHistory ? todayOf(sums, Date.now()) : undefined),
    /** Another number of today's use is known. */
    onDidChange: changed.event,
  };
}
