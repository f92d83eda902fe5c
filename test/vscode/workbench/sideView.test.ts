// The view in the activity bar. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-user-at-a-glance';

describe('The view in the activity bar', () => {
  const scope = perSuite();
  let port: number;
  let window: Workbench;

  before(async function () {
    const enclave = await scope.enclaveProcess();
    port = await freePort();
    const editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
  });

  const view = () => window.page.locator('.sidebar');
  const row = (text: string | RegExp) => view().locator('.monaco-list-row').filter({ hasText: text }).first();

  it('is opened from the activity bar, and begins the first step while there is no API key', async () => {
    await window.page.locator('.activitybar').getByRole('tab', { name: 'Sealed Proxy' }).click();
    await view().getByText('Private AI models for your assistants').waitFor();
    await window.screenshot('side-view-empty');
    await view().getByRole('button', { name: 'Set API Key' }).click();
    await window.quickInput.locator('input').first().fill(API_KEY);
    await window.page.keyboard.press('Enter');
    await window.dismiss('API key accepted.');
  });

  it('shows the state, the address and what can be done', async () => {
    await row('Development').waitFor();
    await row(`Base URL`).getByText(`http://127.0.0.1:${port}/v1`).waitFor();
    await row('None since the proxy started').waitFor();
    for (const action of ['Ask in Chat', 'Connect an Assistant…', 'Show Where Prompts Go', 'Run Diagnostics'])
      await row(action).waitFor();
    await row('Base URL').click();
    await eventually('the copied address', async () => {
      const copied = await window.bridge.run((api) => api.env.clipboard.readText(), null);
      return copied === `http://127.0.0.1:${port}/v1`;
    });
  });

  it('follows a new client, its first request, and a request that fails', async () => {
    await window.runCommand('Sealed Proxy: Create Access Key');
    await window.enterText('Sealed Proxy: Create Access Key', 'nightly scripts');
    await window.page.keyboard.press('Enter');
    await window.dismiss('Copied the access key');
    const key = await window.bridge.run((api) => api.env.clipboard.readText(), null);
    await row('nightly scripts').getByText('Waiting for the first request…').waitFor();
    const ask = (authorization: string) =>
      fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization } }).then(({ status }) => status);
    assert.equal(await ask(`Bearer ${key}`), 200);
    await row('nightly scripts').getByText('First request').waitFor();
    assert.equal(await ask('Bearer sealed-unknown'), 401);
    await row('Access key revoked or mistyped').waitFor();
    await window.screenshot('side-view');
    await row('Access key revoked or mistyped').click();
    await window.page.locator('.tab.active', { hasText: 'Sealed Proxy' }).waitFor();
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('offers to start a proxy that is off', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await row('Off').waitFor();
    await window.dismiss('Sealed Proxy is off in this window.');
    await window.screenshot('side-view-off');
    await row(/^Start$/).click();
    await row('Development').waitFor();
  });
});
