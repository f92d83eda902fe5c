// The first five minutes of a person: four steps, each of which completes by itself. Their pictures are made here; `npm run
// screenshots` puts them where the package takes them from. The tests stand on one another.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { identityFor, openCompanyProxy } from '../../support/e2e/companyProxy.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { eventually } from '../../support/vscode/processes.ts';
import { ScriptedModel } from '../../support/vscode/scriptedModel.ts';
import { trustingEquipment } from '../../support/vscode/trust.ts';
import { VISIBLE } from '../../support/vscode/workbench.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

const API_KEY = 'dev-the-key-of-a-newcomer';
const ENCLAVE = 'enclave.elsewhere.example';
const STEPS = ['Set the API key', 'See it verified', 'Connect an assistant', 'Ask something'];
/** Where the pictures are cut out, in pixels of a window of 1280 by 800. */
const TOP = { x: 340, y: 0, width: 604, height: 392 };
const BOTTOM_RIGHT = { x: 836, y: 464, width: 444, height: 336 };
const CHAT = { x: 984, y: 36, width: 296, height: 262 };

/** As far as it matters here; the types of a browser are not there. */
interface Picture {
  readonly naturalWidth: number;
}

describe('A newcomer', () => {
  const scope = perSuite();
  const model = new ScriptedModel();
  let editor: Editor;
  let window: Workbench;

  before(async function () {
    this.timeout(120_000);
    const tls = identityFor(ENCLAVE);
    const enclave = await scope.enclave({
      tls,
      signed: { moduleId: 'i-0f1e2d3c4b5a69788-enc0190c0de5eed0001' },
      handler: model.handler,
    });
    const company = await openCompanyProxy({ [`${ENCLAVE}:443`]: enclave.port });
    scope.onClose(() => company.close());
    editor = await Editor.start(
      {
        'sealedProxy.backendUrl': `https://${ENCLAVE}`,
        'sealedProxy.additionalPcr0': [toHex(DEVELOPMENT_PCR0)],
        'sealedProxy.port': await freePort(),
        'http.proxy': company.url,
        'chat.disableAIFeatures': false,
      },
      trustingEquipment(scope, tls.ca, [enclave]),
    );
    scope.onClose(() => editor.stop());
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy', 'key');
  });

  const steps = () => window.page.locator('.gettingStartedContainer .getting-started-step');
  /** The titles of the steps that are done, as the open walkthrough shows them. */
  const done = async (): Promise<string[]> => {
    await window.runCommand('Sealed Proxy: Get Started');
    await steps().first().waitFor();
    const complete = steps().filter({ has: window.page.locator('.codicon-getting-started-step-checked') });
    const titles = await complete.locator('.step-title').allInnerTexts();
    return titles.map((title) => title.trim());
  };
  const becomesDone = (count: number) =>
    eventually(
      `${count} steps to be done`,
      async () => (await done()).join() === STEPS.slice(0, count).join(),
      VISIBLE,
    );

  it('sees four steps, of which none is done, each with a picture', async () => {
    await window.bridge.command('workbench.action.closeSidebar'); // for want of room, there would be no pictures
    await becomesDone(0);
    assert.deepEqual(
      (await steps().locator('.step-title').allInnerTexts()).map((title) => title.trim()),
      STEPS,
    );
    const texts = JSON.parse(readFileSync(fromRoot('package.nls.json'), 'utf8')) as Readonly<Record<string, string>>;
    for (const [index, name] of ['key', 'verified', 'connect', 'ask'].entries()) {
      await steps().nth(index).click();
      const picture = window.page
        .locator('.getting-started-media')
        .getByAltText(texts[`walkthrough.${name}.altText`] ?? name);
      await picture.waitFor();
      await eventually(`the picture ${name}`, () => picture.evaluate((image: Picture) => image.naturalWidth > 100));
      await window.screenshot(`walkthrough-${name}`);
    }
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('sets the key, and sees the enclave verified: two steps are done', async () => {
    await window.runCommand('Sealed Proxy: Set API Key');
    await window.quickInput.locator('input[type="password"]').fill(API_KEY);
    await window.cutout('key', { ...TOP, height: 140 });
    await window.page.keyboard.press('Enter');
    await window.waitForStatus('8', 'shield');
    await window.dismiss('API key accepted, 8 models.');
    await window.openTooltip();
    await window.cutout('verified', BOTTOM_RIGHT);
    await window.closeTooltip();
    await becomesDone(2);
    await window.screenshot('walkthrough-half');
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('connects an assistant: three steps are done', async () => {
    const folder = join(editor.profile.root, '.config', 'opencode');
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'opencode.json');
    writeFileSync(config, '{\n  "theme": "gruvbox"\n}\n');
    await window.runCommand('Sealed Proxy: Connect an Assistant…');
    await window.option('opencode').waitFor();
    await window.cutout('connect', TOP);
    await window.option('opencode').click();
    await window.option('GLM 5.2').click();
    await window.option(`Write to ${config}`).waitFor();
    await window.page.locator('.modified-in-monaco-diff-editor').getByText('baseURL').first().waitFor();
    await window.option(`Write to ${config}`).click();
    const toast = window.toast('opencode is connected.');
    await toast.getByRole('button', { name: 'Check' }).click();
    await window.dismiss('opencode works');
    await becomesDone(3);
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('asks something in the editor’s chat: all is done', async () => {
    const chat = await ChatView.open(window);
    await chat.choose('GLM 5.2');
    const words = 'Who can read this question?';
    await chat.ask(words);
    const question = await model.asked(words, VISIBLE);
    question.say('You, and the enclave that was verified before it was sent. Nobody in between.');
    question.finish(400, 20);
    await chat.answer.getByText('Nobody in between.').waitFor();
    await window.cutout('ask', CHAT);
    await becomesDone(4);
    await window.screenshot('walkthrough-done');
  });
});
