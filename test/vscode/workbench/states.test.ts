// One user, one window, and every state that a development backend can cause. Each test continues where the previous one
// ended.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { listModels } from '../../support/e2e/httpClient.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import type { ServerProcess } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const WRONG_KEY = 'not-a-key-that-the-backend-knows';
const API_KEY = 'dev-the-key-of-a-user-at-work';
const UNTESTED_KEY = 'sk-a-key-that-nobody-could-test';

describe('The workbench', () => {
  const scope = perSuite();
  const secrets: Record<string, string> = {
    'the wrong key': WRONG_KEY,
    'the API key': API_KEY,
    'the untested key': UNTESTED_KEY,
  };
  let port: number;
  let enclave: ServerProcess;
  let editor: Editor;
  let window: Workbench;
  const check = () => window.runCommand('Sealed Proxy: Check Connection');
  const copied = () => window.bridge.run((api) => api.env.clipboard.readText(), null);
  const hasCopiedBaseUrl = () =>
    eventually('the base URL on the clipboard', async () => (await copied()) === `http://127.0.0.1:${port}/v1`);
  /** Waits until the settings editor shows this setting only, and closes it. */
  const closeSettings = async (name: string) => {
    await window.page.locator('.settings-editor .settings-header').getByText(`@id:${name}`, { exact: true }).waitFor();
    await window.bridge.command('workbench.action.closeActiveEditor');
  };

  before(async function () {
    enclave = await scope.enclaveProcess();
    port = await freePort();
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
  });

  it('shows that there is no API key, and offers the commands that can work', async () => {
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    assert.match(await window.picture('no-key'), /Sealed Proxy needs an API key\./);
    const offered = (await window.offered('Sealed Proxy:')).join('\n');
    assert.match(offered, /Set API Key/);
    assert.match(offered, /Sealed Proxy: Stop$/m);
    assert.doesNotMatch(offered, /Remove API Key|Sealed Proxy: Start/);
  });

  it('asks for the key on a click, says where to get one, and explains mistakes of pasting', async () => {
    await window.item.click();
    const box = window.quickInput.filter({ hasText: 'Sealed Proxy: Set API Key' });
    const input = box.locator('input[type="password"]');
    await box.getByText('Get one from the operator of your backend.').waitFor();
    await window.screenshot('set-api-key');
    for (const [pasted, sentence] of [
      ['ключ', 'An API key contains only letters'],
      ['Bearer dev-key', 'without "Bearer" before it'],
      ['"dev-key"', 'Remove the quotation marks'],
      [`sealed-${'x'.repeat(43)}`, 'This is an access key of Sealed Proxy'],
    ] as const) {
      await input.fill(pasted);
      await box.getByText(sentence).waitFor();
    }
    await window.screenshot('set-api-key-problem');
  });

  it('tests the key first: one that the backend refuses is not stored, and the user can enter another', async () => {
    const input = window.quickInput.locator('input[type="password"]');
    await input.fill(`  ${WRONG_KEY}  `);
    await window.page.keyboard.press('Enter');
    await window.page.locator('.monaco-dialog-box').getByText('It was not saved.').waitFor();
    await window.screenshot('key-not-saved');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.press('The backend refused this API key.', 'Enter Another Key');
    await window.enterText('Sealed Proxy: Set API Key', API_KEY);
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    const tooltip = await window.picture('connected-development');
    assert.match(tooltip, /Sealed Proxy is connected to a development backend, which is not verified\./);
    assert.ok(tooltip.includes(`http://127.0.0.1:${port}/v1`), tooltip);
  });

  it('keeps the key if the backend refuses a new one', async () => {
    await window.setApiKey(WRONG_KEY);
    await window.page.locator('.monaco-dialog-box').getByText('your previous key stays in use').waitFor();
    await window.screenshot('key-kept');
    await window.press('The backend refused this API key.', 'Cancel');
    await check();
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
  });

  it('lists every command in the menu', async () => {
    await window.item.click();
    await window.row('key').or(window.quickInput.getByText('Set API Key')).first().waitFor();
    await window.screenshot('menu');
    const input = window.quickInput.locator('input');
    for (const action of [
      'Open Dashboard',
      'Check Connection',
      'Copy Base URL',
      'Show Attestation',
      'Show Usage',
      'Run Diagnostics',
      'Show Log',
      'Stop',
      'Set API Key',
      'Remove API Key',
      'Create Access Key',
      'Manage Access Keys',
      'Restart',
      'Open Settings',
    ]) {
      await input.fill(action); // the list shows only the rows that fit
      await window.quickInput.locator('.monaco-list-row').getByText(action, { exact: true }).first().waitFor();
    }
    await window.page.keyboard.press('Escape');
  });

  it('copies the base URL', async () => {
    await window.runCommand('Sealed Proxy: Copy Base URL');
    await hasCopiedBaseUrl();
  });

  it('runs diagnostics, which find no problem', async () => {
    const shown = await window.diagnosis('healthy');
    assert.match(
      shown,
      /1[345] checks passed; 1[234] skipped\. You are using a development backend, which is not verified\./,
    );
    for (const part of ['first byte after', '768 dimensions', 'accepted by the backend', 'Node ']) {
      assert.ok(shown.includes(part), `${part} in ${shown}`);
    }
    assertNoSecretLeaks({ 'the API key': API_KEY }, shown, 'the diagnosis');
  });

  it('replaces a report by the next one', async () => {
    await window.runDiagnostics();
    await window.runDiagnostics();
    const titles = await window.page.getByRole('tab').allInnerTexts();
    assert.equal(titles.filter((title) => title.includes('Diagnostics')).length, 1, titles.join());
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('shows the log', async () => {
    await window.runCommand('Sealed Proxy: Show Log');
    await window.page
      .locator('.output-view .view-lines, .part.panel .view-lines')
      .getByText(/path=\/v1\/models/)
      .first()
      .waitFor();
    await window.screenshot('log');
    await window.bridge.command('workbench.action.closePanel');
  });

  it('creates an access key, lists it, and refuses it as soon as it is revoked', async () => {
    await window.runCommand('Sealed Proxy: Create Access Key');
    await window.enterText('Sealed Proxy: Create Access Key', "Ada's notebook");
    const toast = window.toast(`Copied the access key for "Ada's notebook" to the clipboard.`);
    await toast.waitFor();
    const key = await copied();
    assert.match(key, /^sealed-[A-Za-z0-9_-]{43}$/);
    await toast.getByRole('button', { name: 'Copy Base URL' }).click();
    await hasCopiedBaseUrl();
    secrets["Ada's key"] = key;
    const ask = async () => (await listModels(`http://127.0.0.1:${port}`, key)).status;
    await eventually('the key to be accepted', async () => (await ask()) === 200);

    await window.runCommand('Sealed Proxy: Manage Access Keys');
    const row = window.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: "Ada's notebook" });
    await row.filter({ hasText: /last used/ }).waitFor();
    const revoke = row.getByRole('button', { name: 'Revoke' });
    await window.pointAt(row, revoke);
    await window.screenshot('access-keys');
    await revoke.click();
    await row.waitFor({ state: 'detached' });
    await eventually('the revoked key to be refused', async () => (await ask()) === 401);
    await window.page.keyboard.press('Escape');
  });

  it('stops the proxy, and starts it with the link in the tooltip', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    await window.dismiss('Sealed Proxy is off in this window.'); // it would cover the tooltip
    assert.match(await window.picture('off'), /Sealed Proxy is off in this window/);
    assert.doesNotMatch((await window.offered('Sealed Proxy:')).join('\n'), /Sealed Proxy: Stop$|Copy Base URL/m);
    await window.inTooltip((tooltip) => tooltip.getByText('Start', { exact: true }).click());
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('starts the proxy when its command is typed, as the status says, and Enter is pressed', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    await window.openPalette('>Sealed Proxy: Start');
    await window.row('Sealed Proxy: Start').waitFor();
    await window.page.keyboard.press('Enter');
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('shows that the backend cannot be reached, and the time of the next try', async () => {
    await enclave.kill();
    await check();
    await window.waitForStatus('Sealed Proxy: backend unreachable', 'debug-disconnect');
    await window.dismiss('cannot reach the backend');
    await window.setApiKey(UNTESTED_KEY);
    await window.press('The new API key could not be tested.', 'Cancel');
    assert.match(await window.picture('unreachable'), /cannot reach the backend.*Next attempt at \d/s);
    await window.inTooltip((tooltip) => tooltip.getByText('http.proxy', { exact: true }).click());
    await closeSettings('http.proxy');
    assert.match(await window.diagnosis('dead-backend'), /✗\s+Models\s+The connection to the backend failed/);
    enclave = await scope.enclaveProcess(['--port', String(enclave.port)]);
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  for (const { name, fault, text, icon } of [
    {
      name: 'attestation-refused',
      fault: 'wrong-nonce',
      text: 'Sealed Proxy: attestation failed',
      icon: 'workspace-untrusted',
    },
    {
      name: 'protocol-error',
      fault: 'wrong-version',
      text: 'Sealed Proxy: protocol error',
      icon: 'workspace-untrusted',
    },
  ]) {
    it(`does not report a network problem: ${name}`, async () => {
      const faulty = await scope.enclaveProcess(['--faults', fault]);
      await window.bridge.set('backendUrl', faulty.url);
      await window.waitForStatus(text, icon);
      await window.picture(name);
      assert.match(await window.diagnosis(name), /✗\s+Handshake/);
    });
  }

  it('shows that the backend is slow', async () => {
    const slow = await scope.enclaveProcess(['--faults', 'hang-before-response']);
    await window.bridge.set('requestTimeoutSeconds', 1);
    await window.bridge.set('backendUrl', slow.url);
    await window.waitForStatus('Sealed Proxy: no response', 'watch');
    assert.match(await window.picture('slow'), /did not respond in time.*Next attempt at \d/s);
    await window.bridge.set('requestTimeoutSeconds', undefined);
    await window.bridge.set('backendUrl', enclave.url);
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('explains why a setting is ignored, and the proxy continues', async () => {
    const [{ pid } = { pid: 0 }] = proxiesOf(editor.profile.extensions);
    await window.bridge.set('backendUrl', 'http://example.com');
    await window.toast('The setting sealedProxy.backendUrl').getByRole('button', { name: 'Open Settings' }).click();
    await closeSettings('sealedProxy.backendUrl');
    await window.bridge.set('backendUrl', enclave.url);
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    assert.deepEqual(
      proxiesOf(editor.profile.extensions).map((facts) => facts.pid),
      [pid],
    );
  });

  it('shows that another program uses the port, and moves to a free one', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    const program = await listen(port);
    await window.runCommand('Sealed Proxy: Start');
    await window.waitForStatus('Sealed Proxy: port taken', 'error');
    const toast = window.toast(`port ${port} is used by another program`);
    await toast.waitFor();
    assert.match(await window.picture('port-taken'), /Sealed Proxy sent it no key/);
    const shown = await window.diagnosis('port-taken');
    assert.match(shown, /✗\s+Port owner/);
    await window.runCommand('Sealed Proxy: Use a Free Port');
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    await toast.getByRole('button', { name: 'Use a Free Port' }).click();
    await window.dismiss('This problem is over. Sealed Proxy is connected');
    program.close();
    await window.bridge.set('port', port);
    await waitForProxy(); // the status may change twice before anyone sees it
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('keeps its port if the program ends before the user chooses a free one', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    const program = await listen(port);
    await window.runCommand('Sealed Proxy: Start');
    const toast = window.toast(`port ${port} is used by another program`);
    await toast.waitFor();
    program.close();
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    const processes = proxiesOf(editor.profile.extensions);
    await toast.getByRole('button', { name: 'Use a Free Port' }).click();
    await window.dismiss('This problem is over. Sealed Proxy is connected');
    assert.equal(
      await window.bridge.run((vscode) => vscode.workspace.getConfiguration('sealedProxy').get('port'), []),
      port,
    );
    assert.deepEqual(proxiesOf(editor.profile.extensions), processes);
  });

  it('restarts the proxy after crashes, and shows one notification when it gives up', async function () {
    for (let crash = 1; crash <= 5; crash++) {
      const [running] = await waitForProxy();
      process.kill(running, 'SIGKILL');
      await eventually(
        'the end of the proxy',
        () => !proxiesOf(editor.profile.extensions).some(({ pid }) => pid === running),
      );
      if (crash === 4) {
        await window.waitForStatus('Sealed Proxy: restarting', 'loading');
        assert.match(await window.picture('restarting'), /stopped unexpectedly and restarts at \d/);
      }
    }
    await window.waitForStatus('Sealed Proxy: crashed', 'error');
    assert.match(await window.picture('crashed'), /crashed five times/);
    const toast = window.toast('crashed five times');
    await toast.getByRole('button', { name: 'Restart' }).click();
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('removes the API key if the user confirms; a check then asks for one, and goes on', async () => {
    await window.runCommand('Sealed Proxy: Remove API Key');
    await window.press('Remove the API key?', 'Remove');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await check();
    await window.quickInput.getByText('The check needs an API key.').waitFor();
    await window.enterText('Sealed Proxy: Set API Key', API_KEY);
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
  });

  it('leaves no key on command lines or in environments, settings and logs', () => {
    assertKeptSecret(secrets, editor);
  });

  async function waitForProxy(): Promise<[number]> {
    let running: number | undefined;
    await eventually('a proxy that responds', async () => {
      running = proxiesOf(editor.profile.extensions)[0]?.pid;
      return (
        running !== undefined &&
        (await fetch(`http://127.0.0.1:${port}/health`).then(
          () => true,
          () => false,
        ))
      );
    });
    return [running ?? 0];
  }
});

async function listen(port: number): Promise<Server> {
  const server = createServer((_request, response) => response.end('another program'));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
