// The settings of the editor.
import type { NetworkSettings } from '../shared/messages.ts';
import { ConfigError, checkSetting, editorNameOf, readProxyUrl } from './proxyConfig.ts';
import { EXTENSION_SETTING_NAMES, PROXY_SETTING_NAMES, SCHEMA, SETTING_NAMES } from './schema.ts';
import type { CompleteProxySettings, ExtensionSettings, ProxySettings, SettingName } from './schema.ts';

export type Settings = ExtensionSettings & {
  readonly proxy: CompleteProxySettings;
  readonly network: NetworkSettings;
};

/** A setting of an editor's section, by its name in that section; undefined or null if there is none. */
type ReadSetting = (name: string) => unknown;

/**
 * The settings as the user wrote them. They may be of any type: `validateSettings` comes next.
 * @param own reads from the section `sealedProxy`
 * @param http reads from the section `http`
 * @param logLevel how detailed the log of the proxy is to be
 */
export function readEditorSettings(own: ReadSetting, http: ReadSetting, logLevel: string): Settings {
  const read = (name: SettingName) => [name, own(editorNameOf(name)) ?? SCHEMA[name].default];
  const ofProxy = PROXY_SETTING_NAMES.filter((name) => SCHEMA[name].editorName !== undefined).map(read);
  return {
    ...(Object.fromEntries(EXTENSION_SETTING_NAMES.map(read)) as ExtensionSettings),
    proxy: { ...(Object.fromEntries(ofProxy) as CompleteProxySettings), logLevel },
    network: readNetwork(http),
  };
}

/** How the editor itself reaches the network: the process of the proxy does not inherit it. */
function readNetwork(http: ReadSetting): NetworkSettings {
  const proxy = (http('proxy') ?? '') as string;
  const noProxy = http('noProxy');
  return {
    ...(http('proxySupport') === 'off' ? { httpsProxy: '' } : proxy === '' ? {} : { httpsProxy: proxy }),
    ...(Array.isArray(noProxy) && noProxy.length > 0 ? { noProxy: noProxy.join(',') } : {}),
    strictTls: http('proxyStrictSSL') !== false,
    systemCertificates: http('systemCertificates') !== false,
  };
}

/** A setting that cannot be used, and why. The message names it as the editor does, without `sealedProxy.`. */
export interface Problem {
  readonly setting: SettingName | 'httpsProxy';
  readonly message: string;
}

/** Everything that is wrong with the settings of a proxy, each by itself. */
export function problemsOf(settings: ProxySettings, network: NetworkSettings): Problem[] {
  const httpsProxy: unknown = network.httpsProxy ?? '';
  const ofProxyUrl = problemIn('httpsProxy', () => {
    if (typeof httpsProxy !== 'string') throw new ConfigError('httpsProxy', 'it takes a string');
    readProxyUrl({ httpsProxy }, {});
  });
  return [...findProblems(settings), ...ofProxyUrl];
}

/** The same for the settings of the extension itself. */
export function extensionProblems(settings: ExtensionSettings): Problem[] {
  return findProblems(Object.fromEntries(EXTENSION_SETTING_NAMES.map((name) => [name, settings[name]])));
}

function findProblems(settings: Readonly<Partial<Record<SettingName, unknown>>>): Problem[] {
  return SETTING_NAMES.filter((name) => settings[name] !== undefined).flatMap((name) =>
    problemIn(name, () => {
      const { isType, expects } = SCHEMA[name];
      if (!isType(settings[name])) throw new ConfigError(name, expects);
      checkSetting(name, settings[name]);
    }),
  );
}

function problemIn(setting: Problem['setting'], check: () => void): Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ setting, message: error.editorMessage }];
  }
}
