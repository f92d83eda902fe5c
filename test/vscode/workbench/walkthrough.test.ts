// The walkthrough of a new user: four steps, each of which completes by itself. Its pictures are taken here, except for that
// of the key (startUp.test.ts); `npm run screenshots` copies them to media/walkthrough. Each test continues where the
// previous one ended.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import type { Editor } from '../../support/vscode/editor.ts';
import { ScriptedModel } from '../../support/vscode/scriptedModel.ts';
import { startVerifiedEditor } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-new-user';
const { steps: STEPS } = walkthroughOf(readFileSync(fromRoot('package.json'), 'utf8'));
const KEY = 'Set your API key';
const ASK = 'Ask a question';
const VERIFIED = 'See that the enclave is verified';
const CONNECT = 'Connect an assistant';
/** The areas of the pictures, in pixels of a window of 1280 by 800. */
const TOP = { x: 340, y: 0, width: 604, height: 392 };
const BOTTOM_RIGHT = { x: 756, y: 600, width: 524, height: 200 };
const DASHBOARD = { x: 52, y: 36, width: 1224, height: 701 };
const CHAT = { x: 984, y: 36, width: 296, height: 262 };

/** The type of an image element, as far as it is used here. The types of browsers are not installed. */
interface Picture {
  readonly naturalWidth: number;
}

describe('The walkthrough', () => {
  const scope = perSuite();
  const model = new ScriptedModel();
  let editor: Editor;
  let window: Workbench;

  before(async function () {
    editor = await startVerifiedEditor(scope, {
      enclave: { handler: model.handler },
      settings: { 'chat.disableAIFeatures': false },
    });
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
  });

  const steps = () => window.page.locator('.gettingStartedContainer .getting-started-step');
  /** Opens the steps by their titles: the descriptions contain links. */
  const titles = () => steps().locator('.step-title');
  /** The titles of the completed steps in the walkthrough, which this opens. */
  const done = async (): Promise<string[]> => {
    await window.runCommand('Sealed Proxy: Open Walkthrough');
    await steps().first().waitFor();
    const complete = steps().filter({ has: window.page.locator('.codicon-getting-started-step-checked') });
    const texts = await complete.locator('.step-title').allInnerTexts();
    return texts.map((text) => text.trim());
  };
  /** A step takes the focus 250 ms after it got it, also from others, and no event tells when it has. */
  const takesFocus = () => new Promise((resolve) => setTimeout(resolve, 400));
  const becomesDone = (...titles: readonly string[]) =>
    eventually(`the completed steps ${titles.join()}`, async () => (await done()).join() === titles.join());

  it('has four steps with pictures, none of them completed', async () => {
    await window.bridge.command('workbench.action.closeSidebar'); // the pictures are only shown if there is room
    await becomesDone();
    assert.deepEqual(
      (await titles().allInnerTexts()).map((text) => text.trim()),
      [KEY, ASK, VERIFIED, CONNECT],
    );
    for (const [index, { id, media }] of STEPS.entries()) {
      await titles().nth(index).click();
      const picture = window.page.locator('.getting-started-media').getByAltText(media.altText);
      await picture.waitFor();
      await eventually(`the picture ${id}`, () => picture.evaluate((image: Picture) => image.naturalWidth > 100));
      await window.screenshot(`walkthrough-${id}`);
    }
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('leaves the focus to the input boxes that commands open while its tab is active', async () => {
    await window.runCommand('Sealed Proxy: Open Walkthrough');
    await titles().first().click();
    for (const title of ['Set API Key', 'Create Access Key']) {
      await takesFocus();
      await window.openPalette(`>Sealed Proxy: ${title}`);
      await window.row(`Sealed Proxy: ${title}`).waitFor();
      await window.page.keyboard.press('Enter');
      await window.quickInput.locator('.quick-input-title').getByText(title).waitFor();
      await takesFocus();
      const input = window.quickInput.locator('input:focus');
      await input.waitFor();
      await window.page.keyboard.type('typed');
      assert.equal(await input.inputValue(), 'typed');
      await window.page.keyboard.press('Escape');
    }
  });

  it('completes two steps when the key is set and the enclave is verified', async () => {
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy', 'shield');
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.', 'Ask in Chat');
    await window.bridge.command('workbench.action.closeAllEditors');
    await window.inTooltip(async (tooltip) => {
      await window.cutout('verified', BOTTOM_RIGHT);
      await tooltip.waitFor();
    });
    await becomesDone(KEY, VERIFIED);
    await window.screenshot('walkthrough-half');
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('completes a step when an assistant is connected', async () => {
    for (const found of ['.claude', '.codex']) mkdirSync(join(editor.profile.root, found));
    const folder = join(editor.profile.root, '.config', 'opencode');
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'opencode.json');
    writeFileSync(config, '{\n  "theme": "gruvbox"\n}\n');
    await window.runCommand('Sealed Proxy: Connect an Assistant…');
    await window.option('opencode').waitFor();
    await window.moveAway(); // the tooltip of the input box would cover the title
    await window.cutout('connect', TOP);
    await window.option('opencode').click();
    await window.option('GLM 5.2').click();
    await window.page.locator('.modified-in-monaco-diff-editor').getByText('baseURL').first().waitFor();
    await window.decide('Write These Changes');
    const toast = window.toast('opencode is connected.');
    await toast.getByRole('button', { name: 'Check Connection' }).click();
    await window.dismiss('opencode is ready');
    await becomesDone(KEY, VERIFIED, CONNECT);
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('opens a chat that needs no account, also in a new profile, and completes a step when it answers', async () => {
    await window.bridge.command('sealedProxy.openChat');
    const chat = await ChatView.opened(window);
    assert.equal(await window.page.locator('.tabs-container .tab').count(), 0, 'the list of models stays open');
    await chat.choose('Sealed GLM 5.2');
    const words = 'Who can read this question?';
    await chat.ask(words);
    const question = await model.nextChat(words);
    question.say('You, and the enclave that was verified before it was sent. Nobody in between.');
    question.finish(400, 20);
    await chat.answer.getByText('Nobody in between.').waitFor();
    await window.cutout('ask', CHAT);
    await becomesDone(KEY, ASK, VERIFIED, CONNECT);
    await window.screenshot('walkthrough-done');
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('ends with a dashboard that shows the verified enclave and the request', async () => {
    for (const part of ['closeSidebar', 'closeAuxiliaryBar']) await window.bridge.command(`workbench.action.${part}`);
    const dashboard = new DashboardTab(window);
    await dashboard.open();
    await dashboard.show('Requests');
    assert.match(await dashboard.request('Sealed Proxy in VS Code'), /^Completed .* Chat /);
    await dashboard.show('Attestation');
    await dashboard.reads('The enclave is verified.');
    await window.cutout('dashboard', DASHBOARD);
  });

  it('is the same after a restart of VS Code', async () => {
    await editor.restart();
    window = await editor.open('project');
    await becomesDone(KEY, ASK, VERIFIED, CONNECT);
    await window.screenshot('walkthrough-restarted');
    await window.bridge.command('workbench.action.closeAllEditors');
  });
});

interface Walkthrough {
  readonly steps: readonly { readonly id: string; readonly media: { readonly altText: string } }[];
}

/** The one walkthrough in package.json. */
function walkthroughOf(manifest: string): Walkthrough {
  const { contributes } = JSON.parse(manifest) as { contributes: { walkthroughs: [Walkthrough] } };
  return contributes.walkthroughs[0];
}
