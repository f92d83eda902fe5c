// A fresh profile: what works before start-up has ended, and before anything is set.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { SealedProxyStatus } from '../../../src/extension/features/api/apiTypes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';

/** Runs in the extension host, while extensions are activated. */
async function useApi(editor: typeof vscode) {
  const product = editor.extensions.getExtension('sealed-proxy.sealed-proxy');
  const wasActive = product?.isActive;
  const status = await editor.commands.executeCommand<SealedProxyStatus>('sealedProxy.getStatus');
  const baseUrl = await editor.commands.executeCommand<string>('sealedProxy.getBaseUrl');
  return { wasActive, status, baseUrl };
}

describe('A fresh profile', () => {
  const scope = perSuite();

  it('runs the commands of the API before start-up has ended: the first one activates the extension', async function () {
    const enclave = await scope.enclaveProcess();
    const port = await freePort();
    const editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    const folder = editor.profile.folder('project');
    writeFileSync(join(folder, 'at-start.json'), JSON.stringify({ source: useApi.toString(), argument: null }));
    await editor.open('project');
    const result = readFileSync(join(folder, 'at-start-result.json'), 'utf8');
    const { value, error } = JSON.parse(result) as { value?: Awaited<ReturnType<typeof useApi>>; error?: string };
    assert.equal(error, undefined);
    assert.equal(value?.wasActive, false);
    assert.ok(['off', 'starting'].includes(value.status.state), value.status.state);
    assert.equal(value.baseUrl, `http://127.0.0.1:${port}/v1`);
  });

  it('says of a key that it was saved but could not be tested, and why', async function () {
    const backend = `http://127.0.0.1:${await freePort()}`; // where nothing listens
    const editor = await Editor.start({ 'sealedProxy.backendUrl': backend, 'sealedProxy.port': await freePort() });
    scope.onClose(() => editor.stop());
    const window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.setApiKey('dev-a-key-that-nobody-tests');
    await window.dismiss(
      /The API key was saved, but could not be tested\. .*cannot reach the backend.*uses the key once/,
    );
    await window.waitForStatus('Sealed Proxy: backend unreachable', 'debug-disconnect');
  });

  it('asks for the key of the default backend with a link to the site; cancelling changes nothing', async function () {
    const editor = await Editor.start({ 'sealedProxy.autoStart': false }); // so that nothing connects to the backend
    scope.onClose(() => editor.stop());
    const window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    const asked = window.bridge.command<boolean>('sealedProxy.setApiKey');
    const link = window.quickInput.getByRole('button', { name: 'trymaple.ai' });
    await link
      .or(window.quickInput.locator('a', { hasText: 'trymaple.ai' }))
      .first()
      .waitFor();
    await window.screenshot('set-api-key-link');
    assert.match(await window.quickInput.innerText(), /Create one at trymaple\.ai, under API Keys\./);
    await window.quickInput.locator('input[type="password"]').fill('a-key-that-is-not-sent');
    await window.cutout('key', { x: 340, y: 0, width: 604, height: 140 });
    await window.page.keyboard.press('Escape');
    assert.equal(await asked, false);
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
  });
});
