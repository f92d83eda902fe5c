// The suite inside the extension host, in a window whose person has set the key and agreed to a client just before VS
// Code was restarted.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/supervisor/freePort.ts';
import type { SealedProxyConnection } from '../../../src/extension/api/apiTypes.ts';
import { ENCLAVE } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import type { ServerProcess } from '../../support/e2e/scope.ts';
import { withTimeout } from '../../support/withTimeout.ts';
import type { RunFacts, RunResults } from '../host/run.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { eventually, proxiesOf } from '../../support/vscode/processes.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';

const CLIENT = 'Suite in the host';
const API_KEY = 'dev-the-key-of-a-person';
const LIMIT = 120_000;

describe('VS Code, as its other extensions see it', () => {
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

  it('takes a key from a person, and asks the person about a client, once', async () => {
    const window = await editor.open('project');
    await window.setApiKey(API_KEY);
    await window.waitForStatus('development 8');
    await window.dismiss('API key accepted, 8 models.');
    const asked = window.bridge.command<SealedProxyConnection>('sealedProxy.getConnection', { client: CLIENT });
    await window.press(`Allow "${CLIENT}" to use Sealed Proxy?`, 'Allow');
    const first = await asked;
    const second = await window.bridge.command<SealedProxyConnection>('sealedProxy.getConnection', { client: CLIENT });
    assert.deepEqual(second, first);
    assert.equal(proxiesOf(editor.profile.extensions).length, 1);
  });

  it('leaves no process when it ends', async () => {
    await editor.restart(true);
    await eventually('the end of the proxy', () => proxiesOf(editor.profile.extensions).length === 0);
  });

  it('passes the suite in the extension host', async function () {
    this.timeout(LIMIT);
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
    const said: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') said.push(message.text());
    });
    try {
      const { passes, failures, report } = await results(folder);
      count(passes, failures);
      assert.equal(failures, 0, report);
      console.log(`${report}\n  ${passes} passed in the extension host`);
    } catch (error) {
      console.log(said.join('\n'));
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
    await withTimeout('the results of the suite in the extension host', LIMIT - 5000, written);
  } finally {
    watcher.close();
  }
  return JSON.parse(readFileSync(path, 'utf8')) as RunResults;
}

/** For the one line at the end of all suites, as scripts/reporter.mjs does it. */
function count(passes: number, failures: number): void {
  const path = process.env['TEST_COUNTS'];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ passes, failures })}\n`);
}
