// A user of VS Code's own chat with models of two providers, which have the same names and ids. The chat must stay with the
// selected model, and the other provider must get no prompt. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { answerJson } from '../../../src/devEnclave/model/apiHandler.ts';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import { MODELS } from '../../../src/devEnclave/model/catalogue.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import type { Editor } from '../../support/vscode/editor.ts';
import { OtherVendor } from '../../support/vscode/otherVendor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import { OTHER_VENDOR_VSIX } from '../../support/vscode/profile.ts';
import { ScriptedModel } from '../../support/vscode/scriptedModel.ts';
import { startVerifiedEditor } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-user-with-two-providers';
const SEALED = 'Sealed GLM 5.2';
const OTHERS = 'GLM 5.2';

describe("VS Code's chat with models of another provider", () => {
  const scope = perSuite();
  const model = new ScriptedModel();
  const other = new OtherVendor(scope);
  /** The backend answers no checks. */
  let isDown = false;
  /** The backend does not list the selected model. */
  let isRemoved = false;
  let editor: Editor;
  let window: Workbench;
  let chat: ChatView;

  const handler: ApiHandler = async (request, response) => {
    const isList = request.target === '/v1/models';
    if (isList && isDown) answerJson(response, 503, { error: { message: 'Overloaded' } });
    else if (isList && isRemoved) answerJson(response, 200, { data: MODELS.filter(({ id }) => id !== 'glm-5-2') });
    else await model.handler(request, response);
  };

  before(async function () {
    editor = await startVerifiedEditor(scope, {
      enclave: { handler },
      settings: { 'chat.disableAIFeatures': false },
      env: other.env,
    });
    editor.install(OTHER_VENDOR_VSIX);
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
  });

  it('asks for the API key when the user adds its models in Manage Language Models', async () => {
    await window.bridge.command('workbench.action.chat.manage');
    await window.page.locator('.models-widget').getByRole('button', { name: 'Add Models' }).click();
    // With the keyboard: the editor ignores clicks just after a menu has opened.
    await window.page.locator('.context-view').getByText('Sealed Proxy', { exact: true }).hover();
    await window.page.keyboard.press('Enter');
    await window.enterText('Sealed Proxy: Set API Key', API_KEY);
    await window.waitForStatus('Sealed Proxy', 'shield');
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    await window.page.locator('.models-widget').getByText(SEALED).waitFor();
    await window.screenshot('other-vendor-manage');
    chat = await ChatView.open(window);
  });

  it('shows which of two models is sealed', async () => {
    await chat.choose(SEALED);
    await chat.waitForModel(SEALED);
    await answered('Which model are you?');
    await window.screenshot('other-vendor-selected');
  });

  it('stays with it through the start of the editor', async () => {
    await editor.restart();
    isDown = true;
    window = await editor.open('project');
    chat = await ChatView.open(window);
    await chat.start();
    await chat.waitForModel(SEALED);
    await window.screenshot('other-vendor-start');
    await chat.ask('Are you there?'); // waits for the connection
    isDown = false;
    await reply('Are you there?');
  });

  it('stays with it through a restart of the proxy', async () => {
    const [before] = proxiesOf(editor.profile.extensions);
    await window.runCommand('Sealed Proxy: Restart');
    await staysThrough('restart');
    assert.notEqual(proxiesOf(editor.profile.extensions)[0]?.pid, before?.pid);
  });

  it('stays with it when another window takes over the proxy', async () => {
    const second = await editor.open('second');
    await second.waitForStatus('Sealed Proxy', 'shield');
    await second.runCommand('Sealed Proxy: Restart');
    await staysThrough('takeover');
    const taken = () => proxiesOf(editor.profile.extensions).every(({ parent }) => parent === second.bridge.pid);
    await eventually('the second window to run the proxy', taken);
    await second.page.close({ runBeforeUnload: true });
    await staysThrough('takeover-back');
  });

  it('stays with it after a failed check, and explains why a request fails', async () => {
    isDown = true;
    await window.runCommand('Sealed Proxy: Check Connection');
    await window.waitForStatus('Sealed Proxy: backend error', 'server');
    await chat.start();
    await chat.waitForModel(SEALED);
    await chat.ask('Can you answer?');
    await chat.answer.getByText('the backend cannot process requests right now.').waitFor();
    await window.screenshot('other-vendor-failed-check');
    isDown = false;
    await staysThrough('failed-check-over');
  });

  it('stays with it when a setting changes that restarts the proxy', async () => {
    await window.bridge.set('port', await freePort());
    await staysThrough('setting');
  });

  it('warns that the chat may use another model when the backend no longer lists the selected one', async () => {
    isRemoved = true;
    await window.runCommand('Sealed Proxy: Check Connection');
    await window.toast('The backend no longer offers Sealed GLM 5.2.').waitFor();
    await window.screenshot('other-vendor-removed');
    isRemoved = false;
    await window.runCommand('Sealed Proxy: Check Connection');
    await staysThrough('listed-again');
    await window.bridge.command('notifications.clearAll');
  });

  it('warns that the chat may use another model when the sealed ones are withdrawn, and comes back to it', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    const notice = window.toast("VS Code's chat may now use a model of another provider.");
    await notice.waitFor();
    await window.screenshot('other-vendor-withdrawn');
    await notice.getByRole('button', { name: 'Start' }).click();
    await window.waitForStatus('Sealed Proxy', 'shield');
    await window.bridge.command('notifications.clearAll'); // that of the command would cover the model picker
    await staysThrough('started-again');
  });

  it('gives the other provider nothing', () => {
    assert.deepEqual(other.requests(), []);
  });

  it('can tell: a prompt to the other provider is recorded', async () => {
    await chat.choose(OTHERS, /^\s*GLM 5\.2\s*$/);
    await chat.ask('This is for the other provider.');
    await chat.answer.getByText('An answer from another vendor.').waitFor();
    await window.screenshot('other-vendor-other');
    assert.match(JSON.stringify(other.requests()), /This is for the other provider\./);
  });

  /** Asks in the open conversation and in another one, without waiting for the connection. */
  async function staysThrough(name: string): Promise<void> {
    await chat.waitForModel(SEALED);
    await answered(`Are you still there? (${name})`);
    await chat.start();
    await chat.waitForModel(SEALED);
    await answered(`And in another conversation? (${name})`);
    await window.screenshot(`other-vendor-${name}`);
    assert.deepEqual(other.requests(), []);
  }

  async function answered(words: string): Promise<void> {
    await chat.ask(words);
    await reply(words);
  }

  async function reply(words: string): Promise<void> {
    const question = await model.nextChat(words);
    assert.equal(question.body.model, 'glm-5-2');
    const text = `The sealed answer to: ${words}`;
    question.say(text);
    question.finish(100, 10);
    await chat.answer.getByText(text).waitFor();
  }
});
