// What is done with settings that cannot be used: each is refused by itself, and its last good value stays. Pure.
import { problemsOf } from './editorSettings.ts';
import type { NetworkSettings } from '../shared/messages.ts';
import type { ModelOverrides } from '../chat/models.ts';
import type { CompleteSettings } from '../supervisor/supervisorHost.ts';

export interface Settings {
  readonly autoStart: boolean;
  /** Seconds between two checks of the backend, 0 = never by itself. */
  readonly checkInterval: number;
  readonly terminal: boolean;
  /** What a person says of models; each value is judged where it is used. */
  readonly modelOverrides: ModelOverrides;
  readonly proxy: CompleteSettings;
  readonly network: NetworkSettings;
}

/** A setting that is not used: the name under which a person finds it, and why. */
export interface Refusal {
  readonly setting: string;
  readonly message: string;
}

export interface ValidatedSettings {
  readonly settings: Settings;
  readonly refusals: readonly Refusal[];
}

const SWITCH = 'it takes true or false.';
const SECONDS = 'it takes seconds, 0 for never or at least 1.';

/**
 * The settings to go by. A bad one whose value before was bad as well, as at a start, is left: then the proxy does not
 * start.
 * @param next as they were written, of whatever type
 * @param before the last good ones
 */
export function validateSettings(next: Settings, before: Settings): ValidatedSettings {
  const refusals: Refusal[] = [];
  const own = { autoStart: next.autoStart, checkInterval: next.checkInterval, terminal: next.terminal };
  const keep = (name: 'autoStart' | 'checkInterval' | 'terminal', setting: string, why: string) => {
    Object.assign(own, { [name]: before[name] });
    refusals.push({
      setting: `sealedProxy.${setting}`,
      message: `${JSON.stringify(next[name])} cannot be used: ${why}`,
    });
  };
  if (typeof own.autoStart !== 'boolean') keep('autoStart', 'autoStart', SWITCH);
  if (typeof own.terminal !== 'boolean') keep('terminal', 'terminal.enabled', SWITCH);
  if (!isInterval(own.checkInterval)) keep('checkInterval', 'checkInterval', SECONDS);

  let { proxy, network } = next;
  for (const problem of problemsOf(next.proxy, next.network)) {
    const { setting } = problem;
    refusals.push(refusalOf(problem));
    if (setting === 'httpsProxy') {
      network = withProxyOf(next.network, before.network);
    } else {
      proxy = { ...proxy, [setting]: before.proxy[setting as keyof CompleteSettings] };
    }
  }
  return { settings: { ...next, ...own, proxy, network }, refusals };
}

/**
 * The settings to start with: of those that are the extension's own, the bad ones are left for what they are by default.
 * What the proxy would refuse stays, so that it does not start with something that nobody wanted.
 */
export function startSettings(written: Settings): Settings {
  return validateSettings(written, { ...written, autoStart: true, checkInterval: 300, terminal: false }).settings;
}

/** Under the name that a person knows. */
export function refusalOf({ setting, message }: Refusal): Refusal {
  if (setting !== 'httpsProxy') return { setting: `sealedProxy.${setting}`, message };
  return { setting: 'http.proxy', message: message.replace('httpsProxy', 'http.proxy') };
}

function withProxyOf(network: NetworkSettings, { httpsProxy }: NetworkSettings): NetworkSettings {
  const rest: { -readonly [Key in keyof NetworkSettings]: NetworkSettings[Key] } = { ...network };
  delete rest.httpsProxy;
  return httpsProxy === undefined ? rest : { ...rest, httpsProxy };
}

function isInterval(value: unknown): boolean {
  return typeof value === 'number' && (value === 0 || value >= 1);
}
