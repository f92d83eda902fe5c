// A user saves the evidence of a verified enclave, and verifies the file on the command line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity, toPem } from '../../../src/devEnclave/attestation/tlsIdentity.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import type { Evidence } from '../../../src/shared/evidence.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { PROXY } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { trustingEquipment } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-that-no-file-contains';
const PCR0 = toHex(DEVELOPMENT_PCR0);
const COMMAND = 'Sealed Proxy: Save Attestation Evidence…';

describe('Save Attestation Evidence', () => {
  const scope = perSuite();
  const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-evidence-'));
  scope.onClose(() => rm(folder, { recursive: true }));
  let enclave: RunningEnclave;
  let window: Workbench;

  before(async function () {
    const tls = createTlsIdentity(Date.now());
    enclave = await scope.enclave({ tls, signed: { moduleId: 'i-1-enc1' } });
    const editor = await Editor.start(
      {
        'sealedProxy.backendUrl': enclave.url,
        'sealedProxy.port': await freePort(),
        'sealedProxy.additionalPcr0': [PCR0],
        'files.simpleDialog.enable': true, // the desktop's own dialog cannot be driven
      },
      trustingEquipment(scope, tls.ca, [enclave]),
    );
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy', 'shield');
  });

  /** Runs the command and answers its dialog with this path. */
  async function save(path: string): Promise<void> {
    await window.runCommand(COMMAND);
    await window.page.locator('.quick-input-title').getByText('Save Attestation Evidence', { exact: true }).waitFor();
    const input = window.quickInput.locator('input').first();
    const isProposed = async () => /sealed-proxy-evidence-\d{4}-\d{2}-\d{2}\.json$/.test(await input.inputValue());
    await eventually('the proposed name', isProposed);
    await window.screenshot('evidence-save-dialog');
    await input.fill(path);
    // The dialog ignores an answer while it reads the folder.
    const listed = window.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'bridge.json' });
    await listed.waitFor({ state: 'detached' });
    await window.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
  }

  it('saves a file that the command line verifies, and shows it', async () => {
    const path = join(folder, 'evidence.json');
    await save(path);
    const toast = window.toast('The evidence is saved. All of its checks passed.');
    await toast.waitFor();
    await window.screenshot('evidence-saved');
    const text = readFileSync(path, 'utf8');
    assertNoSecretLeaks({ 'the API key': API_KEY }, text, 'the evidence');
    assert.equal((JSON.parse(text) as Evidence).backend, enclave.url);
    assert.match(text, /^\{\n {2}"format": "sealed-proxy-evidence",\n/);
    const root = join(folder, 'root.pem');
    writeFileSync(root, toPem(enclave.anchors.roots[0] ?? assert.fail()));
    const args = [PROXY, 'verify', path, '--root', root, '--pcr0', PCR0];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /Verified: all 14 steps passed\./);
    await toast.getByRole('button', { name: 'Show File' }).click();
    await window.page.locator('.tab').filter({ hasText: 'evidence.json' }).waitFor();
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('copies a command that verifies the file with the program of the extension', async () => {
    const path = join(folder, "the evidence of today's enclave.json");
    await save(path);
    const toast = window.toast('The evidence is saved. All of its checks passed.');
    await toast.getByRole('button', { name: 'Copy Command to Verify' }).click();
    await window.dismiss('The command was copied.');
    const copied = await window.bridge.run((api) => api.env.clipboard.readText(), null);
    const TRUSTED_ROOTS = join(folder, 'roots.json'); // what the tests' build trusts besides the arguments
    writeFileSync(TRUSTED_ROOTS, '[]');
    const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
    const env = { ...process.env, PATH, TRUSTED_ROOTS };
    const run = (command: string) => spawnSync(command, { shell: true, encoding: 'utf8', env });
    const trusting = `${copied} --root ${join(folder, 'root.pem')}`; // the image is that of a setting
    assert.match(run(trusting).stdout, /Verified: all 14 steps passed\./);
    assert.equal(run(copied).status, 1); // the authority of the tests is not AWS
  });

  it('says that a development backend is not attested', async () => {
    const development = await scope.enclave();
    await window.bridge.set('backendUrl', development.url);
    await window.waitForStatus(/development/);
    await window.runCommand(COMMAND);
    await window.dismiss('There is no evidence: a development backend is not attested.');
  });

  it('is offered only while the proxy runs', async () => {
    assert.ok(
      (await window.offered('Sealed Proxy: Save')).some((label) => label.includes('Save Attestation Evidence')),
    );
    await window.runCommand('Sealed Proxy: Stop');
    await window.waitForStatus(/off/);
    const offered = await window.offered('Sealed Proxy: Show');
    assert.ok(!offered.some((label) => label.includes('Save Attestation Evidence')), offered.join());
    const done = window.bridge.command('sealedProxy.saveEvidence');
    await window.dismiss('There is no evidence, because the proxy is not running in this window.');
    await done;
  });
});
