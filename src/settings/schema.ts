// Every setting, once. The environment, the editor, `--help`, package.json and the tables in docs/ are derived from it:
// after a change, run `npm run generate`.
import { asObject } from '../shared/json.ts';
import { choice, list, number, text, toggle } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { MODEL_OVERRIDE_JSON } from './modelOverrides.ts';
import type { ModelOverrides } from './modelOverrides.ts';
import {
  LOG_LEVELS,
  parseAllowedHost,
  parseAllowedOrigin,
  parseBackend,
  parseHost,
  parseTrustedPcr0,
} from './rules.ts';

interface Setting extends Omit<Kind<never, unknown>, 'isType'> {
  readonly isType: (value: unknown) => boolean;
  /** Of a secret, the text that is shown as the default. */
  readonly default: unknown;
  /** Markdown with no more than code spans. */
  readonly description: string;
  /** The variable of the command line. Without one, the proxy does not use the setting. */
  readonly variable?: string;
  /** The name in the editor, behind `sealedProxy.`. */
  readonly editorName?: string;
  /** Of a setting of the proxy: a change needs no restart. */
  readonly live?: true;
  /** Neither shown nor logged. */
  readonly secret?: true;
}

const timeout = number(
  'number',
  { exclusiveMinimum: 0, maximum: 2_000_000 }, // a timer of Node holds no more than 2^31 ms
  'it takes seconds, above 0 and at most 2000000',
  (seconds) => seconds * 1000,
);
const plain = text((value) => value);

const TABLE = {
  autoStart: {
    ...toggle,
    default: true,
    description: 'Start the proxy when the editor starts.',
    editorName: 'autoStart',
  },
  host: {
    ...text(parseHost),
    default: '127.0.0.1',
    description: 'Address to listen on. Any address other than loopback opens the proxy to the network.',
    variable: 'PROXY_HOST',
  },
  port: {
    ...number('integer', { minimum: 0, maximum: 65_535 }, 'a port is a whole number from 0 to 65535'),
    default: 14_114,
    description:
      'Port to listen on, shared by all VS Code windows. With `0`, each window runs its own proxy on any free port.',
    variable: 'PROXY_PORT',
    editorName: 'port',
  },
  backendUrl: {
    ...text(parseBackend),
    default: 'https://enclave.trymaple.ai',
    description:
      'URL of the backend. Use `https`; `http` is accepted only for a development backend on this computer, which is not verified.',
    variable: 'PROXY_BACKEND_URL',
    editorName: 'backendUrl',
  },
  pcr0Environment: {
    ...choice(['production', 'development'], 'it takes production or development'),
    default: 'production',
    description: 'Which set of enclave images to trust: `production` or `development`.',
    variable: 'PROXY_PCR0_ENVIRONMENT',
    editorName: 'pcr0Environment',
  },
  additionalPcr0: {
    ...list(parseTrustedPcr0, { pattern: '^[0-9a-fA-F]{96}$' }),
    default: [],
    description: 'Additional enclave images to trust, as PCR0 values of 96 hex digits.',
    variable: 'PROXY_ADDITIONAL_PCR0',
    editorName: 'additionalPcr0',
  },
  requestTimeoutSeconds: {
    ...timeout,
    default: 300,
    description: 'Seconds to wait for a stream to start, or for a non-streaming response to finish.',
    variable: 'PROXY_REQUEST_TIMEOUT_SECS',
    editorName: 'requestTimeoutSeconds',
    live: true,
  },
  streamIdleTimeoutSeconds: {
    ...timeout,
    default: 300,
    description: 'Seconds to wait for the next chunk of a stream. The stream itself may take any time.',
    variable: 'PROXY_STREAM_IDLE_TIMEOUT_SECS',
    editorName: 'streamIdleTimeoutSeconds',
    live: true,
  },
  checkInterval: {
    ...number('number', { minimum: 0 }, 'it takes seconds, 0 for never or at least 1', (seconds) =>
      seconds === 0 || seconds >= 1 ? seconds : undefined,
    ),
    default: 300,
    description: 'Seconds between two checks of the connection to the backend. `0` turns regular checks off.',
    editorName: 'checkInterval',
  },
  apiKey: {
    ...plain,
    default: '',
    description: 'API key for the backend, used for clients that send an access key. Needs `PROXY_ACCESS_KEYS`.',
    variable: 'PROXY_API_KEY',
    secret: true,
  },
  accessKeys: {
    ...list((item) => item),
    default: [],
    description: 'Access keys that local clients may send. Needs `PROXY_API_KEY`.',
    variable: 'PROXY_ACCESS_KEYS',
    secret: true,
  },
  cacheNamespaceRoot: {
    ...plain,
    default: '(random)',
    description: 'Base64 of 32 bytes. Keeps your prompt cache separate; set it to keep the cache across restarts.',
    variable: 'PROXY_CACHE_NAMESPACE_ROOT',
    secret: true,
  },
  allowedHosts: {
    ...list(parseAllowedHost),
    default: [],
    description: 'Additional names for this computer that clients may use in the `Host` header.',
    variable: 'PROXY_ALLOWED_HOSTS',
    live: true,
  },
  allowedOrigins: {
    ...list(parseAllowedOrigin),
    default: ['vscode-webview://*', 'vscode-file://*'],
    description: 'Web origins that may call the proxy, such as `https://app.example`.',
    variable: 'PROXY_ALLOWED_ORIGINS',
    editorName: 'allowedOrigins',
    live: true,
  },
  logLevel: {
    ...choice(LOG_LEVELS, `it takes ${LOG_LEVELS.join(', ')}`),
    default: 'info',
    description: 'Detail of the log: `error`, `warn`, `info`, `debug` or `trace`.',
    variable: 'PROXY_LOG_LEVEL',
    live: true,
  },
  modelOverrides: {
    json: { type: 'object', additionalProperties: MODEL_OVERRIDE_JSON },
    expects: 'it takes an object',
    isType: (value: unknown): value is ModelOverrides => value !== undefined, // each field is checked where it is used
    use: (value: ModelOverrides) => value,
    default: {},
    description:
      'Capabilities of chat models that the backend does not report, by model ID: `contextWindow` and `maxOutputTokens` in tokens, `tools` and `images`.',
    editorName: 'modelOverrides',
  },
  terminal: {
    ...toggle,
    default: false,
    description:
      'Set `OPENAI_BASE_URL`, `OPENAI_API_BASE` and `OPENAI_API_KEY` (an access key named Terminal) in new terminals.',
    editorName: 'terminal.enabled',
  },
  compactStatusBar: {
    ...toggle,
    default: false,
    description: 'Show only the icon of Sealed Proxy in the status bar, without its name.',
    editorName: 'statusBar.compact',
  },
  baseUrl: {
    ...plain,
    default: '',
    description:
      'Base URL of the running proxy. Sealed Proxy writes it for other extensions to read; do not change it.',
    editorName: 'baseUrl',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof TABLE;

export const SCHEMA: Readonly<Record<SettingName, Setting>> = TABLE;

type NamesWith<Fields> = {
  [Name in SettingName]: (typeof TABLE)[Name] extends Fields ? Name : never;
}[SettingName];
type ValueOf<Name extends SettingName> = Parameters<(typeof TABLE)[Name]['use']>[0];

/** What the code uses in place of the value. */
export type UsedOf<Name extends SettingName> = ReturnType<(typeof TABLE)[Name]['use']>;
export type Variable = Extract<(typeof TABLE)[SettingName], { variable: string }>['variable'];
export type ProxySettingName = Exclude<NamesWith<{ variable: string }>, NamesWith<{ secret: true }>>;
export type LiveSettingName = NamesWith<{ live: true }>;
/** The settings of the extension itself; `baseUrl` is written, never read. */
export type ExtensionSettingName = Exclude<NamesWith<{ editorName: string }>, ProxySettingName | 'baseUrl'>;

/** The settings that a proxy takes. The default replaces one that is left out. */
export type ProxySettings = { readonly [Name in ProxySettingName]?: ValueOf<Name> };
/** The settings that an editor window gives to its proxy: those in the editor, and the level of its log channel. */
export type CompleteProxySettings = Required<
  Pick<ProxySettings, (ProxySettingName & NamesWith<{ editorName: string }>) | 'logLevel'>
>;
export type ExtensionSettings = { readonly [Name in ExtensionSettingName]: ValueOf<Name> };

export const SETTING_NAMES = Object.keys(TABLE) as SettingName[];
export const PROXY_SETTING_NAMES = SETTING_NAMES.filter(isProxySetting);
export const LIVE_SETTING_NAMES = PROXY_SETTING_NAMES.filter(isLiveSetting);
export const EXTENSION_SETTING_NAMES = SETTING_NAMES.filter(
  (name): name is ExtensionSettingName =>
    SCHEMA[name].editorName !== undefined && !isProxySetting(name) && name !== 'baseUrl',
);
export const EXTENSION_DEFAULTS = Object.fromEntries(
  EXTENSION_SETTING_NAMES.map((name) => [name, SCHEMA[name].default]),
) as ExtensionSettings;

function isProxySetting(name: string): name is ProxySettingName {
  if (!Object.hasOwn(SCHEMA, name)) return false;
  const { variable, secret = false } = SCHEMA[name as SettingName];
  return variable !== undefined && !secret;
}

/** True for a setting that the proxy takes while it runs. */
export function isLiveSetting(name: string): name is LiveSettingName {
  return isProxySetting(name) && SCHEMA[name].live === true;
}

/** True for settings of a proxy, each absent or of its type. Their values may still be unusable. */
export function isProxySettings(value: unknown): value is ProxySettings {
  const settings = asObject(value);
  return (
    settings !== undefined &&
    Object.entries(settings).every(
      ([name, field]) => isProxySetting(name) && (field === undefined || SCHEMA[name].isType(field)),
    )
  );
}
