// From the settings of a proxy to what it uses, with an error for the first one that cannot be used.
import type { NetworkSettings } from '../shared/messages.ts';
import { parseProxyUrl } from './rules.ts';
import { LIVE_SETTING_NAMES, PROXY_SETTING_NAMES, SCHEMA } from './schema.ts';
import type { LiveSettingName, ProxySettingName, ProxySettings, SettingName, UsedOf } from './schema.ts';

/** Numbers as they were written, for messages. */
export type WrittenNumbers = Readonly<Partial<Record<SettingName, string>>>;

/** A value that cannot be used. Shows the value unless it is secret, and what is allowed. */
export class ConfigError extends Error {
  readonly setting: SettingName | 'httpsProxy';
  readonly variable: string;
  /** The message under the name of the setting in the editor. */
  readonly editorMessage: string;

  /** @param shown what the message may quote of the value */
  constructor(setting: SettingName | 'httpsProxy', allowed: string, shown?: string) {
    const { variable = setting } = setting === 'httpsProxy' ? { variable: 'HTTPS_PROXY' } : SCHEMA[setting];
    const reason = `${shown === undefined ? '' : `=${printable(shown)}`} cannot be used: ${allowed}`;
    super(variable + reason);
    this.name = 'ConfigError';
    this.setting = setting;
    this.variable = variable;
    this.editorMessage = editorNameOf(setting) + reason;
  }
}

/** The name in the editor, without `sealedProxy.`; of a setting that is not in the editor, the name in the schema. */
export function editorNameOf(setting: SettingName | 'httpsProxy'): string {
  return setting === 'httpsProxy' ? 'http.proxy' : (SCHEMA[setting].editorName ?? setting);
}

/**
 * The value as the code uses it. An empty string stands for the default.
 * @param written a number as it was written
 * @throws ConfigError if its rule refuses it
 */
export function checkSetting(name: SettingName, value: unknown, written?: string): unknown {
  const { default: byDefault, use } = SCHEMA[name];
  const isEmpty = value === undefined || (typeof value === 'string' && value.trim() === '');
  return use((isEmpty ? byDefault : value) as never, (allowed, shown) => {
    return new ConfigError(name, allowed, typeof value === 'number' ? (written ?? shown) : shown);
  });
}

export type ProxyConfig = ReturnType<typeof resolveConfig>;
export type LiveConfig = ReturnType<typeof resolveLiveConfig>;

/**
 * Everything but the secrets, each setting of its type.
 * @throws ConfigError for the first value that cannot be used
 */
export function resolveConfig(settings: ProxySettings, written: WrittenNumbers = {}) {
  const {
    backendUrl: backend,
    pcr0Environment: environment,
    additionalPcr0: additional,
    ...others
  } = checkAll(PROXY_SETTING_NAMES, settings, written);
  return { ...withTimeouts(others), backend, policy: { environment, additional } };
}

/**
 * The settings that may change while the proxy runs.
 * @throws ConfigError for the first value that cannot be used
 */
export function resolveLiveConfig(settings: ProxySettings) {
  return withTimeouts(checkAll(LIVE_SETTING_NAMES, settings, {}));
}

/** The timeouts are in milliseconds. */
function withTimeouts<Others extends Used<'requestTimeoutSeconds' | 'streamIdleTimeoutSeconds'>>(checked: Others) {
  const { requestTimeoutSeconds: requestTimeout, streamIdleTimeoutSeconds: streamIdleTimeout, ...others } = checked;
  return { ...others, requestTimeout, streamIdleTimeout };
}

type Used<Name extends SettingName> = { readonly [Each in Name]: UsedOf<Each> };

function checkAll<Name extends ProxySettingName | LiveSettingName>(
  names: readonly Name[],
  settings: ProxySettings,
  written: WrittenNumbers,
): Used<Name> {
  const checked = names.map((name) => [name, checkSetting(name, settings[name], written[name])]);
  return Object.fromEntries(checked) as Used<Name>;
}

/**
 * The URL of the HTTP proxy on the way to the backend: from the settings, or else from the environment; empty for none.
 * @throws ConfigError
 */
export function readProxyUrl(
  { httpsProxy }: NetworkSettings,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const value = httpsProxy ?? environment['https_proxy'] ?? environment['HTTPS_PROXY'] ?? '';
  return parseProxyUrl(value, (allowed, shown) => new ConfigError('httpsProxy', allowed, shown));
}

/** In one line, and not too long. */
function printable(value: string): string {
  const escaped = JSON.stringify(value).slice(1, -1);
  return escaped.length > 200 ? `${escaped.slice(0, 200)}...` : escaped;
}
