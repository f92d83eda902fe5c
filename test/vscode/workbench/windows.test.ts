// Several windows share one proxy. The tests close and kill them.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import type { SealedProxyConnection } from '../../../src/extension/features/api/apiTypes.ts';
import { GRACE } from '../../../src/proxy/hosts/ipcHost.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { listModels } from '../../support/e2e/httpClient.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { isRunning, proxiesOf } from '../../support/vscode/processes.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-user-with-windows';
const CLIENT = 'Notebook';
const TEMPORARY = 'Temporary';

describe('Two windows', () => {
  const scope = perSuite();
  let editor: Editor;
  let first: Workbench;
  let second: Workbench;
  let connection: SealedProxyConnection;
  let temporary: SealedProxyConnection;
  const proxies = () => proxiesOf(editor.profile.extensions);
  const connect = ({ bridge }: Workbench, client = CLIENT) =>
    bridge.command<SealedProxyConnection>('sealedProxy.getConnection', { client });
  const allowed = async (client: string) => {
    const asked = connect(first, client);
    await first.press(`Allow a program that calls itself "${client}"`, 'Allow');
    return asked;
  };
  /** On a connection of its own: one that is kept open may still lead to a proxy that has released the port. */
  const ask = async (key = connection.apiKey) => (await listModels(new URL(connection.baseUrl).origin, key)).status;

  before(async function () {
    const enclave = await scope.enclaveProcess(['--pace', '15']);
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': await freePort() });
    scope.onClose(() => editor.stop());
    first = await editor.open('first');
    await first.setApiKey(API_KEY);
    await first.waitForStatus('Sealed Proxy: development');
    connection = await allowed(CLIENT);
    temporary = await allowed(TEMPORARY);
  });

  it('share one proxy: the second joins the first, and its clients get the same keys', async () => {
    second = await editor.open('second');
    await second.waitForStatus('Sealed Proxy: development', 'beaker');
    assert.match(await second.picture('shared'), /Sealed Proxy is connected/);
    assert.deepEqual(await connect(second), connection);
    const [proxy, ...others] = proxies();
    assert.deepEqual(others, []);
    assert.equal(proxy?.parent, first.bridge.pid);
  });

  it('share revocations: the proxy of the first window refuses at once what the second revokes', async () => {
    assert.equal(await ask(temporary.apiKey), 200);
    await second.runCommand('Sealed Proxy: Manage Access Keys');
    const row = second.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: TEMPORARY });
    const revoke = row.getByRole('button', { name: 'Revoke' });
    await second.pointAt(row, revoke);
    await revoke.click();
    await row.waitFor({ state: 'detached' });
    await second.page.keyboard.press('Escape');
    await eventually('the revoked key to be refused', async () => (await ask(temporary.apiKey)) === 401);
    assert.equal(await ask(), 200);
    assert.equal(proxies()[0]?.parent, first.bridge.pid);
  });

  it('hand over the proxy when the first is closed, and a running stream completes', async () => {
    const client = new OpenAI({ baseURL: connection.baseUrl, apiKey: connection.apiKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'glm-5-2',
      messages: [{ role: 'user', content: '/repeat 150 word' }],
      stream: true,
    });
    let words = 0;
    let closed: Promise<void> | undefined;
    let takenOver: Promise<unknown> | undefined;
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content) words++;
      if (words < 10 || closed !== undefined) continue;
      const { pid: host } = first.bridge;
      closed = first.page.close({ runBeforeUnload: true });
      takenOver = eventually('the second window to run the proxy', () => servedBy(second)).finally(() => {
        assert.ok(host !== second.bridge.pid);
      });
    }
    await closed;
    await takenOver;
    assert.equal(words, 150);
    await second.waitForStatus('Sealed Proxy: development', 'beaker');
    assert.deepEqual(await connect(second), connection);
    assert.equal(await ask(), 200);
  });

  it('leave no process of the closed window', async () => {
    const gone = () => proxies().every(({ parent }) => parent === second.bridge.pid) && !isRunning(first.bridge.pid);
    await eventually('the end of the first window', gone);
    assert.equal(proxies().length, 1);
  });

  it('leave no key behind', () => {
    assertKeptSecret(
      { 'the API key': API_KEY, 'the access key': connection.apiKey, 'the revoked key': temporary.apiKey },
      editor,
    );
  });

  it('leave no process after the extension host was killed', async () => {
    const [proxy] = proxies();
    assert.ok(proxy);
    process.kill(second.bridge.pid, 'SIGKILL');
    const milliseconds = await eventually('the end of the proxy', () => !isRunning(proxy.pid));
    assert.ok(milliseconds < GRACE, `${milliseconds} ms`);
    await second.page.close({ runBeforeUnload: true }); // the editor would start another extension host
  });

  it('go on without a window that stops, and it says so', async () => {
    [first, second] = [await editor.open('third'), await editor.open('fourth')];
    for (const window of [first, second]) await window.waitForStatus('Sealed Proxy: development', 'beaker');
    await first.runCommand('Sealed Proxy: Stop');
    await first.toast('one of them starts it again within seconds').waitFor();
    await first.screenshot('stopped-here');
    await eventually('the other window to run the proxy', () => servedBy(second));
  });

  it('all stop with "Stop in All Windows", also new ones, until the user starts one', async () => {
    const toast = first.toast('one of them starts it again within seconds');
    await toast.getByRole('button', { name: 'Stop in All Windows' }).click();
    await second.waitForStatus('Sealed Proxy: off', 'circle-slash');
    await eventually('the end of all proxies', () => proxies().length === 0);
    // Until it has read that all windows are stopped, a window is off as well.
    const isStopped = async (window: Workbench, name: string) =>
      /is off in all windows/.test(await window.picture(name));
    await eventually('the second window to be stopped', () => isStopped(second, 'stopped-everywhere'));
    const later = await editor.open('later');
    await later.waitForStatus('Sealed Proxy: off', 'circle-slash');
    await eventually('the later window to be stopped', () => isStopped(later, 'stopped-later'));
    assert.deepEqual(proxies(), []);
    await later.runCommand('Sealed Proxy: Start');
    for (const window of [later, second]) await window.waitForStatus('Sealed Proxy: development', 'beaker');
    assert.equal(proxies().length, 1);
  });

  /** Whether the proxy on the port is this window's and accepts the key. Fails if the key is ever refused. */
  async function servedBy({ bridge }: Workbench): Promise<boolean> {
    if (!proxies().some(({ parent }) => parent === bridge.pid)) return false;
    const status = await ask().catch(() => undefined);
    assert.notEqual(status, 401);
    return status === 200;
  }
});
