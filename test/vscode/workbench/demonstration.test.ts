// `npm start -- --vscode`, the first thing that a curious reader tries: what the first minute shows, and what is left
// behind. It needs no desktop, and runs where the other tests use VS Code's server.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { RunningProcess, fromRoot, spawnNode } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { askInChat } from '../../support/vscode/chatView.ts';
import { openPages } from '../../support/vscode/hooks.ts';
import { allProcesses, isRunning } from '../../support/vscode/processes.ts';
import type { ProcessFacts } from '../../support/vscode/processes.ts';
import { BROWSER_ARGS } from '../../support/vscode/serverEditor.ts';
import { currentTestTarget } from '../../support/vscode/testTarget.ts';
import { saveScreenshot } from '../../support/vscode/workbench.ts';
import { DEADLINE, eventually } from '../../support/withTimeout.ts';

describe('npm start -- --vscode', function () {
  const scope = perSuite();
  const target = currentTestTarget();
  if (target.kind === 'desktop') return;
  let demo: RunningProcess;
  let page: Page;

  before(async function () {
    const profile = mkdtempSync(join(tmpdir(), 'sealed-proxy-browser-'));
    const executablePath = target.browser;
    const viewport = { width: 1280, height: 800 };
    const browser = await chromium.launchPersistentContext(profile, { executablePath, viewport, args: BROWSER_ARGS });
    scope.onClose(async () => {
      openPages.delete(page);
      await browser.close();
      rmSync(profile, { recursive: true });
    });
    page = await browser.newPage();
    page.setDefaultTimeout(DEADLINE);
    openPages.add(page);
    await start();
  });

  /** Starts the demonstration and opens its address, as a user does. */
  async function start(): Promise<void> {
    const started = new RunningProcess(
      spawnNode(fromRoot('scripts/run.mjs'), { args: ['scripts/start.mjs', '--vscode'] }),
    );
    scope.onClose(async () => {
      started.child.kill(); // which ends its children too, unlike SIGKILL
      await started.exit();
    });
    demo = started;
    const line = await demo.stdout.find('the address', (text) => text.includes('  editor  '));
    await page.goto(line.replace('editor', '').trim());
    await page.locator('.monaco-workbench').waitFor();
  }

  const input = () => page.locator('.interactive-input-part .monaco-editor').first();
  const answer = () => page.locator('.interactive-response').last();
  const model = () => page.locator('.model-picker-name[aria-label*="GLM 5.2"]');
  const status = () => page.locator('.statusbar-item').filter({ hasText: 'Sealed Proxy: development' });
  const ask = async (words: string) => {
    await askInChat(page, words);
    await answer().getByText(`You said: ${words}`, { exact: true }).waitFor();
  };

  it('opens a trusted sample project, with the chat open, a sealed model selected and a first question', async () => {
    await input().getByText('What does shop.mjs do?').waitFor();
    await model().waitFor();
    await status().waitFor();
    await page.locator('.explorer-folders-view').getByText('shop.mjs').waitFor();
    assert.equal(await page.getByText('Restricted Mode').count(), 0);
    assert.equal(await page.locator('.notification-toast').count(), 0);
    await saveScreenshot(page, 'demonstration');
  });

  it("shows the call of a tool and its result, and answers the user's own words", async () => {
    await page.keyboard.press('Enter');
    await answer().getByText('shop.mjs').first().waitFor();
    await answer().getByText('The tool answered:').waitFor();
    await answer().getByText('Prices of a small shop').waitFor();
    await saveScreenshot(page, 'demonstration-tool');
    await ask('Hello!');
    await saveScreenshot(page, 'demonstration-answer');
  });

  it('works after a reload of the page, with the same key and the same model', async () => {
    await page.reload();
    await status().waitFor();
    await model().waitFor();
    await ask('Once more');
    await saveScreenshot(page, 'demonstration-reloaded');
  });

  it('ends, and leaves no process, when the development enclave dies', async () => {
    const started = descendants(demo.pid);
    const [enclave] = started.filter(({ command }) => command.includes('dev-enclave.js'));
    assert.ok(enclave);
    assert.ok(started.some(({ command }) => command.includes('dist/proxy.js')));
    process.kill(enclave.pid, 'SIGKILL');
    assert.deepEqual(await demo.exit(), { code: 1, signal: null });
    assert.deepEqual(demo.stderr.items, ['The development enclave has ended.']);
    await noneLeft(started);
  });

  // A terminal sends its signals to all processes.
  for (const [name, signal, toAll] of [
    ['Ctrl-C', 'SIGINT', true],
    ['SIGTERM', 'SIGTERM', false],
    ['the end of its terminal', 'SIGHUP', true],
  ] as const) {
    it(`ends, and leaves no process, on ${name}`, async () => {
      await start();
      await status().waitFor();
      const started = descendants(demo.pid);
      demo.child.kill(signal);
      for (const { pid } of toAll ? started : []) if (isRunning(pid)) process.kill(pid, signal);
      assert.deepEqual(await demo.exit(), { code: 0, signal: null });
      assert.deepEqual(demo.stderr.items, []);
      await noneLeft(started);
    });
  }
});

/** All processes that this one has started, directly or not. */
function descendants(pid: number): ProcessFacts[] {
  const all = allProcesses();
  const below = (parent: number): ProcessFacts[] =>
    all.filter((facts) => facts.parent === parent).flatMap((facts) => [facts, ...below(facts.pid)]);
  return below(pid);
}

/** Also not of those that the editor has started since. */
async function noneLeft(started: readonly ProcessFacts[]): Promise<void> {
  const folder = fromRoot('.cache/vscode-demo');
  const isOurs = ({ pid, command }: ProcessFacts) =>
    command.includes(folder) || started.some((facts) => facts.pid === pid);
  await eventually('the end of all processes', () => !allProcesses().some(isOurs));
  const { 'sealedProxy.port': port } = JSON.parse(
    readFileSync(join(folder, 'user', 'Machine', 'settings.json'), 'utf8'),
  ) as { 'sealedProxy.port': number };
  await assert.rejects(fetch(`http://127.0.0.1:${port}/health`));
}
