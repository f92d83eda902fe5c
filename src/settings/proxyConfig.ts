// Resolves the settings of a proxy to what it uses. Throws an error for the first one that cannot be used.
import type { NetworkSettings } from '../shared/messages.ts';
import { IN_QUOTES, isQuoted } from './kinds.ts';
import { isProxyUrl, mayHavePassword } from './rules.ts';
import { LIVE_SETTINGS, RESTART_SETTINGS, SCHEMA, SECRETS } from './schema.ts';
import type { Group, ProxySettings, SettingName, UsedOf } from './schema.ts';

/** A value that cannot be used. Shows the value unless it is secret, and what is allowed. */
export class ConfigError extends Error {
  readonly setting: SettingName | 'httpsProxy';
  /** The message under the name of the setting in the editor. */
  readonly editorMessage: string;

  /**
   * @param shown what the message may quote of the value; a value that may contain a password is not quoted
   * @param variable the variable that the value came from, if it is not that of the setting
   */
  constructor(setting: SettingName | 'httpsProxy', allowed: string, shown?: string, variable?: string) {
    const reason = `${shown === undefined || mayHavePassword(shown) ? '' : `=${printable(shown)}`} cannot be used: ${allowed}`;
    const usual = setting === 'httpsProxy' ? 'HTTPS_PROXY' : (SCHEMA[setting].variable ?? setting);
    super((variable ?? usual) + reason);
    this.name = 'ConfigError';
    this.setting = setting;
    const fullName = setting in SECRETS ? setting : `sealedProxy.${setting}`;
    this.editorMessage = (setting === 'httpsProxy' ? 'http.proxy' : fullName) + reason;
  }
}

/**
 * The value as the code uses it. An empty string stands for the default.
 * @throws ConfigError if its rule refuses it
 */
export function checkSetting(name: SettingName, value: unknown): unknown {
  const { default: byDefault, use } = SCHEMA[name];
  const isEmpty = value === undefined || (typeof value === 'string' && value.trim() === '');
  return use((isEmpty ? byDefault : value) as never, (allowed, shown) => {
    return new ConfigError(name, [value, shown].some(isQuoted) ? IN_QUOTES : allowed, shown);
  });
}

export type ProxyConfig = ReturnType<typeof resolveConfig>;
export type LiveConfig = ReturnType<typeof resolveLiveConfig>;

/**
 * Everything but the secrets, each setting of its type. Times are in milliseconds.
 * @throws ConfigError for the first value that cannot be used
 */
export function resolveConfig(settings: ProxySettings) {
  const { backendUrl, pcr0Environment, additionalPcr0, drainDelaySeconds, drainSeconds, ...others } = checkAll(
    RESTART_SETTINGS,
    settings,
  );
  return {
    ...others,
    backend: backendUrl,
    policy: { environment: pcr0Environment, additional: additionalPcr0 },
    drainDelay: drainDelaySeconds * 1000,
    drain: drainSeconds * 1000,
    ...resolveLiveConfig(settings),
  };
}

/**
 * The settings that may change while the proxy runs. Times are in milliseconds.
 * @throws ConfigError for the first value that cannot be used
 */
export function resolveLiveConfig(settings: ProxySettings) {
  const { requestTimeoutSeconds, streamIdleTimeoutSeconds, capacityWaitSeconds, ...others } = checkAll(
    LIVE_SETTINGS,
    settings,
  );
  return {
    ...others,
    requestTimeout: requestTimeoutSeconds * 1000,
    streamIdleTimeout: streamIdleTimeoutSeconds * 1000,
    capacityWait: capacityWaitSeconds * 1000,
  };
}

function checkAll<Settings extends Group>(group: Settings, settings: ProxySettings): UsedOf<Settings> {
  const names = Object.keys(group) as (keyof ProxySettings)[];
  return Object.fromEntries(names.map((name) => [name, checkSetting(name, settings[name])])) as UsedOf<Settings>;
}

/**
 * The URL of the HTTP proxy on the way to the backend: from the settings, or else from the environment; empty for none.
 * @throws ConfigError
 */
export function readProxyUrl(
  { httpsProxy }: NetworkSettings,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const value: unknown = httpsProxy ?? environment['https_proxy'] ?? environment['HTTPS_PROXY'] ?? '';
  if (typeof value === 'string' && (value === '' || isProxyUrl(value))) return value;
  throw new ConfigError('httpsProxy', proxyUrlRule(String(value)), typeof value === 'string' ? value : undefined);
}

/** What is allowed in place of this value. */
function proxyUrlRule(value: string): string {
  if (isQuoted(value)) return IN_QUOTES;
  return /^socks4a?:/i.test(value)
    ? 'SOCKS4 is not supported; use a SOCKS5 proxy (socks5://) or an HTTP proxy (http://)'
    : `it must be the URL of a proxy such as http://proxy.example:3128${proxyUrlHint(value)}`;
}

/** What is probably wrong with the URL of a proxy, as the end of a sentence; or empty. */
function proxyUrlHint(value: string): string {
  if (value.includes('@')) return ', without a path; in a password, write special characters with %, such as %40 for @';
  return /:\/\/[^/]*\/./.test(value) ? ', without a path' : '';
}

/** In one line, and not too long. */
function printable(value: string): string {
  const line = inOneLine(value);
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}

/** With its control characters escaped. Quotes and backslashes stay as they were written. */
export function inOneLine(value: string): string {
  return JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(/\\(["\\])/g, '$1');
}
