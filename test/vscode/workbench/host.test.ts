// Runs the suite in test/vscode/host inside the extension host. Before VS Code was restarted for it, the user set the API
// key and allowed a client.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SealedProxyConnection } from '../../../src/extension/features/api/apiTypes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { ENCLAVE } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import type { ServerProcess } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import { DEADLINE, eventually, withTimeout } from '../../support/withTimeout.ts';
import type { RunFacts, RunResults } from '../host/run.ts';

const CLIENT = 'Suite in the host';
const API_KEY = 'dev-the-key-of-a-user';

describe('The extension host', () => {
  const scope = perSuite();
  let record: string;
  let enclave: ServerProcess;
  let editor: Editor;

  before(async () => {
    const own = mkdtempSync(join(tmpdir(), 'sealed-proxy-record-'));
    scope.onClose(async () => rm(own, { recursive: true }));
    record = join(own, 'requests');
    enclave = await scope.enclaveProcess(['--record', record]);
    const port = await freePort();
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
  });

  it('stores the API key, and asks once whether to allow a client', async () => {
    const window = await editor.open('project');
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy: development');
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    const asked = window.bridge.command<SealedProxyConnection>('sealedProxy.getConnection', { client: CLIENT });
    const question = `Allow a program that calls itself "${CLIENT}" to use Sealed Proxy?`;
    const dialog = window.page.locator('.monaco-dialog-box').filter({ hasText: question });
    await dialog
      .getByText('The request comes from the extension Test bridge (sealed-proxy-tests.test-bridge).')
      .waitFor();
    await window.screenshot('consent');
    await window.press(question, 'Allow');
    const first = await asked;
    const second = await window.bridge.command<SealedProxyConnection>('sealedProxy.getConnection', { client: CLIENT });
    assert.deepEqual(second, first);
    assert.equal(proxiesOf(editor.profile.extensions).length, 1);
  });

  it('leaves no process when VS Code ends', async () => {
    await editor.restart(true);
    await eventually('the end of the proxy', () => proxiesOf(editor.profile.extensions).length === 0);
  });

  it('passes the suite that runs inside it', async function () {
    const folder = editor.profile.folder('project');
    const facts: RunFacts = {
      enclave: ENCLAVE,
      backendUrl: enclave.url,
      record,
      client: CLIENT,
      settingsFile: editor.settingsPath,
    };
    writeFileSync(join(folder, 'run.json'), JSON.stringify(facts));
    const page = await editor.openSuite('project');
    const consoleErrors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') consoleErrors.push(message.text());
    });
    try {
      const { passes, failures, report } = await results(folder);
      count(passes, failures);
      assert.equal(failures, 0, report);
      console.log(`${report}\n  ${passes} passed in the extension host`);
    } catch (error) {
      console.log(consoleErrors.join('\n'));
      throw error;
    }
  });

  it('leaves no key behind', () => {
    assertKeptSecret({ 'the API key': API_KEY }, editor);
  });

  it('leaves no process when its window is closed', async () => {
    await editor.restart();
    await eventually('the end of the proxy', () => proxiesOf(editor.profile.extensions).length === 0);
  });
});

async function results(folder: string): Promise<RunResults> {
  const path = join(folder, 'results.json');
  rmSync(path, { force: true });
  const watcher = watch(folder);
  try {
    const written = new Promise<void>((resolve) => {
      watcher.on('change', () => {
        if (existsSync(path)) resolve();
      });
    });
    await withTimeout('the results of the suite in the extension host', 4 * DEADLINE, written);
  } finally {
    watcher.close();
  }
  return JSON.parse(readFileSync(path, 'utf8')) as RunResults;
}

/** Adds to the totals at the end of all suites, as scripts/reporter.mjs does. */
function count(passes: number, failures: number): void {
  const path = process.env['TEST_COUNTS'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ passes, failures })}\n`);
}
