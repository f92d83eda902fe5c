import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { SharedStop } from '../../../src/supervisor/sharedStop.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { perTest } from '../../support/e2e/scope.ts';

describe('SharedStop', () => {
  const scope = perTest();
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-stop-'));
    scope.onClose(() => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    });
  });

  /** A window that follows the others. Its proxy starts and stops at once. */
  const open = (ownership = 'the secret') => {
    const calls = new EventQueue<string>();
    const supervisor = {
      status: { kind: 'off' } as ProxyStatus,
      start: () => {
        const resumed = supervisor.status.kind === 'off' && supervisor.status.allWindows === true;
        if (resumed) void sharedStop.clear(); // as the extension does for `onResume`
        supervisor.status = { kind: 'starting' };
        calls.add('start');
        return Promise.resolve();
      },
      stop: (options: { readonly allWindows?: true } = {}) => {
        supervisor.status = { kind: 'off', ...options };
        calls.add(options.allWindows === true ? 'stop all' : 'stop');
        return Promise.resolve();
      },
    };
    const vault = { isRemoved: false };
    const readSecrets = () => (vault.isRemoved ? Promise.reject(new Error('removed')) : Promise.resolve({ ownership }));
    const sharedStop = new SharedStop(folder, readSecrets, supervisor);
    scope.onClose(() => {
      sharedStop.dispose();
      return Promise.resolve();
    });
    const next = (call: string, start = 0) => calls.find(call, (one) => one === call, start);
    return { supervisor, sharedStop, vault, calls, next };
  };

  it('stops every window that shares the secret, and no other', async () => {
    const [one, other, foreign] = [open(), open(), open('another secret')];
    for (const { sharedStop } of [one, other, foreign]) await sharedStop.begin(true);
    await one.sharedStop.stopAll();
    await other.next('stop all');
    await foreign.sharedStop.follow();
    assert.deepEqual(one.calls.items, ['start', 'stop all']);
    assert.deepEqual(foreign.calls.items, ['start']);
  });

  it('keeps windows off that open later, also after all have been closed', async () => {
    const first = open();
    await first.sharedStop.begin(true);
    await first.sharedStop.stopAll();
    first.sharedStop.dispose();
    const later = open();
    await later.sharedStop.begin(true);
    assert.deepEqual(later.calls.items, ['stop all']);
    assert.deepEqual(later.supervisor.status, { kind: 'off', allWindows: true });
  });

  it('starts all windows again when the user starts one, but not those that were off before', async () => {
    const [one, running, off] = [open(), open(), open()];
    await one.sharedStop.begin(true);
    await running.sharedStop.begin(true);
    await off.sharedStop.begin(false);
    await one.sharedStop.stopAll();
    for (const { next } of [running, off]) await next('stop all');
    const before = running.calls.items.length;
    await one.supervisor.start();
    await running.next('start', before);
    await off.next('stop');
    assert.deepEqual(off.supervisor.status, { kind: 'off' });
    assert.deepEqual(readdirSync(join(folder, 'stopped')), []);
  });

  it('lets a second stop win over the windows that are about to follow the start', async () => {
    const [one, other] = [open(), open()];
    for (const { sharedStop } of [one, other]) await sharedStop.begin(true);
    for (let round = 0; round < 10; round++) {
      await one.sharedStop.stopAll();
      await one.supervisor.start();
      await one.sharedStop.clear(); // the start has removed the file
    }
    await one.sharedStop.stopAll();
    await other.sharedStop.follow();
    assert.deepEqual(other.supervisor.status, { kind: 'off', allWindows: true });
    assert.equal(readdirSync(join(folder, 'stopped')).length, 1);
  });

  it('starts the proxy if the folder cannot be used', async () => {
    const window = open();
    rmSync(folder, { recursive: true });
    await import('node:fs/promises').then(({ writeFile }) => writeFile(folder, ''));
    await assert.rejects(window.sharedStop.begin(true));
    assert.deepEqual(window.calls.items, ['start']);
  });

  it('creates no folder after all data was removed', async () => {
    const window = open();
    await window.sharedStop.begin(true);
    rmSync(join(folder, 'stopped'), { recursive: true });
    window.vault.isRemoved = true;
    await assert.rejects(window.sharedStop.stopAll());
    await assert.rejects(window.sharedStop.follow());
    assert.deepEqual(readdirSync(folder), []);
  });

  it('stops windows that were started again after all data was removed', async () => {
    const [one, other] = [open(), open()];
    for (const { sharedStop } of [one, other]) await sharedStop.begin(true);
    rmSync(join(folder, 'stopped'), { recursive: true });
    for (const { supervisor } of [one, other]) await supervisor.stop();
    for (const { supervisor, sharedStop } of [one, other]) {
      await supervisor.start();
      await sharedStop.follow(); // as the extension does when the proxy starts
    }
    await one.sharedStop.stopAll();
    await other.next('stop all');
  });

  it('writes no secret', async () => {
    const { sharedStop } = open();
    await sharedStop.begin(false);
    await sharedStop.stopAll();
    const [name = ''] = readdirSync(join(folder, 'stopped'));
    assert.match(name, /^[0-9a-f]{16}$/);
  });
});
