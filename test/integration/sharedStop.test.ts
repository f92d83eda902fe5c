// "Stop in All Windows" with real proxies: what a user starts in the first moments of a new window stays.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/supervisor/freePort.ts';
import { SharedStop } from '../../src/supervisor/sharedStop.ts';
import { perTest } from '../support/e2e/scope.ts';
import { EditorWindow, makeVault } from '../support/editorWindow.ts';
import { flushEventLoop } from '../support/withTimeout.ts';

describe('A stop in all windows', () => {
  const scope = perTest();

  it('ends with a start by the user, at whatever moment of a new window', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-stop-'));
    scope.onClose(() => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    });
    const [enclave, vault, port] = [await scope.enclave(), makeVault(), await freePort()];
    const open = () => {
      const { supervisor } = EditorWindow.open(scope, { backendUrl: enclave.url, port }, { vault });
      const sharedStop = new SharedStop(folder, () => Promise.resolve(vault), supervisor, assert.ifError);
      scope.onClose(() => {
        sharedStop.dispose();
        return Promise.resolve();
      });
      return { supervisor, sharedStop };
    };
    for (let turns = 0; turns <= 4; turns++) {
      const { supervisor, sharedStop } = open();
      await sharedStop.stopAll();
      const begun = sharedStop.begin(true);
      for (let turn = 0; turn < turns; turn++) await flushEventLoop();
      await Promise.all([sharedStop.start(), begun]);
      await sharedStop.follow();
      assert.equal(supervisor.status.kind, 'running', `after ${turns} turns`);
      assert.deepEqual(readdirSync(join(folder, 'stopped')), []);
      await sharedStop.stopAll();
      assert.deepEqual(supervisor.status, { kind: 'off', allWindows: true });
      sharedStop.dispose();
    }
  });
});
