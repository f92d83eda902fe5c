// A user who leaves: everything that the extension has written or stored is removed, and the other windows notice it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import type { ServerProcess } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { proxiesOf } from '../../support/vscode/processes.ts';
import { LLAMA_VSIX } from '../../support/vscode/profile.ts';
import { readIfThere } from '../../support/vscode/secrecy.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-leaving-user';
const CONTINUE =
  'name: Work\nversion: 1.0.0\nmodels:\n  - name: Claude\n    provider: anthropic\n    model: claude-sonnet\n';
const QWEN = '{\n  "model": { "name": "qwen3-coder" }\n}\n';
const TITLE = 'Sealed Proxy: Connect an Assistant';
const REMOVE = 'Sealed Proxy: Disconnect and Remove Everything';

/** What VS Code and the browser keep of any extension, and may still name this one. Not in the reach of an extension. */
const KEPT_BY_THE_EDITOR: Readonly<Record<string, RegExp>> = {
  'the installed extension': /^extensions\//,
  logs: /^(?:user-data|server-data\/data)\/logs\//,
  'packages of installed extensions': /CachedExtensionVSIXs\//,
  'the list of extensions of a profile': /CachedProfilesData\//,
  'chats of the user': /^user-data\/User\/(?:workspaceStorage\/[^/]+|globalStorage)\/(?:chat|emptyWindowChat)/,
  'earlier versions of the settings (Local History)': /^user-data\/User\/History\//,
  'copies of files that it was just changing when it was closed (hot exit)': /^user-data\/User\/Backups\//,
  'the defaults that installed extensions contribute': /^user-data\/User\/caches\/CachedConfigurations\/defaults\//,
  'data of the browser, in which the window runs': /^browser\//,
};

describe('Disconnect and Remove Everything', () => {
  const scope = perSuite();
  let enclave: ServerProcess;
  let port: number;
  let editor: Editor;
  let window: Workbench;
  let other: Workbench;
  /** Of the notification that stays. */
  let connected: RegExp;
  /** The names of the settings that the user had before. */
  let userSettings: readonly string[];

  const pathOf = (...parts: string[]) => join(editor.profile.root, ...parts);
  const choose = async (...labels: readonly string[]) => {
    for (const label of labels) {
      const row = window.option(label);
      await row.waitFor();
      await row.click();
    }
  };
  const connect = async (name: string, ...labels: readonly string[]) => {
    await window.runCommand(`${TITLE}…`);
    await choose(name, ...labels);
    await window.decide('Write These Changes');
    return new RegExp(`${name} is (?:connected|configured)`); // some cannot be judged
  };
  const connectAndDismiss = async (name: string, ...labels: readonly string[]) => {
    await window.dismiss(await connect(name, ...labels));
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  /** The lines of all files that name us, by file. The names of the test's own folders and extensions do not count. */
  const search = () => {
    const found = new Map<string, readonly string[]>();
    const ours = new RegExp(`sealed|14114|127\\.0\\.0\\.1:${port}\\b|${API_KEY}`, 'i');
    const foreign = new RegExp(`${editor.profile.root}|sealed-proxy-tests|sealed-proxy-vscode-\\w+`, 'gi');
    for (const entry of readdirSync(editor.profile.root, { recursive: true, withFileTypes: true })) {
      const path = relative(editor.profile.root, join(entry.parentPath, entry.name));
      const text = entry.isFile() ? readIfThere(join(entry.parentPath, entry.name)).replaceAll(foreign, '') : '';
      const lines = [entry.name, ...text.split('\n')].filter((line) => ours.test(line.replaceAll(foreign, '')));
      if (lines.length > 0) found.set(path, lines);
    }
    return found;
  };
  const usageFiles = () =>
    readdirSync(editor.profile.root, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /globalStorage\/sealed-proxy\.sealed-proxy\/usage/.test(path),
    );
  const keeperOf = (path: string) => Object.entries(KEPT_BY_THE_EDITOR).find(([, place]) => place.test(path))?.[0];

  before(async function () {
    enclave = await scope.enclaveProcess();
    port = await freePort();
    editor = await Editor.start({ 'chat.disableAIFeatures': false });
    scope.onClose(() => editor.stop());
    editor.install(LLAMA_VSIX);
    userSettings = Object.keys(JSON.parse(readFileSync(editor.settingsPath, 'utf8')) as object).toSorted();
    write(pathOf('.continue', 'config.yaml'), CONTINUE);
    write(pathOf('.qwen', 'settings.json'), QWEN);
    window = await editor.open('project');
    await window.bridge.set('backendUrl', enclave.url);
    await window.bridge.set('port', port);
    await window.bridge.set('terminal.enabled', true);
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    await window.dismiss('API key accepted');
    other = await editor.open('other');
    await other.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('finds what a user has connected, stored and used', async function () {
    const chat = await ChatView.open(window);
    await chat.choose('GLM 5.2');
    await chat.ask('Hello');
    await chat.answer.locator('.rendered-markdown').filter({ hasText: /\w/ }).first().waitFor();
    await connectAndDismiss('Continue', 'GLM 5.2');
    await connectAndDismiss('Qwen Code', 'GLM 5.2');
    await connectAndDismiss('llama.vscode', 'GLM 5.2');
    await connectAndDismiss('VS Code Custom Endpoint');
    // The user goes on using the file.
    writeFileSync(pathOf('.qwen', 'settings.json'), `${readFileSync(pathOf('.qwen', 'settings.json'), 'utf8')}\n`);
    await window.runCommand('Sealed Proxy: Create Access Key');
    await window.enterText('Sealed Proxy: Create Access Key', 'Notebook');
    await window.dismiss('Copied the access key');
    await eventually('the recorded usage', () => usageFiles().some((path) => path.endsWith('.json')));
    connected = await connect('opencode', 'GLM 5.2');
    await window.toast(connected).waitFor();
    const found = [...search().keys()].filter((path) => keeperOf(path) === undefined);
    for (const path of ['.continue/config.yaml', '.config/opencode/opencode.jsonc', '.qwen/settings.json'])
      assert.ok(found.includes(path), found.join('\n'));
  });

  it('lists everything before it asks', async () => {
    await window.runCommand(REMOVE);
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await window.screenshot('remove-everything');
    const text = await dialog.innerText();
    for (const part of ['Continue', 'opencode', 'Qwen Code', 'llama.vscode', 'API key', 'sealedProxy.backendUrl'])
      assert.ok(text.includes(part), text);
    await window.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.ok(existsSync(pathOf('.config', 'opencode', 'opencode.jsonc')));
  });

  it('removes it, stops the proxy and closes its own tabs in all windows', async () => {
    const tabs = (each: Workbench) => each.page.locator('.tab').filter({ hasText: /Sealed Proxy|before and after/ });
    for (const each of [window, other]) {
      await each.runCommand(`${TITLE}…`);
      for (const label of ['Kilo Code', 'GLM 5.2']) await each.option(label).click();
      await each.page.locator('.modified-in-monaco-diff-editor').waitFor();
      await new DashboardTab(each).open();
      assert.equal(await tabs(each).count(), 2);
    }
    await window.runCommand(REMOVE);
    await window.press('Disconnect all assistants', 'Remove Everything');
    const toast = window.toast('Sealed Proxy has removed everything that it had stored or written.');
    assert.match(await toast.innerText(), /Restart assistants and terminals that are still open/);
    for (const each of [window, other])
      await eventually('the end of its own tabs', async () => (await tabs(each).count()) === 0);
    await window.screenshot('removed-everything');
    assert.equal(await window.toast('is off').count(), 0);
    for (const each of [window, other]) await each.waitForStatus('Sealed Proxy: off', 'circle-slash');
    await eventually('the end of the proxy', () => proxiesOf(editor.profile.extensions).length === 0);
    await eventually('the end of the usage history', () => usageFiles().length === 0);
    await other.screenshot('removed-everything-other-window');
  });

  it('leaves no Undo that would change anything', async () => {
    await window.bridge.command('notifications.showList');
    const rows = window.page.locator('.notifications-center .notification-list-item');
    await rows.filter({ hasText: connected }).getByRole('button', { name: 'Undo' }).click();
    await window.bridge.command('notifications.hideList'); // it would stay where it was scrolled to
    await window.dismiss('There is nothing to undo: it was undone or removed already.');
  });

  it('leaves nothing in the home folder and in the profile', async () => {
    assert.equal(readFileSync(pathOf('.continue', 'config.yaml'), 'utf8'), CONTINUE);
    assert.deepEqual(JSON.parse(readFileSync(pathOf('.qwen', 'settings.json'), 'utf8')), JSON.parse(QWEN));
    assert.equal(existsSync(pathOf('.config', 'opencode')), false);
    const settings = JSON.parse(readFileSync(editor.settingsPath, 'utf8')) as object;
    assert.deepEqual(Object.keys(settings).toSorted(), userSettings);
    await editor.restart();
    assert.deepEqual(
      [...search()].filter(([path]) => keeperOf(path) === undefined),
      [],
    );
  });

  it('lets the user start again without a reload of the window', async () => {
    window = await editor.open('project');
    await window.waitForStatus(/Sealed Proxy/);
    await window.runCommand(REMOVE);
    await window.press('Disconnect all assistants', 'Remove Everything');
    await window.dismiss('Sealed Proxy has removed everything');
    await window.waitForStatus('Sealed Proxy: off', 'circle-slash');
    await window.bridge.set('backendUrl', enclave.url);
    await window.bridge.set('port', port);
    await window.setApiKey('a-key-that-the-backend-refuses');
    await window.press('The backend refused this API key.', 'Enter Another Key');
    await window.enterText('Sealed Proxy: Set API Key', API_KEY);
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
  });

  it('offers to uninstall the extension, and then to reload what still shows it', async () => {
    const button = (text: string, name: string) => window.toast(text).getByRole('button', { name });
    await window.runCommand(REMOVE);
    await window.press('Disconnect all assistants', 'Remove Everything');
    await button('Sealed Proxy has removed everything', 'Uninstall Extension').click();
    await button('Sealed Proxy is uninstalled.', 'Reload Window').waitFor();
    await window.screenshot('uninstalled');
  });
});

describe('Uninstalling the extension', () => {
  const scope = perSuite();
  let editor: Editor;

  it('takes its entries out of assistants’ files and its own settings out of the editor’s', async function () {
    const enclave = await scope.enclaveProcess();
    const port = await freePort();
    editor = await Editor.start({ 'sealedProxy.backendUrl': enclave.url, 'sealedProxy.port': port });
    scope.onClose(() => editor.stop());
    const config = join(editor.profile.root, '.continue', 'config.yaml');
    mkdirSync(dirname(config));
    writeFileSync(config, CONTINUE);
    const window = await editor.open('project');
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy: development', 'beaker');
    await window.dismiss('API key accepted');
    await window.bridge.command('sealedProxy.useFreePort');
    const isMoved = () => {
      const { 'sealedProxy.port': own, 'sealedProxy.baseUrl': url } = editor.settings();
      return own !== port && url === `http://127.0.0.1:${String(own)}/v1`;
    };
    await eventually('the address with the other port', isMoved);
    await window.runCommand(`${TITLE}…`);
    for (const label of ['Continue', 'GLM 5.2']) await window.option(label).click();
    await window.decide('Write These Changes');
    await window.dismiss('Continue is connected.');
    assert.match(readFileSync(config, 'utf8'), /sealed-[\w-]{43}/);
    assert.match(readFileSync(editor.settingsPath, 'utf8'), /sealedProxy\.baseUrl/);
    const before = editor.profile.extensions;
    await editor.uninstall('sealed-proxy.sealed-proxy');
    const isGone = () => !readdirSync(before).some((name) => name.startsWith('sealed-proxy.sealed-proxy-'));
    await eventually('the end of the extension', isGone);
    assert.equal(readFileSync(config, 'utf8'), CONTINUE);
    assert.deepEqual(readdirSync(dirname(config)), ['config.yaml']);
    assert.doesNotMatch(readFileSync(editor.settingsPath, 'utf8'), /sealedProxy\.(?:baseUrl|port)/);
    assert.ok(!existsSync(join(editor.profile.userData, 'User', 'globalStorage', 'sealed-proxy.sealed-proxy')));
  });
});
