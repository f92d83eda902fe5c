// The usage as the editor shows it.
import assert from 'node:assert/strict';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { chatBody } from '../../support/e2e/chat.ts';
import { sendRequest } from '../../support/e2e/httpClient.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { Editor } from '../../support/vscode/editor.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

const API_KEY = 'dev-the-key-of-a-counting-user';
const QUESTION = 'Tell me of the sea';

describe('Show Usage', () => {
  const scope = perSuite();
  let url: string;
  let window: Workbench;

  before(async function () {
    this.timeout(120_000);
    const enclave = await scope.enclaveProcess();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
    await window.setApiKey(API_KEY);
    await window.dismiss('API key accepted. 8 models are available.');
  });

  const newKey = async (name: string) => {
    await window.runCommand('Sealed Proxy: Create Access Key');
    await window.enterText('Sealed Proxy: Create Access Key', name);
    await window.dismiss(`Copied the access key for "${name}" to the clipboard.`);
    return window.bridge.run((editor) => editor.env.clipboard.readText(), null);
  };

  it('shows usage by access key, and no prompt or response', async () => {
    const [continueKey, cline] = [await newKey('Continue'), await newKey('Cline')];
    const streamed = chatBody(QUESTION, { stream: true, stream_options: { include_usage: true } });
    const answer = await sendRequest(url, { key: continueKey, body: streamed });
    assert.match(answer.body.toString(), /"prompt_tokens":5,"completion_tokens":7/);
    for (const status of [429, 503]) await sendRequest(url, { key: cline, body: chatBody(`/status ${status}`) });
    assert.equal((await sendRequest(url, { key: `sealed-${'x'.repeat(43)}`, body: streamed })).status, 401);

    await window.runCommand('Sealed Proxy: Show Usage');
    const text = window.page.frameLocator('iframe.webview').frameLocator('#active-frame').locator('body');
    const row = async (name: string) => {
      const cells = await text.getByRole('row').filter({ hasText: name }).getByRole('cell').allInnerTexts();
      return cells.slice(1, 6);
    };
    await text.getByText('Since the proxy started').waitFor();
    assert.deepEqual(await row('Continue'), ['1', '0', '0', '5', '7']);
    assert.deepEqual(await row('Cline'), ['2', '2\u00a0failed', '0', '–', '–']);
    assert.deepEqual(await row('No valid key'), ['1', '1\u00a0refused', '0', '–', '–']);
    assert.equal((await row('connection checks')).length, 5);
    const secrets = { 'the API key': API_KEY, 'a key': continueKey, 'another key': cline, 'the question': QUESTION };
    assertNoSecretLeaks(secrets, await text.innerText(), 'the usage');
    await window.screenshot('usage');
  });
});
