// A user with a fully verified enclave, which is reached through a company's proxy and has a signed history of images. The
// extension is the product, except that it trusts the authority of these enclaves instead of AWS. Each test continues where
// the previous one ended.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyDocument } from '../../../src/attestation/checks.ts';
import { parseSignedEnvelope } from '../../../src/attestation/cose.ts';
import { parsePayload } from '../../../src/attestation/document.ts';
import { PINS } from '../../../src/attestation/pins.ts';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import type { Evidence } from '../../../src/shared/evidence.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { identityFor, openCompanyProxy, openFileServer } from '../../support/e2e/companyProxy.ts';
import type { FileServer } from '../../support/e2e/companyProxy.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import { trustingEquipment } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-that-is-removed-later';
const NEXT_API_KEY = 'dev-the-key-that-comes-after-it';
const ENCLAVE = 'enclave.elsewhere.example';
/** Its clock is five hours behind. */
const BEHIND = 'behind.elsewhere.example';
const HISTORY = new URL(PINS.production.historyUrl);
const PCR0 = toHex(DEVELOPMENT_PCR0);
const HOUR = 3_600_000;
const MODULE = 'i-0f1e2d3c4b5a69788-enc0190c0de5eed0001';

describe('A verified enclave', () => {
  const scope = perSuite();
  /** Keys that were deleted at the backend. */
  const removed = new Set<string | null>();
  /** The requests that reached the backend. */
  const asked = new EventQueue<string>();
  let released = Promise.resolve();
  let roots: string;
  let rootsFile: string;
  let enclave: RunningEnclave;
  let historyServer: FileServer;
  let editor: Editor;
  let window: Workbench;

  const model = createModel({ paceMs: 0 });
  const handler: ApiHandler = async (request, response) => {
    asked.add(request.target);
    await released;
    await model(removed.has(request.credential) ? { ...request, credential: null } : request, response);
  };

  before(async function () {
    const tls = identityFor(ENCLAVE, BEHIND, HISTORY.hostname);
    const signed = { moduleId: MODULE };
    enclave = await scope.enclave({ tls, signed, handler });
    const behind = await scope.enclave({ tls, signed, clock: () => Date.now() - 5 * HOUR });
    historyServer = await openFileServer(tls, {
      [HISTORY.pathname]: readFileSync(fromRoot('test/fixtures/pcr-history-prod.json')),
    });
    scope.onClose(() => historyServer.close());
    const company = await openCompanyProxy({
      [`${ENCLAVE}:443`]: enclave.port,
      [`${BEHIND}:443`]: behind.port,
      [`${HISTORY.hostname}:443`]: historyServer.port,
    });
    scope.onClose(() => company.close());
    const trusting = trustingEquipment(scope, tls.ca, [enclave, behind]);
    ({ roots, rootsFile } = trusting);
    editor = await Editor.start(
      {
        'sealedProxy.backendUrl': `https://${ENCLAVE}`,
        'sealedProxy.port': await freePort(),
        'http.proxy': company.url,
      },
      trusting,
    );
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
  });

  it('shows that the image is not trusted, and sends no request', async () => {
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy: image not trusted', 'workspace-untrusted');
    await window.dismiss('runs an image that is not trusted');
    const short = `${PCR0.slice(0, 8)}…${PCR0.slice(-8)}`;
    const tooltip = await window.picture('image-not-trusted');
    assert.ok(tooltip.includes(`an image that is not trusted for production, with PCR0 ${short}`), tooltip);
    assert.deepEqual(historyServer.requests, [HISTORY.pathname]);
    assert.deepEqual(enclave.journal.requests, []);
    const dashboard = await showAttestation('The enclave is not verified.');
    const passed = (count: number) => Array<string>(count).fill('Passed');
    const notReached = Array<string>(3).fill('Not reached');
    assert.deepEqual(await results(dashboard, 'Failed'), [...passed(5), 'Failed', ...notReached, ...passed(2)]);
    await dashboard.reads(PCR0);
    await dashboard.reads('development root');
    await dashboard.pictures('refused-attestation');
    await dashboard.show('Overview');
    await dashboard.reads('Sealed Proxy refused to connect: the enclave image is not trusted.');
    await dashboard.pictures('refused');
    await window.bridge.command('workbench.action.closeAllEditors');
    const shown = await window.diagnosis('attestation-refused-by-image');
    assert.equal(shown.match(/[✓✗–](?=\s+Attestation:)/g)?.join(''), '✓✓✓✓✓✓✓✗–––');
  });

  it('connects after the user has decided to trust the image, and shows what was verified', async () => {
    await window.bridge.set('additionalPcr0', [PCR0]);
    await window.waitForStatus('Sealed Proxy', 'shield');
    const tooltip = await window.picture('connected-verified');
    assert.match(tooltip, /Sealed Proxy is connected\. Prompts to its models are encrypted to a verified enclave\./);
    assert.match(tooltip, new RegExp(`Base URL: http://127\\.0\\.0\\.1:\\d+/v1`));
  });

  it('shows what was verified, with the certificates, and saves the evidence', async () => {
    const dashboard = await showAttestation('The enclave is verified.');
    assert.deepEqual(await results(dashboard, 'Passed'), Array<string>(11).fill('Passed'));
    await dashboard.reads(PCR0);
    await dashboard.reads('Added by you (sealedProxy.additionalPcr0).');
    await dashboard.pictures('verified-attestation');
    const chain = dashboard.frame.getByRole('heading', { name: 'Certificate Chain' });
    await chain.scrollIntoViewIfNeeded();
    await window.screenshot('dashboard-verified-chain');
    await dashboard.show('Overview');
    await dashboard.showMore();
    assertFacts(await dashboard.body.innerText());
    await dashboard.pictures('verified');

    await dashboard.show('Attestation');
    await dashboard.press('Save Evidence…');
    const path = join(editor.profile.folder('project'), 'evidence.json');
    const input = window.quickInput.locator('input').first();
    const isProposed = async () => /sealed-proxy-evidence-[-\d]+\.json$/.test(await input.inputValue());
    await eventually('the proposed name', isProposed);
    await input.fill(path);
    await window.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await window.dismiss('The evidence is saved. All of its checks passed.');
    const { attestationDocument, pcr0 } = JSON.parse(readFileSync(path, 'utf8')) as Evidence;
    const bytes = new Uint8Array(Buffer.from(attestationDocument, 'base64'));
    const { nonce: challenge } = parsePayload(parseSignedEnvelope(bytes).payload);
    assert.ok(challenge);
    const verified = verifyDocument({ bytes, anchors: enclave.anchors, at: Date.now(), challenge });
    assert.deepEqual([verified.document.moduleId, verified.pcr0, pcr0], [MODULE, PCR0, PCR0]);
    assert.deepEqual(dashboard.violations, []);
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('shows the same in a second window, which uses the proxy of the first', async () => {
    const handshakes = enclave.journal.handshakes;
    const second = await editor.open('second');
    await second.waitForStatus('Sealed Proxy', 'shield');
    const tooltip = await second.picture('shared-verified');
    assert.match(tooltip, /encrypted to a verified enclave/);
    assert.equal(enclave.journal.handshakes, handshakes);
    assert.deepEqual(
      proxiesOf(editor.profile.extensions).map(({ parent }) => parent),
      [window.bridge.pid],
    );
    await second.page.close({ runBeforeUnload: true });
  });

  it('shows that the proxy starts, and then that it waits for the backend', async () => {
    // The proxy reads this file when it starts, and waits until something is written to it.
    rmSync(rootsFile);
    assert.equal(spawnSync('mkfifo', [rootsFile]).status, 0);
    let release = (): void => undefined;
    released = new Promise((resolve) => {
      release = resolve;
    });
    const before = asked.items.length;
    try {
      await window.runCommand('Sealed Proxy: Restart');
      await window.waitForStatus('Sealed Proxy: starting', 'loading');
      assert.match(await window.picture('starting'), /Sealed Proxy is starting/);
    } finally {
      await eventually('the proxy to read its roots', () => writeToReader(rootsFile, roots));
      rmSync(rootsFile);
      writeFileSync(rootsFile, roots);
    }
    await asked.find('the request that waits for its response', () => true, before);
    await window.waitForStatus('Sealed Proxy: checking', 'loading');
    assert.match(await window.picture('checking'), /Sealed Proxy is checking the connection to the backend/);
    release();
    await window.waitForStatus('Sealed Proxy', 'shield');
  });

  it('shows that the key was deleted at the backend, and connects with a new one', async () => {
    removed.add(API_KEY);
    await window.runCommand('Sealed Proxy: Check Connection');
    await window.waitForStatus('Sealed Proxy: key refused', 'key');
    await window.dismiss('the backend refused the API key');
    assert.match(await window.picture('key-removed'), /the backend refused the API key/);
    const shown = await window.diagnosis('key-removed');
    assert.match(shown, /✗\s+API key\s+Set, but refused by the backend/);
    assertNoSecretLeaks({ 'the API key': API_KEY }, shown, 'the diagnosis');
    await window.setApiKey(NEXT_API_KEY);
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    await window.waitForStatus('Sealed Proxy', 'shield');
  });

  it("shows that this computer's clock is wrong, and by how much", async () => {
    await window.bridge.set('backendUrl', `https://${BEHIND}`);
    await window.waitForStatus('Sealed Proxy: clock wrong', 'workspace-untrusted');
    assert.match(await window.picture('clock-wrong'), /clock is about 5 hours ahead of the enclave/);
    assert.match(
      await window.diagnosis('clock-wrong'),
      /✗\s+System clock\s+About 5 hours ahead of the enclave's clock/,
    );
    await window.bridge.set('backendUrl', `https://${ENCLAVE}`);
    await window.waitForStatus('Sealed Proxy', 'shield');
  });

  it('leaves no key on command lines or in environments, settings and logs', () => {
    assertKeptSecret({ 'the API key': API_KEY, 'the next API key': NEXT_API_KEY }, editor);
  });

  /** The overview's facts about the verified enclave. */
  function assertFacts(overview: string): void {
    for (const fact of [
      /Attestation\s+verified, image added by you/,
      new RegExp(String.raw`PCR0\s+${PCR0.slice(0, 8)}…${PCR0.slice(-8)}`),
      new RegExp(String.raw`Enclave ID\s+${MODULE}`),
      /Session since\s+\d{1,2}:\d\d/,
      /Certificate valid until\s+\d+\/\d+\/\d+, \d{1,2}:\d\d/,
      /Models\s+6 chat models, 2 others/,
      /Last check\s+\d{1,2}:\d\d/,
      new RegExp(String.raw`Backend\s+https://${ENCLAVE}`),
    ]) {
      assert.match(overview, fact);
    }
  }

  /** The dashboard, once its attestation contains this text. */
  async function showAttestation(text: string): Promise<DashboardTab> {
    const dashboard = new DashboardTab(window);
    await window.runCommand('Sealed Proxy: Show Attestation');
    await dashboard.shows('Attestation');
    await dashboard.reads(text);
    return dashboard;
  }
});

/** The result of each check, also in a group that is closed: by question. Waits until one of them is `expected`. */
async function results({ frame }: DashboardTab, expected: string): Promise<readonly string[]> {
  let shown: readonly string[] = [];
  await eventually(`a check that has ${expected}`, async () => {
    shown = await frame.locator('.step-result').allTextContents();
    return shown.includes(expected);
  });
  return shown;
}

/** Writes to a named pipe; false if no process reads it. */
function writeToReader(path: string, text: string): boolean {
  try {
    const pipe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    writeFileSync(pipe, text);
    closeSync(pipe);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false;
    throw error;
  }
}
