// A user who connects assistants. Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import type { ServerProcess } from '../../support/e2e/scope.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { LLAMA_VSIX } from '../../support/vscode/profile.ts';
import { assertKeptSecret } from '../../support/vscode/secrecy.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-connecting-user';
const THEIR_KEY = 'sk-their-own-key-of-anthropic';
const CONFIG = `name: Work
version: 1.0.0
schema: v1
models:
  # the big one
  - name: Claude
    provider: anthropic
    model: claude-sonnet
    apiKey: ${THEIR_KEY}
`;
const TITLE = 'Sealed Proxy: Connect an Assistant';

describe('Connect an Assistant', () => {
  const scope = perSuite();
  let port: number;
  let enclave: ServerProcess;
  let editor: Editor;
  let window: Workbench;
  let config: string;

  before(async function () {
    enclave = await scope.enclaveProcess();
    port = await freePort();
    editor = await Editor.start({
      'sealedProxy.backendUrl': enclave.url,
      'sealedProxy.port': port,
      'chat.disableAIFeatures': false,
    });
    scope.onClose(() => editor.stop());
    editor.install(LLAMA_VSIX);
    config = join(editor.profile.root, '.continue', 'config.yaml');
    mkdirSync(dirname(config));
    writeFileSync(config, CONFIG);
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
  });

  const text = () => readFileSync(config, 'utf8');
  const choose = async (...labels: readonly string[]) => {
    for (const label of labels) {
      const row = window.option(label);
      await row.waitFor();
      await window.moveAway(); // the tooltip of a row that opened below the mouse would cover others
      await row.click();
    }
  };
  const open = async () => {
    await window.runCommand(`${TITLE}…`);
    await window.option('Continue').waitFor();
  };
  const keysIn = (written: string) => [...new Set(written.match(/sealed-[\w-]{43}/g))];

  it('lists the assistants found on this computer, then all others', async () => {
    await open();
    await window.screenshot('connect-assistants');
    const list = window.page.locator('.quick-input-list');
    const shown = await list.innerText();
    assert.match(
      shown,
      /Continue\s*currently uses Claude\s+found on this computer[^]*llama\.vscode[^]*Claude Code\s+not found on this computer/,
    );
    await window.page.keyboard.press('Escape');
  });

  it('asks for an API key if there is none, says why, and then goes on with the models', async () => {
    await open();
    await choose('Continue');
    await window.quickInput.getByText('Connecting an assistant needs an API key.').waitFor();
    await window.screenshot('connect-needs-key');
    await window.enterText('Sealed Proxy: Set API Key', API_KEY);
    await window.option('GLM 5.2').waitFor();
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    await window.page.keyboard.press('Escape');
  });

  it('shows the change without any key, and writes nothing if the user cancels', async () => {
    await open();
    await choose('Continue', 'GLM 5.2');
    const asked = await window.toast(`write to ${config}?`).innerText();
    assert.match(asked, /The tab shows .* changes?\. Makes the file private.* \(mode 644 becomes 600\)\./);
    const right = window.page.locator('.modified-in-monaco-diff-editor .view-lines').first();
    await right.getByText('apiBase').first().waitFor();
    await window.screenshot('connect-preview');
    // As text: an icon is overlooked.
    const titles = window.page.locator('.editor-group-container.active .editor-actions').getByText(/These Changes$/);
    assert.deepEqual(await titles.allInnerTexts(), ['Write These Changes', 'Cancel These Changes']);
    const shown = await right.innerText();
    assert.ok(!shown.includes(THEIR_KEY));
    assert.deepEqual(keysIn(shown), []);
    await window.decide('Cancel These Changes');
    assert.equal(text(), CONFIG);
    await window.page.locator('.modified-in-monaco-diff-editor').waitFor({ state: 'detached' });
  });

  it('keeps its question when the editor hides other notifications', async () => {
    await open();
    await choose('Continue', 'GLM 5.2');
    const toast = window.toast(`write to ${config}?`);
    await toast.getByText('select "Write These Changes" above the diff').waitFor();
    await window.bridge.run((vscode) => {
      void vscode.window.showInformationMessage('Another notification', 'Its button');
    }, null);
    const other = window.toast('Another notification');
    await other.waitFor();
    await window.moveAway(); // the editor hides none while the mouse is on one
    await other.waitFor({ state: 'detached' });
    await toast.getByRole('button', { name: 'Cancel' }).click();
    await toast.waitFor({ state: 'detached' });
    await window.page.locator('.modified-in-monaco-diff-editor').waitFor({ state: 'detached' });
    assert.equal(text(), CONFIG);
  });

  it('writes nothing if the user closes the diff editor, and asks no longer', async () => {
    await open();
    await choose('Continue', 'GLM 5.2');
    const toast = window.toast(`write to ${config}?`);
    await window.page.locator('.modified-in-monaco-diff-editor').getByText('apiBase').first().waitFor();
    await toast.waitFor();
    await window.bridge.command('workbench.action.closeActiveEditor');
    await window.page.locator('.modified-in-monaco-diff-editor').waitFor({ state: 'detached' });
    await toast.waitFor({ state: 'detached' });
    assert.equal(text(), CONFIG);
  });

  it('decides on each of two changes alone, and from the palette on the one that is shown', async () => {
    const tabs = window.page.locator('.tab', { hasText: 'before and after' });
    const questions = window.page.locator('.notification-toast', { hasText: `write to ${config}?` });
    const eventuallyOpen = (expected: number) =>
      eventually(`${expected} changes`, async () => {
        const counts = [await tabs.count(), await questions.count()];
        return counts.every((count) => count === expected);
      });
    const openUntil = async (expected: number) => {
      await open();
      await choose('Continue', 'GLM 5.2');
      await eventuallyOpen(expected);
    };
    await openUntil(1);
    await openUntil(2);
    await questions.last().getByRole('button', { name: 'Cancel' }).click();
    await eventuallyOpen(1);
    await openUntil(2);
    await tabs.first().click();
    await window.runCommand('Sealed Proxy: Cancel These Changes');
    await eventuallyOpen(1);
    await window.decide('Cancel These Changes');
    await eventuallyOpen(0);
    assert.equal(text(), CONFIG);
    assert.ok(!(await window.offered('Sealed Proxy:')).some((row) => row.includes('These Changes')));
  });

  it('asks about a change that another tab covers, and can cancel it', async () => {
    const diff = window.page.locator('.modified-in-monaco-diff-editor');
    const toast = window.toast(`write to ${config}?`);
    await open();
    await choose('Continue', 'GLM 5.2');
    await diff.getByText('apiBase').first().waitFor();
    await toast.waitFor();
    await window.bridge.command('workbench.action.files.newUntitledFile');
    await diff.waitFor({ state: 'hidden' });
    await toast.getByRole('button', { name: 'Cancel' }).click();
    await window.page.locator('.tab', { hasText: 'before and after' }).waitFor({ state: 'detached' });
    assert.equal(text(), CONFIG);
    await window.bridge.command('workbench.action.closeAllEditors');
  });

  it('keeps the list of models open when something else takes the focus', async () => {
    await open();
    await choose('Continue');
    await window.option('GLM 5.2').waitFor();
    await window.bridge.command('workbench.files.action.focusFilesExplorer');
    await window.page.locator('.explorer-folders-view .monaco-list:focus').waitFor();
    await choose('GLM 5.2');
    await window.decide('Cancel These Changes');
    await window.page.locator('.modified-in-monaco-diff-editor').waitFor({ state: 'detached' });
    assert.equal(text(), CONFIG);
  });

  it('writes the change if the user agrees; a check sends a request with the new key', async () => {
    await open();
    await choose('Continue', 'GLM 5.2');
    await window.decide('Write These Changes');
    await window.toast('Continue is connected.').waitFor();
    await window.screenshot('connect-done');
    assert.equal(keysIn(text()).length, 1);
    // Continue uses the first model, so ours stands before those of the user.
    const [head = '', rest = ''] = CONFIG.split('models:\n');
    assert.ok(text().startsWith(`${head}models:\n`) && text().endsWith(rest), text());
    await window.toast('Continue is connected.').getByRole('button', { name: 'Check Connection' }).click();
    await window.dismiss(/Continue is ready: glm-5-2 responded in \d+ ms/);
    const [key = ''] = keysIn(text());
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
  });

  it('connects llama.vscode by its settings, and undoes it', async () => {
    const settings = () =>
      window.bridge.run(
        (api, names) =>
          names.map((name) => api.workspace.getConfiguration('llama-vscode').inspect(name)?.globalValue ?? null),
        ['endpoint_chat', 'endpoint_tools', 'ai_model', 'api_key_chat', 'api_key_tools'],
      );
    await open();
    await choose('llama.vscode', 'GLM 5.2');
    await window.decide('Write These Changes');
    await window.dismiss('llama.vscode is configured');
    const origin = `http://127.0.0.1:${port}`;
    const [chat, tools, model, ...keys] = await settings();
    assert.deepEqual([chat, tools, model], [origin, origin, 'glm-5-2']);
    assert.equal(new Set(keys).size, 1);
    assert.equal(keysIn(JSON.stringify(keys)).length, 1);
    await open();
    await choose('llama.vscode', 'Undo');
    await window.dismiss('The access key of llama.vscode was revoked. The previous configuration was restored.');
    assert.deepEqual(await settings(), [null, null, null, null, null]);
  });

  it('adds a Custom Endpoint to VS Code, whose chat then finds the models', async () => {
    const add = async () => {
      await open();
      await choose('VS Code Custom Endpoint');
      await window.decide('Write These Changes');
    };
    await add();
    await window.dismiss('VS Code did not accept the Custom Endpoint. Run "Chat: Manage Language Models" once');
    await window.bridge.command('workbench.action.chat.manage');
    await window.bridge.command('workbench.action.closeAllEditors');
    await add();
    await window.dismiss('VS Code Custom Endpoint is configured');
    const found = () =>
      window.bridge.run(
        async (api) => (await api.lm.selectChatModels({ vendor: 'customendpoint' })).map(({ name }) => name),
        null,
      );
    await eventually('the models of the group', async () => (await found()).includes('GLM 5.2'));
    await open();
    await window.screenshot('connect-connected');
    await choose('VS Code Custom Endpoint', 'Undo');
    await window.dismiss('An extension cannot remove the group');
  });

  it('offers to repair all assistants in one step when the address has changed', async () => {
    port = await freePort();
    await window.bridge.set('port', port);
    const toast = window.toast('Continue still uses an outdated address or access key of Sealed Proxy');
    await toast.waitFor();
    await window.screenshot('connect-old');
    await toast.getByRole('button', { name: 'Repair' }).click();
    await window.press(/Repair Continue/, 'Repair');
    await eventually('the new address', () => text().includes(`http://127.0.0.1:${port}/v1`));
    await open();
    await choose('Continue', 'Check Connection');
    await window.dismiss(/Continue is ready/);
  });

  it('offers new keys in one step after another program used the port', async () => {
    const [key = ''] = keysIn(text());
    await window.runCommand('Sealed Proxy: Stop');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    const program = createServer((request, response) => response.end(request.url)).listen(port, '127.0.0.1');
    await once(program, 'listening');
    await window.runCommand('Sealed Proxy: Start');
    await window.waitForStatus('Sealed Proxy: port taken', 'error');
    program.close();
    await window.runCommand('Sealed Proxy: Restart');
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    const toast = window.toast('Continue may have sent its access key to another program');
    await window.screenshot('connect-foreign-program');
    await toast.getByRole('button', { name: 'Renew Keys' }).click();
    await window.press(/Repair Continue/, 'Repair');
    await eventually('a new key', () => keysIn(text()).length === 1 && !text().includes(key));
    await window.dismiss('Repaired: Continue');
  });

  it('restores every byte when the user undoes the change, and revokes the key', async () => {
    const [key = ''] = keysIn(text());
    await open();
    await choose('Continue', 'Undo');
    await window.dismiss('The access key of Continue was revoked. The previous configuration was restored.');
    assert.equal(text(), CONFIG);
    assert.ok(!existsSync(`${config}.sealed-proxy-backup`));
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 401);
  });

  it('offers to revoke the key if the change cannot be undone', async () => {
    await open();
    await choose('Continue', 'GLM 5.2');
    await window.decide('Write These Changes');
    await window.dismiss('Continue is connected.');
    const broken = `models: [ # ${text()}`;
    writeFileSync(config, broken);
    const [key = ''] = keysIn(broken);
    await open();
    await choose('Continue', 'Undo');
    const toast = window.toast('was edited since, so it cannot be restored automatically');
    await toast.waitFor();
    await window.screenshot('connect-revoke-anyway');
    await toast.getByRole('button', { name: 'Revoke Key Anyway' }).click();
    await window.dismiss('The access key of Continue was revoked. Its configuration still contains the entry.');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 401);
    assert.equal(text(), broken);
    // Undo is still offered, for a file that was corrected.
    writeFileSync(config, CONFIG);
    await open();
    await choose('Continue', 'Undo');
    await window.dismiss('The access key of Continue was revoked.');
    assert.equal(text(), CONFIG);
  });

  it('says why a file cannot be changed before it asks anything, opens it, and leaves it unchanged', async () => {
    writeFileSync(config, 'models: [');
    const problem = 'is not a valid configuration of Continue, so Sealed Proxy does not change it';
    await open();
    await window.option('Continue').getByText('cannot be configured').waitFor();
    await window.option('Continue').getByText(problem).waitFor();
    await window.screenshot('connect-invalid-file');
    await choose('Continue');
    await window.toast(problem).getByRole('button', { name: 'Open File' }).click();
    await window.page.locator('.tab.active', { hasText: 'config.yaml' }).waitFor();
    await window.bridge.command('workbench.action.closeActiveEditor');
    assert.equal(text(), 'models: [');
  });

  it('copies a snippet for other assistants', async () => {
    await open();
    await window.quickInput.locator('input').first().fill('Aider');
    await choose('Aider', 'GLM 5.2');
    await window.dismiss('The snippet for Aider was copied');
    const copied = await window.bridge.run((api) => api.env.clipboard.readText(), null);
    assert.match(copied, /OPENAI_API_BASE=http:\/\/127\.0\.0\.1:\d+\/v1[^]*aider --model openai\/glm-5-2/);
  });

  it('connects Claude Code with a model for its main work and one for small tasks, and undoes it', async () => {
    const path = join(editor.profile.root, '.claude', 'settings.json');
    const preview = window.page.locator('.modified-in-monaco-diff-editor .view-lines').first();
    const setting = () =>
      window.bridge.run(
        (api) => api.workspace.getConfiguration('sealedProxy').get<string>('messagesModel') ?? '',
        null,
      );
    await open();
    await window.quickInput.locator('input').first().fill('Claude Code');
    await choose('Claude Code');
    await window.quickInput.getByPlaceholder('Select a model for the main work of Claude Code').waitFor();
    await window.quickInput.getByText('glm-5-2 (recommended)').waitFor();
    await window.screenshot('connect-main-model');
    await choose('GLM 5.2');
    await window.quickInput.getByPlaceholder('Select a model for small tasks of Claude Code').waitFor();
    await window.quickInput.getByText('(recommended)').waitFor();
    await window.screenshot('connect-small-model');
    await choose('Gemma 4 31B');
    await window.option('Use glm-5-2 instead').waitFor();
    await window.quickInput.getByPlaceholder(/^If Claude Code requests .{1,50}$/).waitFor(); // a longer one is cut off
    await window.screenshot('connect-replacement');
    await choose('Use glm-5-2 instead');
    await window.toast(`create ${path}?`).waitFor();
    await preview.getByText('ANTHROPIC_BASE_URL').first().waitFor();
    await window.screenshot('connect-claude-code-preview');
    assert.deepEqual(keysIn(await preview.innerText()), []);
    assert.equal(await setting(), '');
    await window.decide('Write These Changes');
    await window.toast('Claude Code is connected.').waitFor();
    await window.screenshot('connect-claude-code-done');
    const { env } = JSON.parse(readFileSync(path, 'utf8')) as { env: Readonly<Record<string, string>> };
    assert.equal(env['ANTHROPIC_BASE_URL'], `http://127.0.0.1:${port}/anthropic`);
    assert.equal(env['ANTHROPIC_MODEL'], 'glm-5-2');
    assert.equal(env['ANTHROPIC_DEFAULT_HAIKU_MODEL'], 'gemma4-31b');
    assert.equal(await setting(), 'glm-5-2');
    await window.toast('Claude Code is connected.').getByRole('button', { name: 'Check Connection' }).click();
    await window.dismiss(/Claude Code is ready: glm-5-2 responded in \d+ ms/);
    // Connected again in the same way, the entry is unchanged: only the setting is written and undone.
    await window.bridge.set('messagesModel', undefined);
    await open();
    await window.quickInput.locator('input').first().fill('Claude Code');
    await choose('Claude Code', 'Change Model', 'GLM 5.2', 'Gemma 4 31B', 'Use glm-5-2 instead');
    await window.toast('Claude Code is connected.').getByRole('button', { name: 'Undo' }).click();
    await window.dismiss('The previous setting was restored.');
    assert.equal(await setting(), '');
    assert.ok(existsSync(path));
    await open();
    await window.quickInput.locator('input').first().fill('Claude Code');
    await choose('Claude Code', 'Undo');
    await window.dismiss('The access key of Claude Code was revoked.');
    assert.equal(existsSync(path), false);
    assert.equal(await setting(), '');
  });

  it('connects Codex, and refuses other models if the user wants that', async () => {
    const path = join(editor.profile.root, '.codex', 'config.toml');
    const preview = window.page.locator('.modified-in-monaco-diff-editor .view-lines').first();
    await open();
    await window.quickInput.locator('input').first().fill('Codex');
    await choose('Codex', 'GLM 5.2');
    await window.option('Return an error').waitFor();
    await window.screenshot('connect-codex-replacement');
    await choose('Return an error');
    await window.toast(`create ${path}?`).waitFor();
    await preview.getByText('experimental_bearer_token').first().waitFor();
    await window.screenshot('connect-codex-preview');
    assert.deepEqual(keysIn(await preview.innerText()), []);
    await window.decide('Write These Changes');
    await window.toast('Codex is connected.').waitFor();
    await window.screenshot('connect-codex-done');
    const written = readFileSync(path, 'utf8');
    assert.ok(written.includes(`base_url = "http://127.0.0.1:${port}/responses/v1"`), written);
    assert.equal(keysIn(written).length, 1);
    await window.toast('Codex is connected.').getByRole('button', { name: 'Check Connection' }).click();
    await window.dismiss(/Codex is ready: glm-5-2 responded in \d+ ms/);
    await open();
    await window.quickInput.locator('input').first().fill('Codex');
    await choose('Codex', 'Undo');
    await window.dismiss('The access key of Codex was revoked.');
    assert.equal(existsSync(path), false);
    // Undo also takes back the model that replaces unknown ones.
    const setting = () =>
      window.bridge.run(
        (api) => api.workspace.getConfiguration('sealedProxy').get<string>('responsesModel') ?? '',
        null,
      );
    await open();
    await window.quickInput.locator('input').first().fill('Codex');
    await choose('Codex', 'GLM 5.2', 'Use glm-5-2 instead');
    await window.decide('Write These Changes');
    await window.dismiss('Codex is connected.');
    assert.equal(await setting(), 'glm-5-2');
    await open();
    await window.quickInput.locator('input').first().fill('Codex');
    await choose('Codex', 'Undo');
    await window.dismiss('The access key of Codex was revoked.');
    assert.equal(await setting(), '');
  });

  it('leaves the API key on no command line and in no file', () => {
    assertKeptSecret({ 'the API key': API_KEY }, editor);
  });
});
