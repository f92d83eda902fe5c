// Every setting, once. The environment, the editor, `--help`, package.json and the tables in docs/ are derived from it:
// after a change, run `npm run generate`.
import { asObject } from '../shared/json.ts';
import { TYPES, choice, list, number, text, toggle } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { MODEL_OVERRIDE_JSON } from './modelOverrides.ts';
import type { ModelOverrides } from './modelOverrides.ts';
import {
  LOG_LEVELS,
  parseAllowedHost,
  parseAllowedOrigin,
  parseBackend,
  parseFilePath,
  parseHost,
  parseModelId,
  parseTrustedPcr0,
} from './rules.ts';

/** The groups of the editor's settings, in their order. */
export const SETTING_GROUPS = ['Connection', 'Models', 'Privacy', 'Advanced'] as const;

interface Setting extends Kind<never, unknown> {
  /** For a secret, the text that is shown as its default. */
  readonly default: unknown;
  /** Markdown, but only code spans. */
  readonly description: string;
  /** Of a setting of the editor: under which heading it is shown, after the others of its group. */
  readonly group?: (typeof SETTING_GROUPS)[number];
  /** The environment variable of the command line. A setting without one is not used by the proxy. */
  readonly variable?: string;
  /**
   * `application`: only the user's own settings count, also in remote windows, because a repository can fill the
   * settings of a container. For settings that decide where prompts and keys go, what to trust, or what to record.
   * Default: `machine`.
   */
  readonly scope?: 'application';
}

export type Group = Readonly<Record<string, Setting>>;

const timeout = number(
  { type: 'number', exclusiveMinimum: 0, maximum: 2_000_000 }, // a timer of Node holds no more than 2^31 ms
  'it must be a number of seconds above 0 and at most 2000000',
);
/** At most an hour. */
const pause = number({ type: 'number', minimum: 0, maximum: 3600 }, 'it must be a number of seconds from 0 to 3600');
const plain = text((value) => value);
const port = number({ type: 'integer', minimum: 0, maximum: 65_535 }, 'a port is a whole number from 0 to 65535');

/** Settings of the proxy. A change restarts it. */
export const RESTART_SETTINGS = {
  host: {
    ...text(parseHost),
    default: '127.0.0.1',
    description: 'Address to listen on. Any address other than loopback opens the proxy to the network.',
    variable: 'PROXY_HOST',
  },
  port: {
    group: 'Connection',
    ...port,
    default: 14_114,
    description:
      'Port to listen on, shared by all VS Code windows. With `0`, each window runs its own proxy on any free port.',
    variable: 'PROXY_PORT',
  },
  tlsCertificateFile: {
    ...text(parseFilePath),
    default: '',
    description:
      'Path of a file with the certificate of the listener (PEM), followed by those of its issuers. Needs `PROXY_TLS_KEY_FILE`. If empty, clients use `http`.',
    variable: 'PROXY_TLS_CERT_FILE',
  },
  tlsKeyFile: {
    ...text(parseFilePath),
    default: '',
    description: 'Path of a file with the private key of that certificate (PEM, not encrypted).',
    variable: 'PROXY_TLS_KEY_FILE',
  },
  backendUrl: {
    group: 'Connection',
    ...text(parseBackend),
    default: 'https://enclave.trymaple.ai',
    description:
      'URL of the backend. Use `https`; `http` is accepted only for a development backend on this computer, which is not verified.',
    variable: 'PROXY_BACKEND_URL',
    scope: 'application',
  },
  pcr0Environment: {
    group: 'Privacy',
    ...choice(['production', 'development'], 'it must be production or development'),
    default: 'production',
    description: 'Which set of enclave images to trust: `production` or `development`.',
    variable: 'PROXY_PCR0_ENVIRONMENT',
    scope: 'application',
  },
  additionalPcr0: {
    group: 'Privacy',
    ...list(parseTrustedPcr0, { pattern: '^[0-9a-fA-F]{96}$' }),
    default: [],
    description: 'Extra enclave images to trust, by their PCR0: 96 hex digits each.',
    variable: 'PROXY_ADDITIONAL_PCR0',
    scope: 'application',
  },
  accessKeysOnly: {
    ...toggle,
    default: false,
    description: 'With `true`, clients may send only an access key, and no API key of their own.',
    variable: 'PROXY_ACCESS_KEYS_ONLY',
  },
  checkApiKey: {
    ...toggle,
    default: true,
    description:
      'Whether the proxy asks the backend for its models at the start, to warn you if the backend refuses the API key.',
    variable: 'PROXY_CHECK_API_KEY',
  },
  drainDelaySeconds: {
    ...pause,
    default: 0,
    description:
      'Seconds from the signal to stop until the proxy stops listening. Meanwhile it serves, but is not ready, so that balancers stop using it.',
    variable: 'PROXY_DRAIN_DELAY_SECS',
  },
  drainSeconds: {
    ...pause,
    default: 30,
    description: 'Seconds that running requests may then take to finish before they are cut off.',
    variable: 'PROXY_DRAIN_SECS',
  },
  metricsPort: {
    ...text((value, refuse) => (value === '' ? null : port.use(value as never, refuse))),
    default: '',
    description:
      'Port for metrics, at the same address; `0` for any free one. If empty, there are none. Whoever reaches it needs no key.',
    variable: 'PROXY_METRICS_PORT',
  },
} as const satisfies Group;

/** Settings of the proxy that it can change while it runs. */
export const LIVE_SETTINGS = {
  requestTimeoutSeconds: {
    group: 'Connection',
    ...timeout,
    default: 300,
    description: 'Seconds to wait for a stream to start, or for a non-streaming response to finish.',
    variable: 'PROXY_REQUEST_TIMEOUT_SECS',
  },
  streamIdleTimeoutSeconds: {
    group: 'Connection',
    ...timeout,
    default: 300,
    description: 'Seconds to wait for the next chunk of a stream. The stream itself may take any time.',
    variable: 'PROXY_STREAM_IDLE_TIMEOUT_SECS',
  },
  capacityWaitSeconds: {
    group: 'Connection',
    ...number(
      { type: 'number', minimum: 0, maximum: 3600 },
      'it must be a number of seconds from 0 to 3600; 0 turns waiting off',
    ),
    default: 0,
    description:
      'Seconds that a Messages or Responses request (Claude Code, Codex) may wait in total when the backend has no capacity (status 429 or 503). `0` turns waiting off.',
    variable: 'PROXY_CAPACITY_WAIT_SECS',
  },
  messagesModel: {
    group: 'Models',
    ...text(parseModelId),
    default: '',
    description:
      'Model for Messages requests (Claude Code) that name a model that the backend does not offer. If empty, they get an error.',
    variable: 'PROXY_MESSAGES_MODEL',
  },
  responsesModel: {
    group: 'Models',
    ...text(parseModelId),
    default: '',
    description:
      'Model for Responses requests (Codex) that name a model that the backend does not offer. If empty, they get an error.',
    variable: 'PROXY_RESPONSES_MODEL',
  },
  allowedHosts: {
    ...list(parseAllowedHost),
    default: [],
    description:
      'Additional names for this computer that clients may use in the `Host` header; `*.apps.example` allows all names below it.',
    variable: 'PROXY_ALLOWED_HOSTS',
  },
  allowedOrigins: {
    group: 'Advanced',
    ...list(parseAllowedOrigin),
    default: ['vscode-webview://*', 'vscode-file://*'],
    description: 'Web origins that may call the proxy, such as `https://app.example`.',
    variable: 'PROXY_ALLOWED_ORIGINS',
    scope: 'application',
  },
  logLevel: {
    ...choice(LOG_LEVELS, `it must be one of ${LOG_LEVELS.join(', ')}`),
    default: 'info',
    description: 'Detail of the log: `error`, `warn`, `info`, `debug` or `trace`.',
    variable: 'PROXY_LOG_LEVEL',
  },
} as const satisfies Group;

/** Settings of the proxy that are neither shown nor logged. The editor keeps them in its secret storage. */
export const SECRETS = {
  apiKey: {
    ...plain,
    default: '',
    description: 'API key for the backend, used for clients that send an access key. Needs `PROXY_ACCESS_KEYS`.',
    variable: 'PROXY_API_KEY',
  },
  accessKeys: {
    ...list((item) => item),
    default: [],
    description: 'Access keys that clients may send, each as `NAME=ACCESS_KEY` or alone. Needs `PROXY_API_KEY`.',
    variable: 'PROXY_ACCESS_KEYS',
  },
  cacheNamespaceRoot: {
    ...plain,
    default: '(random)',
    description: 'Base64 of 32 bytes. Keeps your prompt cache separate; set it to keep the cache across restarts.',
    variable: 'PROXY_CACHE_NAMESPACE_ROOT',
  },
} as const satisfies Group;

/** Settings of the extension itself. */
const EXTENSION_SETTINGS = {
  autoStart: {
    group: 'Connection',
    ...toggle,
    default: true,
    description: 'Start the proxy when the editor starts.',
  },
  checkInterval: {
    group: 'Connection',
    ...number(
      { type: 'number', minimum: 0 },
      'it must be a number of seconds: 0 for never, or at least 1',
      (seconds) => seconds === 0 || seconds >= 1,
    ),
    default: 300,
    description: 'Seconds between two checks of the connection to the backend. `0` turns regular checks off.',
  },
  confirmNewImages: {
    group: 'Privacy',
    ...toggle,
    default: false,
    description:
      'Ask before the first prompt goes to a new enclave image. Requests wait for the answer, and fail after a minute without one.',
    scope: 'application',
  },
  modelOverrides: {
    group: 'Models',
    json: { type: 'object', additionalProperties: MODEL_OVERRIDE_JSON },
    use: (value: ModelOverrides) => value,
    default: {},
    description:
      'Capabilities of chat models that the backend does not report, by model ID: `contextWindow` and `maxOutputTokens` in tokens, `tools` and `images`. And, for models that reason, `reasoningEffort` in the chat: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`.',
  },
  'terminal.enabled': {
    group: 'Privacy',
    ...toggle,
    default: false,
    description:
      'Set `OPENAI_BASE_URL`, `OPENAI_API_BASE` and `OPENAI_API_KEY` (an access key named Terminal) in new terminals.',
    scope: 'application',
  },
  usageHistory: {
    group: 'Privacy',
    ...toggle,
    default: true,
    description:
      'Record the requests and tokens of each client by the hour for the charts of the dashboard: only numbers and names, on this computer, for 90 days. Turning it off keeps what was recorded; erase that in the dashboard.',
    scope: 'application',
  },
  'statusBar.compact': {
    group: 'Advanced',
    ...toggle,
    default: false,
    description: 'Show only the icon of Sealed Proxy in the status bar, without its name.',
  },
} as const satisfies Group;

const PROXY_SETTINGS = { ...RESTART_SETTINGS, ...LIVE_SETTINGS };
const EDITOR_SETTINGS = {
  ...PROXY_SETTINGS,
  ...EXTENSION_SETTINGS,
  // written by the extension, never read
  baseUrl: {
    group: 'Advanced',
    ...plain,
    default: '',
    description:
      'Base URL of the running proxy. Sealed Proxy writes it for other extensions to read; do not change it.',
  },
} as const satisfies Group;
const ALL = { ...EDITOR_SETTINGS, ...SECRETS };

/** Settings of the proxy that the editor does not have. There, the log channel sets the log level. */
const COMMAND_LINE_ONLY = [
  'host',
  'tlsCertificateFile',
  'tlsKeyFile',
  'accessKeysOnly',
  'checkApiKey',
  'drainDelaySeconds',
  'drainSeconds',
  'metricsPort',
  'allowedHosts',
  'logLevel',
] as const;

export type SettingName = keyof typeof ALL;
export type SecretName = keyof typeof SECRETS;
type ValuesOf<Settings extends Group> = { readonly [Name in keyof Settings]: Parameters<Settings[Name]['use']>[0] };
/** The values after validation, as the code uses them. */
export type UsedOf<Settings extends Group> = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['use']> };

/** The settings of a proxy. A missing one has its default. */
export type ProxySettings = Partial<ValuesOf<typeof PROXY_SETTINGS>>;
export type LiveSettings = Partial<ValuesOf<typeof LIVE_SETTINGS>>;
/** The settings that an editor window gives to its proxy. */
export type CompleteProxySettings = Omit<ValuesOf<typeof PROXY_SETTINGS>, (typeof COMMAND_LINE_ONLY)[number]> & {
  readonly logLevel: string;
};
export type ExtensionSettings = ValuesOf<typeof EXTENSION_SETTINGS>;

export const SCHEMA: Readonly<Record<SettingName, Setting>> = ALL;
export const SETTING_NAMES = namesOf(ALL);
export const PROXY_SETTING_NAMES = namesOf(PROXY_SETTINGS);
export const SECRET_NAMES = namesOf(SECRETS);
export const EXTENSION_SETTING_NAMES = namesOf(EXTENSION_SETTINGS);
export const EXTENSION_DEFAULTS = Object.fromEntries(
  EXTENSION_SETTING_NAMES.map((name) => [name, SCHEMA[name].default]),
) as ExtensionSettings;
/** See `scope`. */
export const APPLICATION_SETTING_NAMES = namesOf(EDITOR_SETTINGS).filter(
  (name) => SCHEMA[name].scope === 'application',
);
/** The settings in the editor, where their names begin with `sealedProxy.`. */
export const EDITOR_SETTING_NAMES = namesOf(EDITOR_SETTINGS).filter(
  (name) => !COMMAND_LINE_ONLY.some((other) => other === name),
);

function namesOf<Settings extends Group>(settings: Settings): (keyof Settings & string)[] {
  return Object.keys(settings);
}

/** True for a setting that a running proxy can change. */
export function isLiveSetting(name: string): name is keyof LiveSettings {
  return Object.hasOwn(LIVE_SETTINGS, name);
}

/** What the value must be, if it has the wrong type; else undefined. */
export function findTypeMismatch(name: SettingName, value: unknown): string | undefined {
  const { matches, expects } = TYPES[SCHEMA[name].json.type];
  return matches(value) ? undefined : expects;
}

/** True for settings of a proxy, each absent or of its type. */
export function isProxySettings(value: unknown): value is ProxySettings {
  const settings = asObject(value);
  const isValid = ([name, field]: [string, unknown]) =>
    Object.hasOwn(PROXY_SETTINGS, name) &&
    (field === undefined || findTypeMismatch(name as SettingName, field) === undefined);
  return settings !== undefined && Object.entries(settings).every(isValid);
}
