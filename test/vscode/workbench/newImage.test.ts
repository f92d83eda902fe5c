// A user whose enclave is updated: what the window says about the new image, and what it asks. The extension is the product,
// except that it trusts the authority of this enclave instead of AWS. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../../src/devEnclave/attestation/tlsIdentity.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { trustingEquipment } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const TLS = createTlsIdentity(Date.now());
const FIRST = toHex(DEVELOPMENT_PCR0);
const [SECOND, THIRD, FOURTH, FIFTH] = ['cd', 'ef', '12', '34'].map((byte) => byte.repeat(48)) as [
  string,
  string,
  string,
  string,
];

describe('An updated enclave', () => {
  const scope = perSuite();
  let enclave: RunningEnclave;
  let editor: Editor;
  let window: Workbench;

  before(async function () {
    enclave = await scope.enclave({ tls: TLS, signed: {} });
    editor = await Editor.start(
      {
        'sealedProxy.backendUrl': enclave.url,
        'sealedProxy.port': await freePort(),
        'sealedProxy.additionalPcr0': [FIRST, SECOND, THIRD, FOURTH, FIFTH],
      },
      trustingEquipment(scope, TLS.ca, [enclave]),
    );
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.setApiKey('dev-the-key-of-a-user');
    await window.waitForStatus('Sealed Proxy', 'shield');
    await window.dismiss('API key accepted.');
  });

  /** The enclave restarts with another image, and the window checks the connection. */
  const update = async (pcr0: string) => {
    enclave.setImage(Buffer.from(pcr0, 'hex'));
    enclave.dropSessions();
    await window.bridge.command('sealedProxy.restart');
  };
  const noticeIn = ({ page }: Workbench, text: string) => page.locator('.notification-toast', { hasText: text });
  const notice = (text: string) => noticeIn(window, text);

  it('is reported once, with what approved its image', async () => {
    assert.equal(await notice('runs a different image').count(), 0, 'the first image is no change');
    await update(SECOND);
    await notice('runs a different image than before: PCR0 cdcdcdcd…cdcdcdcd. You have added it').waitFor();
    await window.screenshot('image-change');
    await window.dismiss('runs a different image');
    await update(SECOND);
    await window.waitForStatus('Sealed Proxy', 'shield');
    assert.equal(await notice('runs a different image').count(), 0);
  });

  it('gets nothing before the user has accepted its image, if the user wants to be asked', async () => {
    await window.bridge.set('confirmNewImages', true);
    await window.waitForStatus('Sealed Proxy', 'shield');
    await update(THIRD);
    await window.waitForStatus('Sealed Proxy: new image', 'workspace-unknown');
    const before = enclave.journal.requests.length;
    const question = notice('runs a new image: PCR0 efefefef…efefefef. Do you want to use it?');
    await question.waitFor();
    await window.screenshot('image-question');
    assert.equal(enclave.journal.requests.length, before);
    await question.getByText("Don't Use It").click();
    await window.waitForStatus('Sealed Proxy: image refused', 'workspace-unknown');
    assert.equal(enclave.journal.requests.length, before);
  });

  it('is used as soon as the user no longer wants to be asked, and refused again afterwards', async () => {
    await window.bridge.set('confirmNewImages', false);
    await window.waitForStatus('Sealed Proxy', 'shield');
    await notice('runs a different image').waitFor();
    await window.dismiss('runs a different image');
    await window.bridge.set('confirmNewImages', true);
    await update(THIRD);
    await window.waitForStatus('Sealed Proxy: image refused', 'workspace-unknown');
  });

  it('is used when the user changes their mind', async () => {
    const reviewed = window.bridge.command('sealedProxy.reviewImage');
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.getByText('You have chosen not to use it. Do you want to use it now?').waitFor();
    await window.screenshot('image-review');
    await dialog.getByRole('button', { name: 'Use This Image' }).click();
    await reviewed;
    await window.waitForStatus('Sealed Proxy', 'shield');
    assert.equal(await notice('runs a different image').count(), 0, 'the user knows');
  });

  it('is reported in one of two windows, and any of them can give the consent', async () => {
    const second = await editor.open('second');
    await second.waitForStatus('Sealed Proxy', 'shield');
    await update(FOURTH);
    for (const each of [window, second]) await each.waitForStatus('Sealed Proxy: new image', 'workspace-unknown');
    const reviewed = second.bridge.command('sealedProxy.reviewImage');
    await second.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Use This Image' }).click();
    await reviewed;
    for (const each of [window, second]) await each.waitForStatus('Sealed Proxy', 'shield');
    await window.bridge.set('confirmNewImages', false);
    await update(SECOND);
    const notices = () => Promise.all([window, second].map((each) => noticeIn(each, 'runs a different image').count()));
    await eventually('the notice in one of the windows', async () => (await notices()).includes(1));
    for (const each of [window, second]) await each.waitForStatus('Sealed Proxy', 'shield');
    assert.deepEqual((await notices()).toSorted(), [0, 1]);
  });

  it('gets nothing more if the user refuses its image while it is in use', async () => {
    await window.bridge.set('confirmNewImages', true);
    await update(FIFTH);
    await window.waitForStatus('Sealed Proxy: new image', 'workspace-unknown');
    const reviewed = window.bridge.command('sealedProxy.reviewImage'); // asks before the other answer is given
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await notice('runs a new image: PCR0 34343434…34343434.').getByText('Use This Image').dispatchEvent('click');
    await window.waitForStatus('Sealed Proxy', 'shield');
    await dialog.getByRole('button', { name: "Don't Use It" }).click();
    await reviewed;
    await window.waitForStatus('Sealed Proxy: image refused', 'workspace-unknown');
  });
});
