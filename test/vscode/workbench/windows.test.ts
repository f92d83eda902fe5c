// Several windows share one proxy; what happens to it when they go, or are killed.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import type { SealedProxyConnection } from '../../../src/extension/api/apiTypes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { eventually, isRunning, proxiesOf } from '../../support/vscode/processes.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

const API_KEY = 'dev-the-key-of-a-person-with-windows';
const CLIENT = 'Notebook';
const PASSING = 'Passing';

describe('Two windows', () => {
  const scope = perSuite();
  let editor: Editor;
  let first: Workbench;
  let second: Workbench;
  let connection: SealedProxyConnection;
  let passing: SealedProxyConnection;
  const proxies = () => proxiesOf(editor.profile.extensions);
  const connect = ({ bridge }: Workbench, client = CLIENT) =>
    bridge.command<SealedProxyConnection>('sealedProxy.getConnection', { client });
  const agreed = async (client: string) => {
    const asked = connect(first, client);
    await first.press(`Allow "${client}"`, 'Allow');
    return asked;
  };
  const ask = async (key = connection.apiKey) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${connection.baseUrl}/models`, { headers })).status;
  };

  before(async function () {
    this.timeout(120_000);
    const enclave = await scope.enclaveProcess(['--pace', '15']);
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': await freePort() });
    scope.onClose(() => editor.stop());
    first = await editor.open('first');
    await first.setApiKey(API_KEY);
    await first.waitForStatus('development 8');
    connection = await agreed(CLIENT);
    passing = await agreed(PASSING);
  });

  it('share one proxy: the second joins the first, and its clients have the same keys', async () => {
    second = await editor.open('second');
    await second.waitForStatus('development 8 (shared)', 'beaker');
    assert.match(await second.picture('shared'), /served by another window/);
    assert.deepEqual(await connect(second), connection);
    const [proxy, ...others] = proxies();
    assert.deepEqual(others, []);
    assert.equal(proxy?.parent, first.bridge.pid);
  });

  it('go by the same revocations: what the second revokes, the proxy of the first refuses at once', async () => {
    assert.equal(await ask(passing.apiKey), 200);
    await second.runCommand('Sealed Proxy: Manage Access Keys');
    const row = second.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: PASSING });
    await row.hover();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await second.page.keyboard.press('Escape');
    await eventually('the revoked key to be refused', async () => (await ask(passing.apiKey)) === 401, 1000);
    assert.equal(await ask(), 200);
    assert.equal(proxies()[0]?.parent, first.bridge.pid);
  });

  it('hand the proxy over when the first is closed: within 3 s, and a running stream ends well', async () => {
    const client = new OpenAI({ baseURL: connection.baseUrl, apiKey: connection.apiKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'glm-5-2',
      messages: [{ role: 'user', content: '/repeat 150 word' }],
      stream: true,
    });
    let words = 0;
    let closed: Promise<void> | undefined;
    let takenOver: Promise<number> | undefined;
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content) words++;
      if (words < 10 || closed !== undefined) continue;
      const { pid: host } = first.bridge;
      closed = first.page.close({ runBeforeUnload: true });
      takenOver = eventually('the new owner', () => servedBy(second), 3000).finally(() => {
        assert.ok(host !== second.bridge.pid);
      });
    }
    await closed;
    const took = await takenOver;
    assert.equal(words, 150);
    assert.ok(took !== undefined && took < 3000);
    await second.waitForStatus('development 8', 'beaker');
    assert.deepEqual(await connect(second), connection);
    assert.equal(await ask(), 200);
  });

  it('leave nothing of the closed one', async () => {
    const gone = () => proxies().every(({ parent }) => parent === second.bridge.pid) && !isRunning(first.bridge.pid);
    await eventually('the end of the first window', gone, 10_000);
    assert.equal(proxies().length, 1);
  });

  it('leave no key behind', () => {
    assertKeptSecret(
      { 'the API key': API_KEY, 'the access key': connection.apiKey, 'the revoked key': passing.apiKey },
      editor,
    );
  });

  it('leave no process a second after the extension host was killed', async () => {
    const [proxy] = proxies();
    assert.ok(proxy);
    process.kill(second.bridge.pid, 'SIGKILL');
    await eventually('the end of the proxy', () => !isRunning(proxy.pid), 1000);
  });

  /** The proxy on the port is this window's, and the key works with it. No refusal of the key is let pass. */
  async function servedBy({ bridge }: Workbench): Promise<boolean> {
    if (!proxies().some(({ parent }) => parent === bridge.pid)) return false;
    const status = await ask().catch(() => undefined);
    assert.notEqual(status, 401);
    return status === 200;
  }
});
