// The temporary folders of one VS Code: settings, extensions, data and the folders that its windows open.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPLICATION_SETTING_NAMES } from '../../../src/settings/schema.ts';
import { fromRoot } from '../e2e/process.ts';

export type SettingValues = Readonly<Record<string, unknown>>;

export const VSIX = fromRoot('.cache/vscode/sealed-proxy.vsix');
/** The same, but it trusts the certificates in the file that TRUSTED_ROOTS names instead of AWS. */
export const TRUSTING_VSIX = fromRoot('.cache/vscode/trusting.vsix');
/** The same, with the next version number. */
export const NEXT_VSIX = fromRoot('.cache/vscode/next.vsix');
export const NEXT_MANIFEST = fromRoot('.cache/vscode/next/package.json');
/** An extension with the settings of llama.vscode. */
export const LLAMA_VSIX = fromRoot('.cache/vscode/llama.vsix');
/** An extension with models of another vendor, which have the names of ours. */
export const OTHER_VENDOR_VSIX = fromRoot('.cache/vscode/otherVendor.vsix');
/** Extensions with the IDs of AI extensions, and nothing else. */
export const STAND_IN_VSIXES: readonly string[] = (
  JSON.parse(readFileSync(fromRoot('test/vscode/standIns/extensions.json'), 'utf8')) as Record<
    'publisher' | 'name',
    string
  >[]
).map(({ publisher, name }) => fromRoot(`.cache/vscode/standIns/${publisher}.${name}.vsix`));
export const BRIDGE = fromRoot('.cache/vscode/bridge');
export const HOST_SUITE = fromRoot('.cache/vscode/host/index.cjs');

/** Switches off everything in VS Code that asks, updates or greets. */
const CALM: SettingValues = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'chat.disableAIFeatures': true,
  // The other tests on this computer have many ports, about which a notification above the chat's input would tell.
  'remote.autoForwardPortsFallback': 0,
};

export class Profile {
  readonly root = mkdtempSync(join(tmpdir(), 'sealed-proxy-vscode-'));
  readonly extensions = join(this.root, 'extensions');
  readonly userData = join(this.root, 'user-data');
  readonly serverData = join(this.root, 'server-data');
  readonly browser = join(this.root, 'browser');

  constructor(settings: SettingValues) {
    for (const path of [this.extensions, this.serverData]) mkdirSync(path, { recursive: true });
    // Machine: what the editor's server reads, without the settings that only a user has; User: what the desktop reads.
    const all = Object.entries({ ...CALM, ...settings });
    const ofMachine = all.filter(([name]) => !APPLICATION_SETTING_NAMES.some((own) => name === `sealedProxy.${own}`));
    for (const [part, entries] of [
      ['Machine', ofMachine],
      ['User', all],
    ] as const) {
      mkdirSync(join(this.userData, part), { recursive: true });
      const text = JSON.stringify(Object.fromEntries(entries), null, 2);
      writeFileSync(join(this.userData, part, 'settings.json'), text);
    }
  }

  /** The folder for a window of this name. */
  folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** All files that VS Code has written, without the extensions themselves. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(this.extensions))
      .map((entry) => join(entry.parentPath, entry.name));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
