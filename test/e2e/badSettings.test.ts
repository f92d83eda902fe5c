// A variable that cannot be used ends the proxy with one line that says what is allowed.
import assert from 'node:assert/strict';
import { VARIABLES } from '../../src/settings/environment.ts';
import { startAll } from '../support/e2e/limiter.ts';
import { PROXY, RunningProcess, spawnNode } from '../support/e2e/process.ts';
import { ACCESS_KEY } from '../support/e2e/scope.ts';

interface BadSetting {
  readonly name: string;
  readonly value: string;
  /** The part of the line that says what is allowed. */
  readonly allowed: RegExp;
  /** No part of the value may be shown. */
  readonly secret?: true;
  readonly others?: Readonly<Record<string, string>>;
  /** The variable that the line names, if it is another one. */
  readonly named?: string;
}

const PORT = /a whole number from 0 to 65535/;
const SECONDS = /seconds above 0/;
const TOGETHER = /it is missing or empty: set .* together, or neither/;
const NO_CREDENTIALS = /no user name, password, query or fragment/;
const HTTP_ON_LOOPBACK = /http is for a development backend on this computer/;
const PCR0 = /96 hex digits, not all zero/;
const KEYS = { PROXY_ACCESS_KEYS: ACCESS_KEY };

/** What is not a file with a secret. */
const DEVICES = [
  ['/', /cannot be read \(EISDIR\): it is a directory/],
  ['/dev/zero', /larger than 1048576 bytes/],
  ['/dev/null', /the file is empty/],
] as const;

const BAD: readonly BadSetting[] = [
  ...['example.com', '127.0.0', 'a b', '127.0.0.1:80'].map((value) => ({
    name: 'PROXY_HOST',
    value,
    allowed: /IP address .* or localhost/,
  })),
  ...['65536', '-1', '80.5', '0x50', 'http', '1e3', '999999'].map((value) => ({
    name: 'PROXY_PORT',
    value,
    allowed: PORT,
  })),
  ...[
    ['PROXY_TLS_CERT_FILE', 'PROXY_TLS_KEY_FILE'],
    ['PROXY_TLS_KEY_FILE', 'PROXY_TLS_CERT_FILE'],
  ].flatMap(([name = '', missing = '']): BadSetting[] => [
    { name, value: '-----BEGIN hidden-word-----', allowed: /the path of a file, and not its content/, secret: true },
    { name, value: '/nowhere/hidden-word.pem', allowed: TOGETHER, named: missing, secret: true },
  ]),
  ...[...DEVICES.slice(0, 2), ['/dev/null', /no certificate in PEM/] as const].map(([value, allowed]) => ({
    name: 'PROXY_TLS_CERT_FILE',
    value,
    allowed,
    others: { PROXY_TLS_KEY_FILE: value },
  })),
  ...['enclave', 'ftp://enclave.example', 'https//enclave.example', 'https://'].map((value) => ({
    name: 'PROXY_BACKEND_URL',
    value,
    allowed: /a URL such as https/,
  })),
  ...['https://e.example/?x=1', 'https://e.example/#x', 'https://e.example?'].map((value) => ({
    name: 'PROXY_BACKEND_URL',
    value,
    allowed: NO_CREDENTIALS,
  })),
  { name: 'PROXY_BACKEND_URL', value: 'https://user:hidden-word@e.example', allowed: NO_CREDENTIALS, secret: true },
  { name: 'PROXY_BACKEND_URL', value: 'http://hidden-word@127.0.0.1:1', allowed: NO_CREDENTIALS, secret: true },
  ...[
    { name: 'PROXY_HOST', value: 'http://user:hidden-word@127.0.0.1', allowed: /IP address/ },
    { name: 'PROXY_ALLOWED_HOSTS', value: 'user:hidden-word@host', allowed: /host/ },
    { name: 'PROXY_ALLOWED_ORIGINS', value: 'https://user:hidden-word@app', allowed: /an origin such as/ },
    { name: 'HTTPS_PROXY', value: 'http://user:hidden-word%40proxy:3128', allowed: /the URL of a proxy/ },
  ].map((setting) => ({ ...setting, secret: true as const })),
  ...[
    'http://e.example',
    'http://192.168.1.2:8080',
    'http://127.evil.example',
    'http://localhost.example',
    'http://[::2]',
  ].map((value) => ({ name: 'PROXY_BACKEND_URL', value, allowed: HTTP_ON_LOOPBACK })),
  ...['staging', 'Production', 'production;development'].map((value) => ({
    name: 'PROXY_PCR0_ENVIRONMENT',
    value,
    allowed: /production or development/,
  })),
  ...['ab', 'g'.repeat(96), '0'.repeat(96), `${'a'.repeat(96)};${'b'.repeat(96)}`, `${'a'.repeat(96)},b`].map(
    (value) => ({ name: 'PROXY_ADDITIONAL_PCR0', value, allowed: PCR0 }),
  ),
  ...['-5', '3601', 'never', '1e3'].map((value) => ({
    name: 'PROXY_CAPACITY_WAIT_SECS',
    value,
    allowed: /it must be a number of seconds from 0 to 3600; 0 turns waiting off/,
  })),
  ...['PROXY_DRAIN_DELAY_SECS', 'PROXY_DRAIN_SECS'].map((name) => ({
    name,
    value: '30s',
    allowed: /it must be a number of seconds from 0 to 3600/,
  })),
  { name: 'PROXY_METRICS_PORT', value: 'on', allowed: /a port is a whole number from 0 to 65535/ },
  {
    name: 'PROXY_METRICS_PORT',
    value: '14114',
    allowed: /it must differ from PROXY_PORT/,
    others: { PROXY_PORT: '14114' },
  },
  ...['PROXY_MESSAGES_MODEL', 'PROXY_RESPONSES_MODEL'].map((name) => ({
    name,
    value: 'glm\u200b-5',
    allowed: /it must be the ID of a model, at most 200 visible characters/,
  })),
  ...['PROXY_REQUEST_TIMEOUT_SECS', 'PROXY_STREAM_IDLE_TIMEOUT_SECS'].flatMap((name) =>
    ['0', '-5', '0.0', 'never', '1e3', '5m', '99999999', 'Infinity'].map((value) => ({
      name,
      value,
      allowed: SECONDS,
    })),
  ),
  { name: 'PROXY_API_KEY', value: 'dev-hidden-word', allowed: TOGETHER, secret: true, named: 'PROXY_ACCESS_KEYS' },
  { name: 'PROXY_ACCESS_KEYS', value: ACCESS_KEY, allowed: TOGETHER, secret: true, named: 'PROXY_API_KEY' },
  { name: 'PROXY_API_KEY', value: 'dev hidden-word', allowed: /no space/, secret: true, others: KEYS },
  { name: 'PROXY_API_KEY', value: 'dev-hidden-wörd', allowed: /visible ASCII/, secret: true, others: KEYS },
  { name: 'PROXY_API_KEY', value: 'k'.repeat(16_385), allowed: /1 to 16,384/, secret: true, others: KEYS },
  { name: 'PROXY_API_KEY', value: '"dev-hidden-word"', allowed: /in quotes; remove them/, secret: true, others: KEYS },
  { name: 'PROXY_API_KEY', value: "'dev-hidden-word'", allowed: /in quotes; remove them/, secret: true, others: KEYS },
  {
    name: 'PROXY_API_KEY',
    value: 'dev-hidden-word\ndev-2',
    allowed: /no space or line break/,
    secret: true,
    others: KEYS,
  },
  {
    name: 'PROXY_ACCESS_KEYS',
    value: `"alice=${ACCESS_KEY}"`,
    allowed: /in quotes; remove them/,
    secret: true,
    others: { PROXY_API_KEY: 'dev-1' },
  },
  { name: 'PROXY_PORT', value: 'tcp://10.0.0.1:14114', allowed: /Kubernetes .* enableServiceLinks: false/ },
  ...[ACCESS_KEY, `alice=${ACCESS_KEY}`].map((value) => ({
    name: 'PROXY_API_KEY',
    value,
    allowed: /: this contains an access key of the proxy; set the API key of the backend$/,
    secret: true as const,
    others: KEYS,
  })),
  {
    name: 'PROXY_API_KEY',
    value: 'PROXY_API_KEY=dev-hidden-word',
    allowed: /: the value begins with PROXY_API_KEY=; remove that part$/,
    secret: true,
    others: KEYS,
  },
  ...['hidden-word', 'sealed-short', `${ACCESS_KEY}x`, `${ACCESS_KEY};${ACCESS_KEY}`, `sealed-${'+'.repeat(43)}`].map(
    (value) => {
      const others = { PROXY_API_KEY: 'dev-1' };
      return { name: 'PROXY_ACCESS_KEYS', value, allowed: /43 characters of Base64url/, secret: true as const, others };
    },
  ),
  ...[
    'hidden-word',
    Buffer.alloc(31, 1).toString('base64'),
    Buffer.alloc(33, 1).toString('base64'),
    Buffer.alloc(32, 255).toString('base64url'),
  ].map((value) => ({
    ...{
      name: 'PROXY_CACHE_NAMESPACE_ROOT',
      value,
      allowed: /Base64 of exactly 32 bytes, as openssl rand -base64 32/,
      secret: true as const,
    },
  })),
  { name: 'PROXY_ACCESS_KEYS_ONLY', value: 'yes', allowed: /it must be true or false/ },
  { name: 'PROXY_CHECK_API_KEY', value: '0', allowed: /it must be true or false/ },
  ...['PROXY_API_KEY', 'PROXY_ACCESS_KEYS', 'PROXY_CACHE_NAMESPACE_ROOT'].flatMap((name): BadSetting[] => {
    const file = `${name}_FILE`;
    return [
      {
        name: file,
        value: '/nowhere/hidden',
        allowed: /_FILE cannot be used: \/nowhere\/hidden: the file does not exist/,
      },
      {
        name: file,
        value: ACCESS_KEY,
        allowed: /_FILE cannot be used: no file has this path: use an absolute path, without quotes and ~$/,
        secret: true,
      },
      {
        name: file,
        value: Buffer.alloc(32, 255).toString('base64'), // begins like an absolute path
        allowed: /_FILE cannot be used: its value, which must be the path of a file, .*: the file does not exist/,
        secret: true,
      },
      ...(process.platform === 'win32' ? [] : DEVICES.map(([value, allowed]) => ({ name: file, value, allowed }))),
      {
        name: file,
        value: '/run/secrets/a-file-that-is-not-shown',
        others: { [name]: 'set' },
        allowed: new RegExp(`${name} is set too`),
        secret: true,
      },
    ];
  }),
  ...['proxy:8080', 'http://proxy', 'a/b', '*', 'a b'].map((value) => ({
    name: 'PROXY_ALLOWED_HOSTS',
    value,
    allowed: /a host name or an address, without a port/,
  })),
  ...['*', 'https://*', 'http://*', 'app.example', 'https://app.example/path', 'https://*.example'].map((value) => ({
    name: 'PROXY_ALLOWED_ORIGINS',
    value,
    allowed: /an origin such as/,
  })),
  ...['verbose', 'INFO', 'silent'].map((value) => ({
    name: 'PROXY_LOG_LEVEL',
    value,
    allowed: /error, warn, info, debug, trace/,
  })),
  ...['proxy.example:3128', 'proxy', 'ftp://proxy.example', 'http://proxy.example:3128/proxy.pac'].map((value) => ({
    name: 'HTTPS_PROXY',
    value,
    allowed: /the URL of a proxy such as/,
  })),
  {
    name: 'HTTPS_PROXY',
    value: 'http://user:hidden-w%rd@proxy.example',
    allowed: /write special characters with %, such as %40 for @/,
    secret: true,
  },
  { name: 'HTTPS_PROXY', value: 'user:hidden-word@proxy.example', allowed: /the URL of a proxy such as/, secret: true },
];

describe('readConfig(): a setting that cannot be used', () => {
  let started: ReadonlyMap<BadSetting, Promise<RunningProcess>>;

  before(() => {
    started = startAll(BAD, 3, async ({ name, value, others }) => {
      const child = new RunningProcess(spawnNode(PROXY, { env: { PROXY_PORT: '0', ...others, [name]: value } }));
      await child.exit();
      return child;
    });
    for (const result of started.values()) result.catch(() => undefined); // each test awaits its own
  });

  for (const bad of BAD) {
    const { name, value, allowed, secret, named = name } = bad;
    it(`ends the proxy with one line: ${name}=${value.slice(0, 60)}`, async () => {
      const child = (await started.get(bad)) ?? assert.fail();
      assert.deepEqual(await child.exit(), { code: 2, signal: null });
      assert.deepEqual(child.stdout.items, []);
      assert.equal(child.stderr.items.length, 1);
      const [line = ''] = child.stderr.items;
      assert.ok(line.startsWith(`sealed-proxy: ${named}`), line);
      assert.match(line, allowed);
      if (secret) for (const part of [value, 'hidden-w', value.slice(7, 30)]) assert.ok(!line.includes(part), line);
      else assert.ok(line.includes(value.replace(/[?#].*/, '').replace(/^.*,/, '')), line);
    });
  }

  it('is tested for every variable', () => {
    const names = new Set(BAD.map(({ name }) => name));
    for (const { variable } of VARIABLES) assert.ok(names.has(variable), variable);
  });

  it('is shown in one line, even with line breaks in it', async () => {
    const child = new RunningProcess(
      spawnNode(PROXY, { env: { PROXY_LOG_LEVEL: `a\nb\r\u001b[31m${'x'.repeat(500)}` } }),
    );
    assert.equal((await child.exit()).code, 2);
    assert.equal(child.stderr.items.length, 1);
    assert.match(
      child.stderr.items[0] ?? '',
      /^sealed-proxy: PROXY_LOG_LEVEL=a\\nb\\r\\u001b\[31mx+\.\.\. cannot be used/,
    );
  });
});
