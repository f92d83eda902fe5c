// A VS Code with the packaged extension: started, asked for windows, ended. Two ways to have one, one interface.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Bridge } from './bridge.ts';
import { openPages } from './hooks.ts';
import { DesktopEditor } from './desktopEditor.ts';
import { HOST_SUITE, Profile, VSIX } from './profile.ts';
import type { SettingValues } from './profile.ts';
import { currentTestTarget } from './testTarget.ts';
import { ServerEditor } from './serverEditor.ts';
import { Workbench } from './workbench.ts';

/** A window that opens on a loaded machine. In milliseconds. */
export const OPENING = 60_000;

/** What an editor is started with. */
export interface Equipment {
  /** The package of the extension. */
  readonly vsix: string;
  /** Further variables of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the two ways have in common. */
export interface Backing {
  /** Which of the profile's settings files machine settings go to. */
  readonly settingsFile: 'Machine' | 'User';
  /** `forSuite`: its windows will run a suite. */
  start(forSuite?: boolean): Promise<void>;
  /** Installs a package; windows that are open go on with what they have. */
  install(vsix: string): void;
  /** A window with this folder; with the path of a module, that one's `run()` is called in its extension host. */
  open(folder: string, suite?: string): Promise<Page>;
  /** Ends it with all its windows, as a person would. */
  stop(): Promise<void>;
}

export class Editor {
  readonly profile: Profile;
  readonly #backing: Backing;

  private constructor(profile: Profile, backing: Backing) {
    this.profile = profile;
    this.#backing = backing;
  }

  /** With the extension installed from its package, and these settings. Started. */
  static async start(settings: SettingValues, { vsix = VSIX, env = {} }: Partial<Equipment> = {}): Promise<Editor> {
    const profile = new Profile(settings);
    const road = currentTestTarget();
    const equipment = { vsix, env };
    const backing =
      road.kind === 'server' ? new ServerEditor(road, profile, equipment) : new DesktopEditor(road, profile, equipment);
    await backing.start();
    return new Editor(profile, backing);
  }

  async open(name: string): Promise<Workbench> {
    const folder = this.#fresh(name);
    const page = await this.#watched(folder);
    return new Workbench(page, await Bridge.of(folder, OPENING));
  }

  /** A window whose extension host runs the suite in test/vscode/host. */
  async openSuite(name: string): Promise<Page> {
    return this.#watched(this.#fresh(name), HOST_SUITE);
  }

  /** Installs another package of the extension while VS Code runs. */
  install(vsix: string): void {
    this.#backing.install(vsix);
  }

  /** Ends VS Code and starts it again, with the same profile. */
  async restart(forSuite = false): Promise<void> {
    await this.#backing.stop();
    await this.#backing.start(forSuite);
  }

  /** The file that the extension's settings are in. */
  get settingsPath(): string {
    return join(this.profile.userData, this.#backing.settingsFile, 'settings.json');
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
