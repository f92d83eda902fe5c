// The settings of the editor.
import type { NetworkSettings } from '../shared/messages.ts';
import { EDITOR_SETTING_NAMES, EXTENSION_SETTING_NAMES, PROXY_SETTING_NAMES, SCHEMA } from './schema.ts';
import type { CompleteProxySettings, ExtensionSettings, SettingName } from './schema.ts';

export type Settings = ExtensionSettings & {
  readonly proxy: CompleteProxySettings;
  readonly network: NetworkSettings;
};

/** A setting of the editor by its complete name; undefined or null if there is none. */
type ReadSetting = (name: string) => unknown;

/**
 * The settings as the user wrote them. They may be of any type: `validateSettings` comes next.
 * @param logLevel the level of the proxy's log
 */
export function readEditorSettings(readSetting: ReadSetting, logLevel: string): Settings {
  const read = (names: readonly SettingName[]): unknown =>
    Object.fromEntries(names.map((name) => [name, readSetting(`sealedProxy.${name}`) ?? SCHEMA[name].default]));
  const ofProxy = PROXY_SETTING_NAMES.filter((name) => EDITOR_SETTING_NAMES.includes(name));
  return {
    ...(read(EXTENSION_SETTING_NAMES) as ExtensionSettings),
    proxy: { ...(read(ofProxy) as CompleteProxySettings), logLevel },
    network: readNetwork(readSetting),
  };
}

/** The editor's own network settings, which the proxy process does not inherit. */
function readNetwork(readSetting: ReadSetting): NetworkSettings {
  const proxy = (readSetting('http.proxy') ?? '') as string;
  const noProxy = readSetting('http.noProxy');
  const authorization = readSetting('http.proxyAuthorization');
  return {
    ...(readSetting('http.proxySupport') === 'off' ? { httpsProxy: '' } : proxy === '' ? {} : { httpsProxy: proxy }),
    ...(Array.isArray(noProxy) && noProxy.length > 0 ? { noProxy: noProxy.join(',') } : {}),
    ...(typeof authorization === 'string' && authorization.trim() !== ''
      ? { proxyAuthorization: authorization.trim() }
      : {}),
    asksEditor: true,
    strictTls: readSetting('http.proxyStrictSSL') !== false,
    systemCertificates: readSetting('http.systemCertificates') !== false,
  };
}
