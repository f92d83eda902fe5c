// VS Code's side prompts before and after "Keep VS Code's Chat Sealed…", with the models of another vendor installed. Both
// the enclave and the other vendor record what they are given. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { OtherVendor } from '../../support/vscode/otherVendor.ts';
import { eventually } from '../../support/vscode/processes.ts';
import { OTHER_VENDOR_VSIX } from '../../support/vscode/profile.ts';
import { VISIBLE } from '../../support/vscode/workbench.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

const COMMAND = "Sealed Proxy: Keep VS Code's Chat Sealed…";
/** What a user may have written above the test's own settings, with comments and formatting that no program would choose. */
const WRITTEN = `{
\t// the other vendor's models, for now
  "chat.utilitySmallModel" : "othervendor/small-1", "chat.utilityModel":"othervendor/small-1",
    /* inline */ "inlineChat.defaultModel": "Small 1 (othervendor)",\r
  "chat.exploreAgent.defaultModel": "Small 1 (othervendor)",

`;

describe("VS Code's side prompts", () => {
  const scope = perSuite();
  /** The prompts that the enclave has decrypted, with their models. */
  const sealed: { readonly model: string; readonly text: string }[] = [];
  let other: OtherVendor;
  let settingsPath: string;
  let settings: string;
  let window: Workbench;
  let chat: ChatView;
  let project: string;

  before(async function () {
    this.timeout(120_000);
    const answer = createModel({ paceMs: 0 });
    const enclave = await scope.enclave({
      handler: async (request, response) => {
        if (request.target.startsWith('/v1/chat/')) {
          const text = Buffer.from(request.body ?? []).toString();
          sealed.push({ model: (JSON.parse(text) as { model: string }).model, text });
        }
        await answer(request, response);
      },
    });
    other = new OtherVendor(scope);
    const editor = await Editor.start(
      { 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': await freePort(), 'chat.disableAIFeatures': false },
      { env: other.env },
    );
    scope.onClose(() => editor.stop());
    editor.install(OTHER_VENDOR_VSIX);
    settingsPath = join(editor.profile.userData, 'User', 'settings.json');
    settings = readFileSync(settingsPath, 'utf8').replace('{\n', WRITTEN).replace(/\n\}$/, ',\n\n}\n\n');
    writeFileSync(settingsPath, settings);
    project = editor.profile.folder('project');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project });
    git('init', '--quiet');
    git('config', 'user.email', 'a@example.org');
    git('config', 'user.name', 'A');
    writeFileSync(join(project, 'verse.txt'), 'A line about the sea.\n');
    git('add', 'verse.txt');
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.setApiKey('dev-the-key-of-a-user');
    await window.waitForStatus('Sealed Proxy: development');
    await window.dismiss('API key accepted. 8 models are available.');
    chat = await ChatView.open(window);
    await selectOurs();
  });

  it('go to the models of another vendor if the settings say so', async () => {
    await chat.ask('Tell me about lighthouses.');
    await chat.answer.getByText('lighthouses').first().waitFor();
    await new Promise((r) => setTimeout(r, 8000));
    console.log('OTHER', JSON.stringify(other.requests().map((r) => ({ ...r, texts: r.texts.map((t) => t.slice(0, 200)) })), null, 1));
    console.log('SEALED', sealed.map(({ model, text }) => [model, text.length, text.slice(0, 600)]));
    await window.bridge.command('workbench.view.scm');
    await new Promise((r) => setTimeout(r, 3000));
    await Promise.race([
      window.bridge.command('github.copilot.git.generateCommitMessage').then((x) => console.log('COMMIT', x), (e) => console.log('COMMIT ERR', String(e))),
      new Promise((r) => setTimeout(r, 8000)),
    ]);
    console.log('OTHER2', JSON.stringify(other.requests().map((r) => ({ ...r, texts: r.texts.map((t) => t.slice(0, 200)) })), null, 1));
    await window.screenshot('side-prompts-scm');
    console.log(await window.bridge.run(async (vscode) => {
      const c = vscode.workspace.getConfiguration();
      const keys = ['chat.utilityModel','chat.byokUtilityModelDefault','chat.agentHost.byokModels.enabled','github.copilot.enable','github.copilot.chat.searchSubagent.enabled','dictation.model','chat.defaultModel','chat.tools.riskAssessment.model'];
      return JSON.stringify({ v: vscode.version, models: (await vscode.lm.selectChatModels({})).map((m) => [m.vendor, m.id, m.name]), s: keys.map((k) => [k, c.inspect(k)?.defaultValue, c.get(k), c.inspect(k)?.globalValue]) });
    }, undefined));
  });

  it('are listed', async () => {
    await window.runCommand(COMMAND);
    await window.quickInput.waitFor();
    await new Promise((r) => setTimeout(r, 1500));
    await window.screenshot('side-prompts-list');
    console.log((await window.page.locator('.quick-input-list .monaco-list-row').allInnerTexts()).join('\n--\n'));
    await window.option('Seal').click();
    await new Promise((r) => setTimeout(r, 1500));
    await window.screenshot('side-prompts-agree');
    await window.press(/Write \d user settings\?/, 'Write Settings');
    await new Promise((r) => setTimeout(r, 3000));
    await window.screenshot('side-prompts-written');
    console.log(readFileSync(settingsPath, 'utf8'));
    console.log(await window.diagnosis('side-prompts'));
    console.log(await window.picture('side-prompts'));
    sealed.length = 0;
    const n = other.requests().length;
    await window.bridge.command('workbench.action.chat.newChat');
    await selectOurs();
    await chat.ask('Tell me about windmills.');
    await chat.answer.getByText('windmills').first().waitFor();
    await new Promise((r) => setTimeout(r, 8000));
    console.log('OTHER3', JSON.stringify(other.requests().slice(n).map((r) => ({ ...r, texts: r.texts.map((t) => t.slice(0, 200)) })), null, 1));
    console.log('SEALED3', sealed.map(({ model, text }) => [model, text.length, text.slice(0, 600)]));
    await window.runCommand(COMMAND);
    await window.option('Undo').click();
    await new Promise((r) => setTimeout(r, 3000));
    await window.screenshot('side-prompts-undone');
    assert.equal(readFileSync(settingsPath, 'utf8'), settings);
  });

  /** Another vendor has a model of the same name. */
  async function selectOurs(): Promise<void> {
    await window.bridge.command('workbench.action.chat.changeModel', {
      vendor: 'sealed-proxy',
      id: 'glm-5-2',
      family: 'glm-5-2',
    });
  }
  void eventually; void VISIBLE;
});
