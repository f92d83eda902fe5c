// What is known about the running editor, and the values of its settings that name a model. Pure.
import { SETTINGS } from './settings.ts';

/** The vendor under which this extension offers its models. */
export const OUR_VENDOR = 'sealed-proxy';
export const COPILOT = 'copilot';
export const GITHUB = 'GitHub';
/** The vendors whose models are GitHub's. */
export const GITHUB_VENDORS: readonly string[] = [COPILOT, 'copilotcli'];

/** The recipient of prompts to our models while the backend is not attested. */
export const DEVELOPMENT_BACKEND = 'a development backend';

/** A model that the editor offers. */
export interface OfferedModel {
  readonly vendor: string;
  readonly id: string;
  /** As the model picker shows it. */
  readonly name: string;
}

export interface SettingFacts {
  /** The value that applies in this window. */
  readonly value: unknown;
  /** The value in the user's settings; undefined = not set there. */
  readonly userValue: unknown;
  /** A workspace or a language overrides the user's value. */
  readonly overridden: boolean;
}

export interface EditorFacts {
  /** Of VS Code. */
  readonly version: string;
  /** Undefined if the running editor does not have this setting. */
  readonly setting: (key: string) => SettingFacts | undefined;
  /** The settings of the editor and of GitHub Copilot whose name contains "model". */
  readonly modelSettings: readonly string[];
  /** All models that the editor offers, of all vendors. */
  readonly models: readonly OfferedModel[];
  /** Whether our models are in an attested enclave; false for a development backend, which is not verified. */
  readonly attested: boolean;
  /** The name of a vendor for users; any text. */
  readonly vendorName: (vendor: string) => string;
}

/** A setting and its value in the user's settings; undefined = not set there. */
export interface UserSetting {
  readonly key: string;
  readonly value: unknown;
}

/** The facts once these user settings are written. What overrides a setting still does. */
export function withUserSettings(facts: EditorFacts, changes: readonly UserSetting[]): EditorFacts {
  const written = new Map(changes.map(({ key, value }) => [key, value]));
  return {
    ...facts,
    setting: (key) => {
      const current = facts.setting(key);
      if (current === undefined || !written.has(key)) return current;
      const userValue = written.get(key);
      return { ...current, userValue, value: current.overridden ? current.value : userValue };
    },
  };
}

/** The only versions of VS Code whose handling of these settings was read: of others, nothing is known for certain. */
const VERIFIED_VERSIONS = ['1.139'];

export function isVerifiedVersion(version: string): boolean {
  return VERIFIED_VERSIONS.includes(/^(\d+\.\d+)\.\d+$/.exec(version)?.[1] ?? '');
}

/** Whether VS Code's AI features are turned off altogether. */
export function isAiOff({ setting }: EditorFacts): boolean {
  return setting(SETTINGS.aiOff)?.value === true;
}

/** `disabled`: the extension is not installed or not enabled. Models are offered only to a user who is signed in. */
export function copilotState({ setting, models }: EditorFacts): 'disabled' | 'signedOut' | 'signedIn' {
  if (models.some(({ vendor }) => vendor === COPILOT)) return 'signedIn';
  return setting(SETTINGS.ghostText) === undefined ? 'disabled' : 'signedOut';
}

/** The value of the settings `chat.utilityModel` and `chat.utilitySmallModel` for a model. */
export function utilityValue({ vendor, id }: OfferedModel): string {
  return `${vendor}/${id}`;
}

/** The value of the other settings that name a model. */
export function qualifiedName({ name, vendor }: OfferedModel): string {
  return `${name} (${vendor})`;
}

export type Target =
  | { readonly kind: 'none' }
  | { readonly kind: 'model'; readonly model: OfferedModel }
  /** The editor does not offer such a model, or more than one. `vendor` is undefined if the value names none. */
  | { readonly kind: 'notOffered'; readonly vendor: string | undefined };

/** The model that a setting with `vendor/id` names. */
export function utilityTarget(value: unknown, models: readonly OfferedModel[]): Target {
  if (typeof value !== 'string' || value === '') return { kind: 'none' };
  const [model, ...others] = models.filter((each) => utilityValue(each) === value);
  if (model !== undefined && others.length === 0) return { kind: 'model', model };
  const slash = value.indexOf('/');
  return { kind: 'notOffered', vendor: slash > 0 ? value.slice(0, slash) : undefined };
}

/** The model that a setting with `name (vendor)` names. A name alone is Copilot's. */
export function qualifiedTarget(value: unknown, models: readonly OfferedModel[]): Target {
  if (typeof value !== 'string' || value === '') return { kind: 'none' };
  const model = models.find(
    (each) => qualifiedName(each) === value || (each.vendor === COPILOT && each.name === value),
  );
  if (model !== undefined) return { kind: 'model', model };
  return { kind: 'notOffered', vendor: /\(([^()]+)\)$/.exec(value)?.[1] ?? COPILOT };
}
