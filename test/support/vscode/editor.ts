// A VS Code with the packaged extension: on the desktop or as a server, behind one interface.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fieldsOf, parseJson } from '../../../src/shared/json.ts';
import { Bridge } from './bridge.ts';
import { DesktopEditor } from './desktopEditor.ts';
import { openPages } from './hooks.ts';
import { HOST_SUITE, Profile, VSIX } from './profile.ts';
import type { SettingValues } from './profile.ts';
import { ServerEditor } from './serverEditor.ts';
import { currentTestTarget } from './testTarget.ts';
import { Workbench } from './workbench.ts';

/** The package and the environment of an editor. */
export interface Equipment {
  /** The package of the extension. */
  readonly vsix: string;
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the desktop and the server have in common. */
export interface Backing {
  /** The settings file of the profile that contains machine settings. */
  readonly settingsFile: 'Machine' | 'User';
  /** @param forSuite its windows will run a suite */
  start(forSuite?: boolean): Promise<void>;
  /** Installs a package. Open windows keep the version that they have. */
  install(vsix: string): void;
  /** Uninstalls an extension. The editor completes that at its next start. */
  uninstall(id: string): void;
  /** Opens a window with a folder. If `suite` is the path of a module, its `run()` is called in the extension host. */
  open(folder: string, suite?: string): Promise<Page>;
  /** Ends the editor with all its windows, as a user does. */
  stop(): Promise<void>;
}

export class Editor {
  readonly profile: Profile;
  readonly #backing: Backing;

  private constructor(profile: Profile, backing: Backing) {
    this.profile = profile;
    this.#backing = backing;
  }

  /** Starts an editor with these settings, and with the extension installed from its package. */
  static async start(settings: SettingValues, { vsix = VSIX, env = {} }: Partial<Equipment> = {}): Promise<Editor> {
    const profile = new Profile(settings);
    const target = currentTestTarget();
    const equipment = { vsix, env };
    const backing =
      target.kind === 'server'
        ? new ServerEditor(target, profile, equipment)
        : new DesktopEditor(target, profile, equipment);
    await backing.start();
    return new Editor(profile, backing);
  }

  async open(name: string): Promise<Workbench> {
    const folder = this.#fresh(name);
    const page = await this.#watched(folder);
    return new Workbench(page, await Bridge.of(folder));
  }

  /** Reloads a window, as a user does. Returns it with its new extension host. */
  async reload(window: Workbench, name: string): Promise<Workbench> {
    const folder = this.#fresh(name);
    await window.runCommand('Developer: Reload Window');
    return new Workbench(window.page, await Bridge.of(folder));
  }

  /** Opens a window whose extension host runs the suite in test/vscode/host. */
  async openSuite(name: string): Promise<Page> {
    return this.#watched(this.#fresh(name), HOST_SUITE);
  }

  /** Installs a package while VS Code runs. */
  install(vsix: string): void {
    this.#backing.install(vsix);
  }

  /** Uninstalls an extension and restarts VS Code. */
  async uninstall(id: string): Promise<void> {
    await this.#backing.stop();
    this.#backing.uninstall(id);
    await this.#backing.start();
  }

  /** Restarts VS Code with the same profile. */
  async restart(forSuite = false): Promise<void> {
    await this.#backing.stop();
    await this.#backing.start(forSuite);
  }

  /** The file with the extension's settings. */
  get settingsPath(): string {
    return join(this.profile.userData, this.#backing.settingsFile, 'settings.json');
  }

  /** What that file contains; nothing while the editor writes it. */
  settings(): Readonly<Record<string, unknown>> {
    return fieldsOf(parseJson(readFileSync(this.settingsPath)));
  }

  async stop(): Promise<void> {
    await this.#backing.stop();
    this.profile.remove();
  }

  async #watched(folder: string, suite?: string): Promise<Page> {
    const page = await this.#backing.open(folder, suite);
    openPages.add(page);
    page.once('close', () => openPages.delete(page));
    return page;
  }

  #fresh(name: string): string {
    const folder = this.profile.folder(name);
    rmSync(join(folder, 'bridge.json'), { force: true });
    return folder;
  }
}
