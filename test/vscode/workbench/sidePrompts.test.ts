// VS Code's side prompts before and after "Keep VS Code's Chat Sealed…", with a verified enclave, and with the models of
// another vendor installed. Both the enclave and the other vendor record what they are given. Each test continues where
// the previous one ended.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { identityFor } from '../../support/e2e/companyProxy.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { OtherVendor } from '../../support/vscode/otherVendor.ts';
import { OTHER_VENDOR_VSIX } from '../../support/vscode/profile.ts';
import type { ChatBody } from '../../support/vscode/scriptedModel.ts';
import { trustingEquipment } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const COMMAND = "Sealed Proxy: Keep VS Code's Chat Sealed…";
/** What the user has set: another vendor's models. */
const EARLIER = {
  'chat.utilitySmallModel': 'othervendor/small-1',
  'chat.utilityModel': 'othervendor/small-1',
  'chat.exploreAgent.defaultModel': 'Small 1 (othervendor)',
  'inlineChat.defaultModel': 'Small 1 (othervendor)',
};

/** Dictation, which goes to Microsoft by default. */
const ONE_UNSEALED = /One of VS Code's side prompts leaves this computer unsealed when it is used: Dictation\. Fix…/;
/** With those that go to the other vendor. */
const SIX_UNSEALED = /6 of VS Code's side prompts leave this computer unsealed\./;

/** VS Code lets the selected model summarize a long chat. */
const SUMMARY = /Include all important tool calls and their results/;

interface Sent {
  readonly model: string;
  readonly text: string;
}

/** The kinds of side prompts that a user can cause here, by what the editor writes into them. */
const KINDS = {
  title: /brief title for the following request/,
  'commit message': /best git commit message/,
} as const;

describe("VS Code's side prompts", () => {
  const scope = perSuite();
  /** The prompts that the enclave has decrypted. */
  const sealed: Sent[] = [];
  let enclave: RunningEnclave;
  let other: OtherVendor;
  let settingsPath: string;
  let original: string;
  let window: Workbench;
  let chat: ChatView;
  let dashboard: DashboardTab;

  before(async function () {
    const answer = createModel({ paceMs: 0 });
    const tls = identityFor('localhost');
    enclave = await scope.enclave({
      tls,
      signed: { moduleId: 'i-0f1e2d3c4b5a69788-enc0190c0de5eed0001' },
      handler: async (request, response) => {
        if (request.target.startsWith('/v1/chat/')) {
          const body = JSON.parse(Buffer.from(request.body ?? []).toString()) as ChatBody;
          sealed.push({ model: body.model, text: JSON.stringify(body.messages) });
        }
        await answer(request, response);
      },
    });
    other = new OtherVendor(scope);
    const trusting = trustingEquipment(scope, tls.ca, [enclave]);
    const editor = await Editor.start(
      {
        'sealedProxy.backendUrl': `https://localhost:${enclave.port}`,
        'sealedProxy.additionalPcr0': [toHex(DEVELOPMENT_PCR0)],
        'sealedProxy.port': await freePort(),
        'chat.disableAIFeatures': false,
      },
      { vsix: trusting.vsix, env: { ...trusting.env, ...other.env } },
    );
    scope.onClose(() => editor.stop());
    editor.install(OTHER_VENDOR_VSIX);
    settingsPath = join(editor.profile.userData, 'User', 'settings.json');
    stageChange(editor.profile.folder('project'));
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.setApiKey('dev-the-key-of-a-user');
    await window.waitForStatus('Sealed Proxy', 'shield');
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    chat = await ChatView.open(window);
    dashboard = new DashboardTab(window);
  });

  it('have new marks as soon as a setting changes', async () => {
    await waitForTooltip(ONE_UNSEALED);
    await set(EARLIER);
    await waitForTooltip(SIX_UNSEALED);
  });

  it('go to the models of another vendor if the settings name them', async () => {
    await ask('Tell me about lighthouses.');
    await generateCommitMessage();
    for (const [kind, words] of Object.entries(KINDS)) {
      await eventually(`the ${kind} at the other vendor`, () => found(otherPrompts(), words));
      assert.ok(!found(sealed, words), `no ${kind} at the enclave`);
    }
    assert.deepEqual([...new Set(otherPrompts().map(({ model }) => model))], ['small-1']);
    assert.ok(!found(otherPrompts(), /<userRequest>/), 'the chat itself goes to the enclave');
    await summarize();
    assert.ok(!found(otherPrompts(), SUMMARY), 'no summary at the other vendor');
  });

  it('are listed, and the settings are written after the user has agreed', async () => {
    await openSection();
    await row('Titles, summaries, commit messages').getByText('Other Vendor').waitFor();
    await dashboard.pictures('side-prompts'); // changes settings.json, so it comes first
    original = oddlyFormatted(readFileSync(settingsPath, 'utf8'));
    writeFileSync(settingsPath, original);
    await dashboard.press('Seal');
    const dialog = window.page.locator('.monaco-dialog-box').filter({ hasText: 'Write 7 user settings?' });
    await dialog.getByText('chat.utilitySmallModel: "othervendor/small-1" → "sealed-proxy/gemma4-31b"').waitFor();
    await window.screenshot('side-prompts-agree');
    await window.press('Write 7 user settings?', 'Write Settings');
    await window.toast('7 user settings written.').waitFor();
    await dashboard.reads(/^6 of \d+ side prompts are sealed\.$/);
    await dashboard.reads(/Only services of GitHub can do this\./);
    await window.bridge.command('notifications.clearAll');
    await window.screenshot('side-prompts-written');
    const report = await window.diagnosis('side-prompts');
    const marks = new Map(
      report
        .split('\n')
        .map((line) => line.split('\t'))
        .map(([title = '', mark]) => [title, mark]),
    );
    for (const title of ['Titles, summaries, commit messages', 'Risk of tool calls', 'Explore agent', 'Inline chat'])
      assert.equal(marks.get(title), 'sealed', title);
    assert.equal(marks.get('Ghost text'), 'cannot be sealed if you sign in');
    assert.equal(marks.get('Chats with models of Other Vendor'), 'goes to Other Vendor');
    assert.deepEqual(report.match(/^Setting .*$/gm), null, 'the settings of this editor are all known');
    await waitForTooltip(ONE_UNSEALED);
  });

  it('then go to the enclave, and nothing goes to the other vendor', async () => {
    const [before, handled] = [otherPrompts().length, enclave.journal.requests.length];
    sealed.length = 0;
    await ask('Tell me about windmills.');
    await generateCommitMessage();
    for (const [kind, words] of Object.entries(KINDS)) {
      await eventually(`the ${kind} at the enclave`, () => found(sealed, words));
      assert.equal(sealed.find(({ text }) => words.test(text))?.model, 'gemma4-31b');
    }
    assert.ok(enclave.journal.requests.length - handled >= 3);
    await summarize();
    assert.equal(otherPrompts().length, before);
  });

  it('are as before after one step, and settings.json has the same bytes', async () => {
    await openSection();
    await dashboard.press('Undo');
    await window.toast('settings.json is exactly as it was before.').waitFor();
    await window.screenshot('side-prompts-undone');
    assert.equal(readFileSync(settingsPath, 'utf8'), original);
    await waitForTooltip(SIX_UNSEALED);
  });

  it('keep what the user has changed since, after undo', async () => {
    await openSection();
    await dashboard.press('Seal');
    await window.press('Write 7 user settings?', 'Write Settings');
    await window.toast('7 user settings written.').waitFor();
    await set({ 'inlineChat.defaultModel': '' });
    await window.toast('7 user settings written.').getByRole('button', { name: 'Undo' }).click();
    await window.toast('so they keep their values: inlineChat.defaultModel.').waitFor();
    const after = readFileSync(settingsPath, 'utf8');
    assert.match(after, /"chat\.utilitySmallModel" :\t"othervendor\/small-1"/);
    assert.match(after, /\/\* mine \*\/ "inlineChat\.defaultModel": ""/);
    assert.doesNotMatch(after, /sealed-proxy\/|\(sealed-proxy\)|byokModels/);
  });

  function otherPrompts(): readonly Sent[] {
    const requests = other.requests().filter(({ kind }) => kind === 'request');
    return requests.map(({ model, texts }) => ({ model, text: texts.join('\n') }));
  }

  /** In a new chat, with a model of ours: another vendor has one of the same name. */
  async function ask(words: string): Promise<void> {
    await window.bridge.command('workbench.action.chat.newChat');
    const model = { vendor: 'sealed-proxy', id: 'glm-5-2', family: 'glm-5-2' };
    await window.bridge.command('workbench.action.chat.changeModel', model);
    await chat.ask(words);
    await chat.answer.getByText(words).first().waitFor();
  }

  async function generateCommitMessage(): Promise<void> {
    await window.bridge.command('workbench.view.scm');
    await window.page.locator('.scm-view').getByText('verse.txt').waitFor();
    await window.bridge.command('github.copilot.git.generateCommitMessage');
  }

  /** Resolves when the chat has the summary. */
  async function summarize(): Promise<void> {
    await window.bridge.command('workbench.action.chat.open', { query: '/compact' });
    await eventually('the summary at the enclave', () => found(sealed, SUMMARY));
    await chat.answer.getByText('Compacted conversation').first().waitFor();
  }

  /** Runs the command, and waits for the section that it opens. */
  async function openSection(): Promise<void> {
    await window.runCommand(COMMAND);
    await dashboard.shows('Side Prompts');
  }

  /** The row of a side prompt. */
  function row(title: string): Locator {
    return dashboard.frame.getByRole('row').filter({ hasText: title });
  }

  async function set(values: Readonly<Record<string, unknown>>): Promise<void> {
    await window.bridge.run(async ({ workspace, ConfigurationTarget }, entries) => {
      for (const [key, value] of entries)
        await workspace.getConfiguration().update(key, value, ConfigurationTarget.Global);
    }, Object.entries(values));
  }

  /** Opens the tooltip until it has the text: an open one does not change. */
  async function waitForTooltip(text: RegExp): Promise<void> {
    const hasText = async () => text.test(await window.picture('side-prompts'));
    await eventually(`a tooltip with ${text}`, hasText);
  }
});

/** The same values with comments, spaces and mixed line breaks that no program would choose. */
function oddlyFormatted(settings: string): string {
  const body = settings.trimEnd().slice(0, -1).trimEnd();
  return `${body},\r\n\n }\n\n`
    .replace('{\n', '{\r\n\t// settings of mine\n\n')
    .replace('"chat.utilitySmallModel": ', '"chat.utilitySmallModel" :\t')
    .replace('"inlineChat.defaultModel"', '/* mine */ "inlineChat.defaultModel"');
}

function found(prompts: readonly Sent[], words: RegExp): boolean {
  return prompts.some(({ text }) => words.test(text));
}

/** Makes a repository with one file that is ready to be committed. */
function stageChange(folder: string): void {
  writeFileSync(join(folder, 'verse.txt'), 'A line about the sea.\n');
  for (const args of [
    ['init', '--quiet'],
    ['add', 'verse.txt'],
  ])
    execFileSync('git', args, { cwd: folder });
}
