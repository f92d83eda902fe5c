// Each setting is checked separately. If one cannot be used, its last good value stays in use.
import type { NetworkSettings } from '../shared/messages.ts';
import type { Settings } from './editorSettings.ts';
import { ConfigError, checkSetting, readProxyUrl } from './proxyConfig.ts';
import { EXTENSION_DEFAULTS, SETTING_NAMES, findTypeMismatch } from './schema.ts';
import type { ExtensionSettings, ProxySettings } from './schema.ts';

/** All problems with the settings of a proxy or of the extension. */
export function findProblems(
  settings: ProxySettings & Partial<ExtensionSettings>,
  { httpsProxy = '' }: NetworkSettings,
): ConfigError[] {
  const checks = SETTING_NAMES.map((name) => () => {
    const { [name]: value }: Readonly<Partial<Record<typeof name, unknown>>> = settings;
    if (value === undefined) return;
    const expected = findTypeMismatch(name, value);
    if (expected !== undefined) throw new ConfigError(name, expected);
    checkSetting(name, value);
  });
  return [...checks, () => readProxyUrl({ httpsProxy }, {})].flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return [error];
      throw error;
    }
  });
}

/**
 * The settings to use, and what is wrong with the others. If the previous value was bad too, as it may be at the start,
 * the bad value stays, and the proxy does not start with it.
 * @param next as the user wrote them, of any type
 * @param previous the settings in use
 */
export function validateSettings(next: Settings, previous: Settings) {
  const { proxy, network, ...own } = next;
  const problems = findProblems({ ...own, ...proxy }, network);
  const bad = new Set<string>(problems.map(({ setting }) => setting));
  const settings: Settings = {
    ...keepPrevious(next, previous, bad),
    proxy: keepPrevious(proxy, previous.proxy, bad),
    network: keepPrevious(network, previous.network, bad),
  };
  return { settings, problems };
}

/**
 * The settings to start with. A bad setting of the extension itself becomes its default. A bad setting of the proxy
 * stays, so that the proxy does not start with a value that the user did not choose.
 */
export function startSettings(written: Settings): Settings {
  return validateSettings(written, { ...written, ...EXTENSION_DEFAULTS }).settings;
}

/** `next`, but with the fields of these names from `previous`. */
function keepPrevious<Fields extends object>(next: Fields, previous: Fields, names: ReadonlySet<string>): Fields {
  const fields = Object.entries(next).map(([name, value]: [string, unknown]) => {
    return [name, names.has(name) ? previous[name as keyof Fields] : value] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Fields;
}
