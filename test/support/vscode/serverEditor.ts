// VS Code's own server in a headless browser.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chromium } from 'playwright-core';
import type { BrowserContext, Page } from 'playwright-core';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { RunningProcess, environment } from '../e2e/process.ts';
import { DEADLINE } from '../withTimeout.ts';
import type { Backing, Equipment } from './editor.ts';
import { BRIDGE } from './profile.ts';
import type { Profile } from './profile.ts';
import type { TestTarget } from './testTarget.ts';

export const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export class ServerEditor implements Backing {
  readonly settingsFile = 'Machine';
  readonly #target: Extract<TestTarget, { kind: 'server' }>;
  readonly #profile: Profile;
  readonly #equipment: Equipment;
  /** The browser encrypts its stored secrets with this key. */
  readonly #mintedKey = randomBytes(32);
  #installed = false;
  /** The same after a restart, because the browser stores secrets by origin. */
  #port = 0;
  #server: RunningProcess | undefined;
  #browser: BrowserContext | undefined;

  constructor(target: Extract<TestTarget, { kind: 'server' }>, profile: Profile, equipment: Equipment) {
    this.#target = target;
    this.#profile = profile;
    this.#equipment = equipment;
  }

  async start(forSuite = false): Promise<void> {
    if (!this.#installed) this.install(this.#equipment.vsix, `${BRIDGE}.vsix`);
    this.#installed = true;
    if (this.#port === 0) this.#port = await freePort();
    const { userData, browser } = this.#profile;
    const args = [
      this.#target.server,
      ...['--host', '127.0.0.1', '--port', String(this.#port), '--without-connection-token'],
      ...['--accept-server-license-terms', '--telemetry-level', 'off'],
      // Allows a window to run a suite; hides notifications.
      ...(forSuite ? ['--enable-smoke-test-driver'] : []),
      ...['--user-data-dir', userData, ...this.#folders()],
    ];
    const server = new RunningProcess(
      spawn(process.execPath, args, { env: this.#environment(), stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    this.#server = server;
    await server.stdout.find("VS Code's server", (line) => line.includes('Extension host agent'), 0);
    this.#browser = await chromium.launchPersistentContext(browser, {
      executablePath: this.#target.browser,
      headless: true,
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
      args: BROWSER_ARGS,
    });
    // As code-server's own front end does. Without it, secrets are kept only in memory.
    await this.#browser.route('**/mint-key', (route) => route.fulfill({ body: this.#mintedKey }));
  }

  async open(folder: string, suite?: string): Promise<Page> {
    if (this.#browser === undefined) throw new Error('The editor is not running');
    const page = await this.#browser.newPage();
    const url = new URL(`http://127.0.0.1:${this.#port}/`);
    url.searchParams.set('folder', folder);
    const remote = (path: string) => `vscode-remote://remote${path}`;
    const development = ['extensionDevelopmentPath', remote(BRIDGE)];
    const payload = [development, ...(suite === undefined ? [] : [['extensionTestsPath', remote(suite)]])];
    if (suite !== undefined) url.searchParams.set('payload', JSON.stringify(payload));
    await page.goto(url.href, { timeout: DEADLINE });
    await page.locator('.monaco-workbench').waitFor({ timeout: DEADLINE });
    return page;
  }

  async stop(): Promise<void> {
    for (const page of this.#browser?.pages() ?? []) await page.close({ runBeforeUnload: false });
    await this.#browser?.close();
    this.#server?.child.kill('SIGTERM');
    await this.#server?.exit();
  }

  install(...packages: readonly string[]): void {
    this.#manage(packages.flatMap((path) => ['--install-extension', path]));
  }

  uninstall(id: string): void {
    this.#manage(['--uninstall-extension', id]);
  }

  #manage(options: readonly string[]): void {
    const args = [this.#target.server, '--accept-server-license-terms', ...this.#folders(), ...options];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env: this.#environment(),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${options.join(' ')} failed: ${stdout}${stderr}`);
  }

  #folders(): string[] {
    const { extensions, serverData } = this.#profile;
    return ['--server-data-dir', serverData, '--extensions-dir', extensions];
  }

  #environment(): Record<string, string> {
    return environment({ HOME: this.#profile.root, LANG: 'C.UTF-8', ...this.#equipment.env });
  }
}
