// A user with six AI extensions, and the list of everything that sends prompts. Each test continues where the previous one
// ended.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { perSuite } from '../../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../../support/e2e/secretLeaks.ts';
import { DashboardTab } from '../../support/vscode/dashboardTab.ts';
import type { Editor } from '../../support/vscode/editor.ts';
import { OtherVendor } from '../../support/vscode/otherVendor.ts';
import { OTHER_VENDOR_VSIX, STAND_IN_VSIXES } from '../../support/vscode/profile.ts';
import { startVerifiedEditor } from '../../support/vscode/trust.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { eventually } from '../../support/withTimeout.ts';

const API_KEY = 'dev-the-key-of-a-user-with-six-extensions';

describe('Show Where Prompts Go', () => {
  const scope = perSuite();
  const other = new OtherVendor(scope);
  let editor: Editor;
  let window: Workbench;
  let dashboard: DashboardTab;
  let settings: string;

  before(async () => {
    editor = await startVerifiedEditor(scope, { settings: { 'chat.disableAIFeatures': false }, env: other.env });
    for (const standIn of STAND_IN_VSIXES) editor.install(standIn);
    const claude = join(editor.profile.root, '.claude');
    settings = join(claude, 'settings.json');
    mkdirSync(claude);
    writeFileSync(settings, '{}\n');
    window = await editor.open('project');
    dashboard = new DashboardTab(window);
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
  });

  /** The verdict of a sender; undefined without one. */
  const verdict = async (name: string): Promise<string | undefined> => {
    const row = dashboard.frame
      .locator('.sender')
      .filter({ has: dashboard.frame.getByRole('heading', { name, exact: true }) });
    const [text] = await row.locator('.sender-verdict').allInnerTexts(); // waits for nothing: the row may be gone
    return text?.trim();
  };
  /** Pictures of the list from its top, in a window that it fits into. */
  const picturesOfAll = async (name: string, width?: number): Promise<void> => {
    const size = window.page.viewportSize();
    assert.ok(size);
    await window.page.setViewportSize({ width: width ?? size.width, height: 1600 });
    await dashboard.body.evaluate('document.getElementById("panel").scrollTo(0, 0)');
    await dashboard.pictures(name);
    await window.page.setViewportSize(size);
  };
  const isSaid = (name: string, expected: string | undefined) =>
    eventually(`${name} to be ${expected}`, async () => (await verdict(name)) === expected);

  it('opens from the palette, and says first that there is no API key', async () => {
    await window.runCommand('Sealed Proxy: Show Where Prompts Go');
    await dashboard.shows('Where Prompts Go');
    await dashboard.reads('Sealed Proxy needs an API key.');
    await dashboard.reads(/Requests that reach Sealed Proxy fail, and it does not forward them\./);
    await dashboard.pictures('prompts-no-key');
    await window.setApiKey(API_KEY);
    await window.waitForStatus('Sealed Proxy', 'shield');
    await window.bridge.command('notifications.clearAll');
  });

  it('lists the extensions by their IDs, with what is known of each', async () => {
    for (const [name, expected] of [
      ['Gemini Code Assist', 'Not sealed'],
      ['Codex', 'Not sealed'],
      ['Claude Code', 'Not sealed'],
      ['Roo Code', 'Unknown'],
      ['Pair Programmer', 'Unknown'],
      ['opencode (extension)', 'Sends none'],
      ["VS Code's chat", 'Sealed'],
      ['Agents built into VS Code', 'Unknown'],
      ['Other Vendor', undefined],
    ] as const) {
      await isSaid(name, expected);
    }
    await dashboard.reads(/^Only 1 of \d+ is sealed\.$/);
    await picturesOfAll('prompts');
  });

  it('connects an assistant with the button in its row, which is sealed then', async () => {
    await dashboard.press('Connect… (Claude Code)');
    for (const label of ['GLM 5.2', 'GLM 5.2', 'Return an error']) {
      const row = window.option(label);
      await row.waitFor();
      await window.page.mouse.move(0, 0); // the tooltip of a row that opened below the mouse would cover others
      await row.click();
    }
    await window.decide('Write These Changes');
    await window.dismiss('Claude Code is connected.');
    await isSaid('Claude Code', 'Sealed');
    await dashboard.reads(/^Only 2 of \d+ are sealed\.$/);
    const key = /sealed-[\w-]{43}/.exec(readFileSync(settings, 'utf8'))?.[0] ?? '';
    assertNoSecretLeaks(
      { 'the API key': API_KEY, 'the access key': key },
      await dashboard.body.innerText(),
      'the list',
    );
    await picturesOfAll('prompts-connected');
  });

  it('shows an extension that can only be disabled in the list of extensions', async () => {
    await dashboard.press('Show in Extensions View (Gemini Code Assist)');
    const rows = window.page.locator('.extensions-viewlet .extension-list-item');
    await rows.getByText('Gemini Code Assist').first().waitFor();
    await eventually('no other extension in the list', async () => (await rows.count()) === 1);
    await window.bridge.command('workbench.view.explorer');
  });

  it('follows an extension that is installed meanwhile, and a setting', async () => {
    editor.install(OTHER_VENDOR_VSIX);
    await isSaid("VS Code's chat", 'Depends on the model');
    await isSaid('Other vendor', 'Depends on the model');
    const set = (value: boolean) =>
      window.bridge.run(
        (api, off) =>
          api.workspace.getConfiguration('chat').update('disableAIFeatures', off, api.ConfigurationTarget.Global),
        value,
      );
    await set(true);
    await isSaid("VS Code's chat, side prompts and inline suggestions", 'Sends none');
    await set(false);
    // The editor offers its models again later; the section follows the setting at once.
    await isSaid("VS Code's chat, side prompts and inline suggestions", undefined);
  });

  it('fits into a narrow tab', async () => {
    await window.bridge.command('workbench.action.closeSidebar');
    await picturesOfAll('prompts-narrow', 480);
  });

  it('calls nothing sealed while the proxy is stopped', async () => {
    await window.runCommand('Sealed Proxy: Stop');
    await dashboard.reads('Sealed Proxy is off in this window.');
    await dashboard.reads(
      /^This window seals no prompts\. Connected assistants reach Sealed Proxy only while another window runs it;/,
    );
    await window.bridge.command('notifications.clearAll');
    await isSaid('Claude Code', 'Unknown');
    assert.equal(await dashboard.frame.locator('.sender-sealed').count(), 0);
    await picturesOfAll('prompts-off');
    assert.deepEqual(dashboard.violations, []);
  });

  it('is a few lines of the diagnosis, without paths', async () => {
    const text = await window.diagnosis('prompts-diagnosis');
    assert.match(text, /Where prompts go[^]*Not sealed: [^\n]*Gemini Code Assist/);
    assert.match(text, /\nSealed: none\n/);
    assert.ok(!text.includes(editor.profile.root));
  });
});
