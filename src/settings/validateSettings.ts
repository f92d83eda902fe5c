// Each setting that cannot be used is refused by itself, and its last good value stays in use.
import type { NetworkSettings } from '../shared/messages.ts';
import { extensionProblems, problemsOf } from './editorSettings.ts';
import type { Problem, Settings } from './editorSettings.ts';
import { editorNameOf } from './proxyConfig.ts';
import { EXTENSION_DEFAULTS } from './schema.ts';

/** A setting that is not used: its complete name in the editor, and why. */
export interface Refusal {
  readonly setting: string;
  readonly message: string;
}

export interface ValidatedSettings {
  readonly settings: Settings;
  readonly refusals: readonly Refusal[];
}

/**
 * The settings to use. Where the value before was bad as well, as at a start, the bad one stays, and the proxy does not
 * start with it.
 * @param next as the user wrote them, of any type
 * @param before the last good ones
 */
export function validateSettings(next: Settings, before: Settings): ValidatedSettings {
  const problems = [...extensionProblems(next), ...problemsOf(next.proxy, next.network)];
  const settings = problems.reduce((kept, { setting }) => keepBefore(kept, before, setting), next);
  return { settings, refusals: problems.map(refusalOf) };
}

/**
 * The settings to start with. A bad setting of the extension itself becomes its default. A bad setting of the proxy
 * stays, so that the proxy does not start with a value that the user did not choose.
 */
export function startSettings(written: Settings): Settings {
  return validateSettings(written, { ...written, ...EXTENSION_DEFAULTS }).settings;
}

/** The same problem under the complete name of the setting. */
export function refusalOf({ setting, message }: Problem): Refusal {
  const name = editorNameOf(setting);
  return { setting: setting === 'httpsProxy' ? name : `sealedProxy.${name}`, message };
}

function keepBefore(settings: Settings, before: Settings, name: Problem['setting']): Settings {
  if (name === 'httpsProxy') return { ...settings, network: withProxyOf(settings.network, before.network) };
  const isOfProxy = name in settings.proxy;
  const { [name]: value }: Readonly<Partial<Record<typeof name, unknown>>> = isOfProxy ? before.proxy : before;
  return isOfProxy ? { ...settings, proxy: { ...settings.proxy, [name]: value } } : { ...settings, [name]: value };
}

function withProxyOf(network: NetworkSettings, { httpsProxy }: NetworkSettings): NetworkSettings {
  const others: NetworkSettings = Object.fromEntries(Object.entries(network).filter(([name]) => name !== 'httpsProxy'));
  return httpsProxy === undefined ? others : { ...others, httpsProxy };
}
