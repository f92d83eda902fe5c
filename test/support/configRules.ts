// Values that each variable of the command line accepts, and values that it refuses.
import type { Config } from '../../src/proxy/hosts/config.ts';
import type { ProxyConfig } from '../../src/settings/proxyConfig.ts';
import { toBase64 } from '../../src/shared/bytes.ts';

export const PCR0 = 'ab'.repeat(48);
export const KEY = `sealed-${'A'.repeat(43)}`;
const OTHER_KEY = `sealed-${'b_-'.repeat(14)}9`;

export interface Rule<Source = ProxyConfig> {
  readonly variable: string;
  readonly read: (config: Source) => unknown;
  /** The value when the variable is not set; undefined if that differs each time. */
  readonly byDefault: unknown;
  /** Texts and their values. */
  readonly good: readonly (readonly [string, unknown])[];
  readonly bad: readonly string[];
  /** The part of the message that says what is allowed. */
  readonly allowed: RegExp;
}

const backend = (origin: string, basePath = '', verified = true, loopback = false) => ({
  origin,
  basePath,
  verified,
  loopback,
});
const SECONDS: Omit<Rule, 'variable' | 'read'> = {
  byDefault: 300_000,
  good: [
    ['1', 1000],
    ['0.25', 250],
    [' 600 ', 600_000],
    ['2000000', 2_000_000_000],
  ],
  bad: ['0', '0.0', '-1', '+1', '1e3', '1s', '.5', '1.', '1,5', 'NaN', 'Infinity', '2000001', '9'.repeat(400)],
  allowed: /above 0 and at most 2000000/,
};

const PAUSE: Pick<Rule, 'good' | 'bad' | 'allowed'> = {
  good: [
    ['0', 0],
    ['2.5', 2500],
    ['3600', 3_600_000],
  ],
  bad: ['-1', '3601', '5s', '1e3'],
  allowed: /from 0 to 3600$/,
};

export const RULES: readonly Rule[] = [
  {
    variable: 'PROXY_HOST',
    read: ({ host }) => host,
    byDefault: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['::1', '::1'],
      ['[::1]', '::1'],
      ['192.168.1.7', '192.168.1.7'],
      ['localhost', 'localhost'],
    ],
    bad: ['example.com', '127.0.0.1:80', '256.1.1.1', '127.1', 'http://127.0.0.1', '*', '[::1', '127.0.0.1 ::1'],
    allowed: /IP address .* or localhost/,
  },
  {
    variable: 'PROXY_PORT',
    read: ({ port }) => port,
    byDefault: 14_114,
    good: [
      ['0', 0],
      ['1', 1],
      ['65535', 65_535],
      [' 8080 ', 8080],
    ],
    bad: ['65536', '-1', '1.5', '1e3', '0x50', 'http', '999999', '8080 8081', '\u0661'],
    allowed: /whole number from 0 to 65535/,
  },
  ...(['Certificate', 'Key'] as const).map((name): Rule => ({
    variable: `PROXY_TLS_${name === 'Key' ? 'KEY' : 'CERT'}_FILE`,
    read: (config) => config[`tls${name}File`],
    byDefault: '',
    good: [[' /etc/ssl/private/a b.pem ', '/etc/ssl/private/a b.pem']],
    bad: [], // the message does not show the value: see validateSettings.problems.test.ts
    allowed: /it must be the path of a file, and not its content$/,
  })),
  {
    variable: 'PROXY_BACKEND_URL',
    read: (config) => config.backend,
    byDefault: backend('https://enclave.trymaple.ai'),
    good: [
      ['https://enclave.secretgpt.ai', backend('https://enclave.secretgpt.ai')],
      ['https://enclave.example/', backend('https://enclave.example')],
      ['https://enclave.example:8443/base/path//', backend('https://enclave.example:8443', '/base/path')],
      ['HTTPS://Enclave.Example:443', backend('https://enclave.example')],
      ['https://127.0.0.1:8443', backend('https://127.0.0.1:8443', '', true, true)],
      ['http://127.0.0.1:3000', backend('http://127.0.0.1:3000', '', false, true)],
      ['http://127.9.9.9', backend('http://127.9.9.9', '', false, true)],
      ['http://localhost:3000', backend('http://localhost:3000', '', false, true)],
      ['http://LOCALHOST:3000', backend('http://localhost:3000', '', false, true)],
      ['http://[::1]:3000', backend('http://[::1]:3000', '', false, true)],
    ],
    bad: [
      'enclave.example',
      'ftp://enclave.example',
      'ws://127.0.0.1',
      'file:///etc/hosts',
      'http://enclave.example',
      'http://192.168.1.7:3000',
      'http://0.0.0.0:3000',
      'http://localhost.example',
      'http://127.0.0.1.example',
      'http://[::2]',
      'http://[::ffff:127.0.0.1]',
      'https://',
    ],
    allowed: /it must be a URL such as https|http is for a development backend on this computer/,
  },
  {
    variable: 'PROXY_PCR0_ENVIRONMENT',
    read: ({ policy }) => policy.environment,
    byDefault: 'production',
    good: [
      ['development', 'development'],
      ['production', 'production'],
    ],
    bad: ['dev', 'Production', 'production,development', 'any', '*'],
    allowed: /production or development/,
  },
  {
    variable: 'PROXY_ADDITIONAL_PCR0',
    read: ({ policy }) => policy.additional,
    byDefault: [],
    good: [
      [PCR0, [PCR0]],
      [PCR0.toUpperCase(), [PCR0]],
      [`${PCR0}, ${'01'.repeat(48)} ,`, [PCR0, '01'.repeat(48)]],
    ],
    bad: ['ab', `${PCR0}ab`, PCR0.slice(1), `0x${PCR0.slice(2)}`, 'zz'.repeat(48), '0'.repeat(96), `${PCR0} ${PCR0}`],
    allowed: /96 hex digits, not all zero/,
  },
  { variable: 'PROXY_REQUEST_TIMEOUT_SECS', read: ({ requestTimeout }) => requestTimeout, ...SECONDS },
  { variable: 'PROXY_STREAM_IDLE_TIMEOUT_SECS', read: ({ streamIdleTimeout }) => streamIdleTimeout, ...SECONDS },
  {
    variable: 'PROXY_CAPACITY_WAIT_SECS',
    read: ({ capacityWait }) => capacityWait,
    byDefault: 0,
    good: [
      ['0', 0],
      ['0.5', 500],
      [' 3600 ', 3_600_000],
    ],
    bad: ['-1', '3601', '1e3', '1s', 'off'],
    allowed: /from 0 to 3600/,
  },
  ...(['messages', 'responses'] as const).map((dialect): Rule => ({
    variable: `PROXY_${dialect.toUpperCase()}_MODEL`,
    read: (config) => config[`${dialect}Model`],
    byDefault: '',
    good: [[' openai/gpt-oss-120b ', 'openai/gpt-oss-120b']],
    bad: ['a\nb', 'x'.repeat(201)],
    allowed: /at most 200 visible characters/,
  })),
  {
    ...PAUSE,
    variable: 'PROXY_DRAIN_DELAY_SECS',
    read: ({ drainDelay }) => drainDelay,
    byDefault: 0,
  },
  {
    ...PAUSE,
    variable: 'PROXY_DRAIN_SECS',
    read: ({ drain }) => drain,
    byDefault: 30_000,
  },
  {
    variable: 'PROXY_METRICS_PORT',
    read: ({ metricsPort }) => metricsPort,
    byDefault: null,
    good: [
      ['0', 0],
      [' 9464 ', 9464],
    ],
    bad: ['65536', '-1', 'on', '127.0.0.1:9464'],
    allowed: /whole number from 0 to 65535/,
  },
  {
    variable: 'PROXY_ALLOWED_HOSTS',
    read: ({ allowedHosts }) => allowedHosts,
    byDefault: [],
    good: [
      ['Box.Local', ['box.local']],
      ['host.docker.internal, my_box', ['host.docker.internal', 'my_box']],
      ['192.168.1.7,[fe80::1],fe80::2', ['192.168.1.7', 'fe80::1', 'fe80::2']],
      ['x', ['x']],
      ['*.Apps.Example', ['*.apps.example']],
      ['*.default.svc.cluster.local', ['*.default.svc.cluster.local']],
    ],
    bad: [
      '*.0.1',
      '*.a.1',
      '*.a.example.',
      '*..a.example',
      '*a.example',
      'x.*.example',
      '*.*.example',
      '*.a.example:80',
    ].concat(['box:80', 'http://box', 'box/', '*', '*.local', 'b ox', '.local', 'local.', '-box', 'b\u00f6x']),
    allowed: /a host name or an address, without a port/,
  },
  {
    variable: 'PROXY_ALLOWED_ORIGINS',
    read: ({ allowedOrigins }) =>
      ['https://app.example', 'vscode-webview://x', 'vscode-file://y', 'http://localhost:3000', 'null'].filter(
        (origin) => allowedOrigins.some((matches) => matches(origin)),
      ),
    byDefault: ['vscode-webview://x', 'vscode-file://y'],
    good: [
      ['https://app.example', ['https://app.example']],
      ['HTTPS://APP.example , http://localhost:3000', ['https://app.example', 'http://localhost:3000']],
      ['vscode-webview://*', ['vscode-webview://x']],
    ],
    bad: ['*', 'null', 'https://*', 'http://*', 'app.example', 'https://app.example/', 'https://*.example', 'file://'],
    allowed: /an origin such as https/,
  },
  {
    variable: 'PROXY_CHECK_API_KEY',
    read: ({ checkApiKey }) => checkApiKey,
    byDefault: true,
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['1', 'yes', 'FALSE', 'off'],
    allowed: /it must be true or false/,
  },
  {
    variable: 'PROXY_ACCESS_KEYS_ONLY',
    read: ({ accessKeysOnly }) => accessKeysOnly,
    byDefault: false,
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['1', 'yes', 'TRUE', 'on'],
    allowed: /it must be true or false/,
  },
  {
    variable: 'PROXY_LOG_LEVEL',
    read: ({ logLevel }) => logLevel,
    byDefault: 'info',
    good: ['error', 'warn', 'info', 'debug', 'trace'].map((level) => [level, level] as const),
    bad: ['INFO', 'verbose', 'silent', '3', 'info,debug'],
    allowed: /error, warn, info, debug, trace/,
  },
];

/** Variables whose values are never shown, and the variables that they need. */
export const SECRET_RULES: readonly (Rule<Config> & { readonly beside: Readonly<Record<string, string>> })[] = [
  {
    variable: 'PROXY_API_KEY',
    beside: { PROXY_ACCESS_KEYS: KEY },
    read: ({ apiKey }) => apiKey,
    byDefault: null,
    good: [
      ['sk-1', 'sk-1'],
      [' sk-1 ', 'sk-1'],
      ['k'.repeat(16_384), 'k'.repeat(16_384)],
    ],
    bad: ['sk 1', 'sk-\u00e9', 'k'.repeat(16_385), 'sk-1\u0000', KEY, 'sealed-'],
    allowed: /visible ASCII characters and no space|this contains an access key of the proxy/,
  },
  {
    variable: 'PROXY_ACCESS_KEYS',
    beside: { PROXY_API_KEY: 'sk-1' },
    read: ({ accessKeys }) => accessKeys,
    byDefault: [],
    good: [
      [KEY, [KEY]],
      [`${KEY}, ${OTHER_KEY},`, [KEY, OTHER_KEY]],
      [`${KEY}\n${OTHER_KEY}\r\n`, [KEY, OTHER_KEY]],
      [`one=${KEY}, Two.2_b-c = ${OTHER_KEY}`, [KEY, OTHER_KEY]],
      [`${KEY},${KEY}`, [KEY]],
    ],
    bad: [
      'sealed-',
      `${KEY}A`,
      KEY.slice(0, -1),
      KEY.toUpperCase(),
      `${KEY};${KEY}`,
      `${KEY},sk-2`,
      `${KEY.slice(0, -1)}+`,
    ],
    allowed: /"sealed-" and 43 characters of Base64url/,
  },
  {
    variable: 'PROXY_CACHE_NAMESPACE_ROOT',
    beside: {},
    read: ({ cacheNamespaceRoot }) => toBase64(cacheNamespaceRoot),
    byDefault: undefined,
    good: [[toBase64(new Uint8Array(32).fill(7)), toBase64(new Uint8Array(32).fill(7))]],
    bad: [toBase64(new Uint8Array(31)), toBase64(new Uint8Array(33)), 'AAAA', `${'A'.repeat(42)}B=`, 'a secret phrase'],
    allowed: /Base64 of exactly 32 bytes/,
  },
];
