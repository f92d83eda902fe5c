// What happens during the soak, one thing after the other, and what of it a client may notice.
import { setTimeout } from 'node:timers/promises';
import { gone } from '../../test/support/editorWindow.ts';
import { eventually } from '../../test/support/withTimeout.ts';
import { newAccessKey, statusOf } from '../replicas/fleet.ts';
import type { Clients } from './clients.ts';
import type { Disturbances } from './disturbances.ts';
import { isReady, ownerOf, urlsOf } from './fleet.ts';
import type { Fleet } from './fleet.ts';

/** In milliseconds. */
const CALM = 4000;
const SHORT = 3000;
/** For requests with the old key to end. */
const OLD_KEY = 10_000;
/** How long a window lets running responses finish when it stops. */
const STOPPING = 4000;

/** Clients notice these. */
const FAULTS = ['tampered-record', 'truncated-frame', 'reset-mid-response', 'outer-503', 'missing-end', 'error-record'];
/** After these, the proxy sends the request once more, or there was nothing wrong. */
const UNNOTICED = ['marked-session-not-found', 'marked-decryption-failed', 'answer-before-body', 'one-write'];

/** @param steady whose key changes */
export function roundsOf(fleet: Fleet, steady: Clients, disturbances: Disturbances): readonly (() => Promise<void>)[] {
  const { enclave, killed } = fleet;
  const { replica, secrets } = fleet.steady;
  let count = 0;
  const injectFault = async (names: readonly string[]) => {
    enclave.order({ faults: `${names[count++ % names.length] ?? ''}:3` });
    await setTimeout(SHORT);
    enclave.order({ faults: '' });
  };
  const change = async (keys: readonly string[], probe: string, status: number) => {
    await secrets.write('access-keys', keys.map((key) => `clients=${key}`).join('\n'));
    replica.signal('SIGHUP');
    await eventually(`status ${status}`, async () => (await statusOf(`${replica.url}/v1/models`, probe)) === status);
  };
  return [
    () =>
      disturbances.make({ what: 'fault of the enclave', allows: ['broken', 'refused'], grace: SHORT }, () =>
        injectFault(FAULTS),
      ),
    () => disturbances.make({ what: 'fault that is repaired', allows: [] }, () => injectFault(UNNOTICED)),
    () =>
      disturbances.make({ what: 'sessions forgotten', allows: [] }, async () => {
        enclave.order('dropSessions');
        await setTimeout(CALM);
      }),
    () =>
      disturbances.make({ what: 'clock jumps and returns', proxy: 'steady', allows: [] }, async () => {
        for (let jump = 0; jump < 2; jump++) {
          replica.signal('SIGUSR2');
          await setTimeout(CALM);
        }
      }),
    () =>
      disturbances.make({ what: 'process suspended', proxy: 'steady', allows: [] }, async () => {
        replica.signal('SIGSTOP');
        await setTimeout(SHORT);
        replica.signal('SIGCONT');
      }),
    () =>
      disturbances.make({ what: 'access key changed', proxy: 'steady', allows: [] }, async () => {
        const [old, next] = [steady.key, newAccessKey()];
        await change([old, next], next, 200);
        steady.key = next;
        await setTimeout(OLD_KEY);
        await change([next], old, 401);
      }),
    () =>
      disturbances.make({ what: 'enclave killed', allows: ['broken', 'refused'], grace: CALM }, async () => {
        await enclave.kill();
        await setTimeout(1000);
        await enclave.start();
        await Promise.all(urlsOf(fleet).map(isReady));
      }),
    () =>
      disturbances.make({ what: 'proxy killed', proxy: 'killed', allows: ['broken', 'unreachable'] }, async () => {
        await killed.replica.stop('SIGKILL');
        await killed.replica.start();
      }),
    () =>
      disturbances.make({ what: 'proxy replaced', proxy: 'killed', allows: ['unreachable'] }, async () => {
        await killed.replica.stop('SIGTERM'); // running requests finish
        await killed.replica.start();
      }),
    () =>
      disturbances.make(
        { what: 'proxy of a window killed', proxy: 'windows', allows: ['broken', 'unreachable'] },
        async () => {
          const pid = ownerOf(fleet)?.pid ?? 0;
          process.kill(pid, 'SIGKILL');
          await gone(pid);
          await eventually('a new proxy', () => (ownerOf(fleet)?.pid ?? pid) !== pid);
          await isReady(fleet.windowsUrl);
        },
      ),
    () =>
      disturbances.make(
        { what: 'window stops, another takes over', proxy: 'windows', allows: ['unreachable'], breaksAfter: STOPPING },
        async () => {
          const owner = ownerOf(fleet);
          await owner?.supervisor.stop();
          await eventually('another owner', () => ![undefined, owner].includes(ownerOf(fleet)));
          await isReady(fleet.windowsUrl);
          await owner?.start();
        },
      ),
  ];
}
