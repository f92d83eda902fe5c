// VS Code on the desktop, controlled in the same way as in its own smoke tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { resolveCliArgsFromVSCodeExecutablePath } from '@vscode/test-electron';
import { _electron } from 'playwright-core';
import type { ElectronApplication, Page } from 'playwright-core';
import { DEADLINE } from '../withTimeout.ts';
import type { Backing, Equipment } from './editor.ts';
import { BRIDGE } from './profile.ts';
import type { Profile } from './profile.ts';
import type { TestTarget } from './testTarget.ts';

export class DesktopEditor implements Backing {
  readonly settingsFile = 'User';
  readonly #executable: string;
  readonly #profile: Profile;
  readonly #equipment: Equipment;
  #installed = false;
  #app: ElectronApplication | undefined;

  constructor({ executable }: Extract<TestTarget, { kind: 'desktop' }>, profile: Profile, equipment: Equipment) {
    this.#executable = executable;
    this.#profile = profile;
    this.#equipment = equipment;
  }

  start(): Promise<void> {
    if (!this.#installed) this.install(this.#equipment.vsix, `${BRIDGE}.vsix`);
    this.#installed = true;
    return Promise.resolve(); // the editor starts with its first window
  }

  async open(folder: string, suite?: string): Promise<Page> {
    const tests = suite === undefined ? [] : [`--extensionDevelopmentPath=${BRIDGE}`, `--extensionTestsPath=${suite}`];
    const page = this.#app === undefined ? await this.#launch([folder, ...tests]) : await this.#another(folder);
    await page.locator('.monaco-workbench').waitFor({ timeout: DEADLINE });
    return page;
  }

  async stop(): Promise<void> {
    await this.#app?.close();
    this.#app = undefined;
  }

  async #launch(args: readonly string[]): Promise<Page> {
    const flags = ['--no-sandbox', '--disable-gpu', '--skip-welcome', '--skip-release-notes', '--disable-telemetry'];
    this.#app = await _electron.launch({
      executablePath: this.#executable,
      env: { ...(process.env as Record<string, string>), ...this.#home(), ...this.#equipment.env },
      args: [...args, ...flags, '--password-store=basic', '--use-inmemory-secretstorage=false', ...this.#folders()],
    });
    return this.#app.firstWindow();
  }

  async #another(folder: string): Promise<Page> {
    if (this.#app === undefined) throw new Error('The editor is not running');
    const opened = this.#app.waitForEvent('window');
    // A second start with the same profile passes the folder to the running editor.
    spawnSync(this.#executable, [folder, '--new-window', '--no-sandbox', ...this.#folders()], { timeout: DEADLINE });
    return opened;
  }

  install(...paths: readonly string[]): void {
    this.#manage(paths.flatMap((path) => ['--install-extension', path]));
  }

  uninstall(id: string): void {
    this.#manage(['--uninstall-extension', id]);
  }

  #manage(options: readonly string[]): void {
    const [cli, ...args] = resolveCliArgsFromVSCodeExecutablePath(this.#executable);
    if (cli === undefined) throw new Error(`There is no command line tool next to ${this.#executable}`);
    const { status, stdout, stderr } = spawnSync(cli, [...args, ...this.#folders(), '--no-sandbox', ...options], {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error(`${options.join(' ')} failed: ${stdout}${stderr}`);
  }

  /** A separate home folder, so that tests do not touch the configuration of the developer's assistants. */
  #home(): Readonly<Record<string, string>> {
    const { HOME = '', XAUTHORITY = join(HOME, '.Xauthority') } = process.env as Record<string, string>;
    const { root } = this.#profile;
    return { HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: '', XAUTHORITY };
  }

  #folders(): string[] {
    return [`--user-data-dir=${this.#profile.userData}`, `--extensions-dir=${this.#profile.extensions}`];
  }
}
