import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { SharedStop } from '../../../src/supervisor/sharedStop.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { perTest } from '../../support/e2e/scope.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

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
        if (supervisor.status.kind === 'starting') return Promise.resolve();
        supervisor.status = { kind: 'starting' };
        calls.add('start');
        return Promise.resolve();
      },
      restart: () => supervisor.start(),
      stop: (options: { readonly allWindows?: true } = {}) => {
        supervisor.status = { kind: 'off', ...options };
        calls.add(options.allWindows === true ? 'stop all' : 'stop');
        return Promise.resolve();
      },
    };
    const vault = { isRemoved: false };
    const readSecrets = () => (vault.isRemoved ? Promise.reject(new Error('removed')) : Promise.resolve({ ownership }));
    const failures = new EventQueue<string>();
    const sharedStop = new SharedStop(folder, readSecrets, supervisor, (error) => {
      failures.add(String(error));
    });
    scope.onClose(() => {
      sharedStop.dispose();
      return sharedStop.follow(); // after everything that it still does in the folder
    });
    const next = (call: string, start = 0) => calls.find(call, (one) => one === call, start);
    return { supervisor, sharedStop, vault, calls, failures, next };
  };

  /** Stops all windows, and leaves none open. */
  const stopAll = async () => {
    const { sharedStop } = open();
    await sharedStop.begin(true);
    await sharedStop.stopAll();
    sharedStop.dispose();
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
    await stopAll();
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
    await one.sharedStop.start();
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
      await one.sharedStop.start();
    }
    await one.sharedStop.stopAll();
    await other.sharedStop.follow();
    assert.deepEqual(other.supervisor.status, { kind: 'off', allWindows: true });
    assert.equal(readdirSync(join(folder, 'stopped')).length, 1);
  });

  for (const autoStart of [true, false]) {
    it(`keeps what the user starts in a new window before it is known to be stopped: autoStart ${autoStart}`, async () => {
      await stopAll();
      const early = open();
      await early.sharedStop.start();
      await early.sharedStop.begin(autoStart);
      assert.deepEqual(early.calls.items, ['start']);
      assert.deepEqual(readdirSync(join(folder, 'stopped')), []);
    });

    it(`keeps what the user starts while a new window looks: autoStart ${autoStart}`, async () => {
      await stopAll();
      for (let step = 0; step < 12; step++) {
        const early = open();
        const begun = early.sharedStop.begin(autoStart);
        for (let turn = 0; turn < step; turn++) await flushEventLoop();
        await Promise.all([early.sharedStop.start(), begun]);
        await early.sharedStop.follow(); // as the extension does when the proxy starts
        assert.deepEqual(early.supervisor.status, { kind: 'starting' }, `after ${step} turns`);
        assert.deepEqual(readdirSync(join(folder, 'stopped')), []);
        await early.sharedStop.stopAll();
        early.sharedStop.dispose();
      }
    });
  }

  it('takes back a start by anyone but the user', async () => {
    await stopAll();
    const window = open();
    await window.supervisor.start(); // another extension needs the address
    await window.sharedStop.follow();
    assert.deepEqual(window.calls.items, ['start', 'stop all']);
    assert.equal(readdirSync(join(folder, 'stopped')).length, 1);
  });

  it('ends the stop with a restart as well', async () => {
    await stopAll();
    const window = open();
    await window.sharedStop.begin(true);
    await window.sharedStop.start('restart');
    assert.deepEqual(window.supervisor.status, { kind: 'starting' });
    assert.deepEqual(readdirSync(join(folder, 'stopped')), []);
  });

  it('starts the proxy even if the stop of other windows cannot be ended, and reports that', async () => {
    const window = open();
    window.vault.isRemoved = true;
    await window.sharedStop.start();
    assert.deepEqual(window.calls.items, ['start']);
    assert.deepEqual(window.failures.items, ['Error: removed']);
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

  it('creates no folder for a window that was closed', async () => {
    const window = open();
    await window.sharedStop.begin(true);
    rmSync(join(folder, 'stopped'), { recursive: true });
    const following = window.sharedStop.follow();
    await flushEventLoop(); // to the moment when it looks for the file
    window.sharedStop.dispose();
    await following;
    await window.sharedStop.follow();
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
