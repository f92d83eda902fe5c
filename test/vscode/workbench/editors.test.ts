// Two editors of one user, which share no secrets, on one port.
import assert from 'node:assert/strict';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-user-with-two-editors';

describe('Two editors', () => {
  const scope = perSuite();
  let port: number;
  let one: Editor;
  let other: Editor;
  let first: Workbench;
  let second: Workbench;

  before(async function () {
    const enclave = await scope.enclaveProcess();
    port = await freePort();
    const start = async () => {
      const editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
      scope.onClose(() => editor.stop());
      return editor;
    };
    one = await start();
    first = await one.open('first');
    await first.setApiKey(API_KEY);
    await first.waitForStatus('Sealed Proxy: development', 'beaker');
    other = await start();
  });

  it('do not share a proxy: the second says whose it is, and starts no process', async () => {
    second = await other.open('second');
    await second.waitForStatus('Sealed Proxy: port taken', 'error');
    const tooltip = await second.picture('other-editor');
    assert.ok(tooltip.includes(`port ${port} is used by a Sealed Proxy of another editor or computer`), tooltip);
    assert.deepEqual(proxiesOf(other.profile.extensions), []);
    await first.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('work side by side once the second has a port of its own, which it keeps after a restart', async () => {
    await second.toast('another editor or computer').getByRole('button', { name: 'Use a Free Port' }).click();
    await second.waitForStatus('Sealed Proxy: set API key', 'key');
    assert.equal(other.settings()['sealedProxy.baseUrl'], undefined); // nothing is written before there is a key
    await second.setApiKey(API_KEY);
    await second.waitForStatus('Sealed Proxy: development', 'beaker');
    const ownPort = () => other.settings()['sealedProxy.port'];
    await eventually('the port in the settings', () => ownPort() !== undefined);
    const own = Number(ownPort());
    assert.ok(own > 14_114 && own < 32_768, String(own));
    await other.restart();
    second = await other.open('restarted');
    await second.waitForStatus('Sealed Proxy: development', 'beaker');
    assert.match(await second.picture('own-port'), new RegExp(`127\\.0\\.0\\.1:${own}/v1`));
    const address = `http://127.0.0.1:${own}/v1`;
    await eventually('the address in the settings', () => other.settings()['sealedProxy.baseUrl'] === address);
    await first.waitForStatus('Sealed Proxy: development', 'beaker');
    assert.equal(proxiesOf(one.profile.extensions).length, 1);
  });
});
