import assert from 'node:assert/strict';
import { EXTENSION_DEFAULTS } from '../../../src/settings/schema.ts';
import type { ProxySettings } from '../../../src/settings/schema.ts';
import { findProblems } from '../../../src/settings/validateSettings.ts';
import type { NetworkSettings } from '../../../src/shared/messages.ts';

const PCR0 = 'ab'.repeat(48);

const GOOD: Readonly<Record<keyof ProxySettings, readonly unknown[]>> = {
  host: ['127.0.0.1', '0.0.0.0', '::1', '[::1]', 'localhost', ''],
  port: [0, 14_114, 65_535],
  tlsCertificateFile: ['', '/etc/ssl/certs/proxy.pem'],
  tlsKeyFile: ['', '/etc/ssl/private/proxy key.pem'],
  backendUrl: ['https://enclave.example/base', 'http://127.0.0.1:3000', 'http://localhost:3000', ' https://box ', ''],
  pcr0Environment: ['production', 'development', ''],
  additionalPcr0: [[], [PCR0], [PCR0.toUpperCase(), ` ${'01'.repeat(48)} `], ['']],
  accessKeysOnly: [true, false],
  checkApiKey: [true, false],
  requestTimeoutSeconds: [1, 0.25, 2_000_000],
  streamIdleTimeoutSeconds: [1, 0.25, 2_000_000],
  capacityWaitSeconds: [0, 0.5, 3600],
  drainDelaySeconds: [0, 0.5, 3600],
  drainSeconds: [0, 0.5, 3600],
  metricsPort: ['', '0', '9464'],
  messagesModel: ['', 'glm-5-2', ' llama 3.3 '],
  responsesModel: ['', 'openai/gpt-oss-120b'],
  allowedHosts: [[], ['Box.Local', '192.168.1.7', '[fe80::1]']],
  allowedOrigins: [[], ['https://app.example', 'vscode-webview://*']],
  logLevel: ['error', 'warn', 'info', 'debug', 'trace', ''],
};

const SECONDS = /it must be a number of seconds above 0 and at most 2000000$/;

const PATH = / cannot be used: it must be the path of a file, and not its content$/;

const MODEL = /it must be the ID of a model, at most 200 visible characters$/;

const BAD: Readonly<Record<keyof ProxySettings, { readonly values: readonly unknown[]; readonly allowed: RegExp }>> = {
  host: { values: ['example.com', '127.0.0.1:80', '*'], allowed: /IP address .* or localhost$/ },
  port: { values: [-1, 1.5, 65_536, 1e21, Number.NaN, Infinity], allowed: /a whole number from 0 to 65535$/ },
  tlsCertificateFile: { values: ['-----BEGIN CERTIFICATE-----:word'], allowed: PATH },
  tlsKeyFile: { values: ['a\n:word', '-----BEGIN PRIVATE KEY----- :word'], allowed: PATH },
  backendUrl: {
    values: ['nowhere', 'ftp://box', 'http://box', 'http://0.0.0.0:3000', 'https://box?x', 'https://me:word@box', ','],
    allowed: /URL such as https:|the URL must have no|http is for a development backend/,
  },
  pcr0Environment: { values: ['dev', 'Production', '*'], allowed: /it must be production or development$/ },
  additionalPcr0: {
    values: [['ab'], [PCR0, `${PCR0}ab`], ['0'.repeat(96)], [`${PCR0} ${PCR0}`]],
    allowed: /has 96 hex digits, not all zero/,
  },
  accessKeysOnly: { values: ['yes', 'TRUE'], allowed: /it must be true or false$/ },
  checkApiKey: { values: ['yes', 'TRUE'], allowed: /it must be true or false$/ },
  requestTimeoutSeconds: { values: [0, -1, 2_000_001, Number.NaN, Infinity], allowed: SECONDS },
  streamIdleTimeoutSeconds: { values: [0, -1, 2_000_001, Number.NaN, Infinity], allowed: SECONDS },
  capacityWaitSeconds: {
    values: [-1, 3601, Number.NaN, Infinity],
    allowed: /from 0 to 3600; 0 turns waiting off$/,
  },
  drainDelaySeconds: { values: [-1, 3601, Number.NaN, Infinity], allowed: /from 0 to 3600$/ },
  drainSeconds: { values: [-1, 3601, Number.NaN, Infinity], allowed: /from 0 to 3600$/ },
  metricsPort: { values: ['65536', 'on'], allowed: /a whole number from 0 to 65535$/ },
  messagesModel: { values: ['a\nb', 'x'.repeat(201)], allowed: MODEL },
  responsesModel: { values: ['a\u0000b', 'x'.repeat(201)], allowed: MODEL },
  allowedHosts: {
    values: [['box:80'], ['box', 'http://box'], ['*']],
    allowed: /a host name or an address, without a port/,
  },
  allowedOrigins: { values: [['*'], ['vscode-file://*', 'https://*'], ['null']], allowed: /an origin such as https:/ },
  logLevel: { values: ['INFO', 'loud'], allowed: /it must be one of error, warn, info, debug, trace$/ },
};

interface WrongType {
  readonly values: readonly unknown[];
  readonly expected: string;
}

const STRING: WrongType = { values: [7, true, null, ['x'], {}], expected: 'a string' };
const NUMBER: WrongType = { values: ['1', true, null, [1], {}], expected: 'a number' };
const LIST: WrongType = {
  values: ['x', 7, false, null, {}, [7], ['x', null], [['x']]],
  expected: 'a list of strings',
};

const WRONG: Readonly<Record<keyof ProxySettings, WrongType>> = {
  host: STRING,
  port: NUMBER,
  tlsCertificateFile: STRING,
  tlsKeyFile: STRING,
  backendUrl: STRING,
  pcr0Environment: STRING,
  additionalPcr0: LIST,
  accessKeysOnly: { values: ['true', 7, null, [true], {}], expected: 'true or false' },
  checkApiKey: { values: ['true', 7, null, [true], {}], expected: 'true or false' },
  requestTimeoutSeconds: NUMBER,
  streamIdleTimeoutSeconds: NUMBER,
  capacityWaitSeconds: NUMBER,
  drainDelaySeconds: NUMBER,
  drainSeconds: NUMBER,
  metricsPort: STRING,
  messagesModel: STRING,
  responsesModel: STRING,
  allowedHosts: LIST,
  allowedOrigins: LIST,
  logLevel: STRING,
};

const NAMES = Object.keys(WRONG) as (keyof ProxySettings)[];

type Found = readonly { readonly setting: string; readonly message: string }[];

function problemsOf(settings: Parameters<typeof findProblems>[0], network: NetworkSettings): Found {
  return findProblems(settings, network).map(({ setting, editorMessage }) => ({ setting, message: editorMessage }));
}

/** The problem of one setting with this value, of whatever type. */
function problemWith(name: keyof ProxySettings, value: unknown): Found[number] | undefined {
  return problemsOf({ [name]: value }, {})[0];
}

describe('findProblems()', () => {
  it('finds nothing where no setting is set, and nothing in the defaults', () => {
    assert.deepEqual(problemsOf({}, {}), []);
    const settings = Object.fromEntries(NAMES.map((name) => [name, GOOD[name][0]]));
    assert.deepEqual(problemsOf(settings, { strictTls: true, systemCertificates: true, noProxy: 'box' }), []);
  });

  for (const name of NAMES) {
    it(`accepts a good ${name}`, () => {
      for (const value of GOOD[name]) assert.equal(problemWith(name, value), undefined, JSON.stringify(value));
    });

    it(`refuses a bad ${name}: the message names it, and what it must be`, () => {
      const { values, allowed } = BAD[name];
      for (const value of values) {
        const { setting, message } = problemWith(name, value) ?? {};
        assert.equal(setting, name, JSON.stringify(value));
        assert.match(message ?? '', new RegExp(`^sealedProxy.${name}(=\\S.*)? cannot be used: `));
        assert.match(message ?? '', allowed);
        assert.doesNotMatch(message ?? '', /PROXY_|:word/);
      }
    });

    it(`refuses a ${name} of another type`, () => {
      const { values, expected } = WRONG[name];
      for (const value of values) {
        const message = `sealedProxy.${name} cannot be used: it must be ${expected}`;
        assert.deepEqual(problemWith(name, value), { setting: name, message }, JSON.stringify(value));
      }
    });
  }

  it('names the item of a list that is wrong, and shows a value in one line', () => {
    assert.match(problemWith('allowedHosts', ['box', 'b:1'])?.message ?? '', /^sealedProxy\.allowedHosts=b:1 cannot/);
    assert.match(problemWith('backendUrl', 'a\nb')?.message ?? '', /^sealedProxy\.backendUrl=a\\nb cannot/);
  });

  it('finds each problem, whatever the other settings are', () => {
    const settings = { port: -1, logLevel: 7, requestTimeoutSeconds: 0 } as unknown as ProxySettings;
    const names = problemsOf(settings, { httpsProxy: 'box' }).map(({ setting }) => setting);
    assert.deepEqual(names.toSorted(), ['httpsProxy', 'logLevel', 'port', 'requestTimeoutSeconds']);
  });

  it('accepts the URL of an HTTP proxy, or none', () => {
    const urls = [
      '',
      'http://box:3128',
      'https://me:word@box',
      'http://me%40:w%2frd@box',
      'socks://box',
      'socks5://box:1',
    ];
    for (const httpsProxy of urls) assert.deepEqual(problemsOf({}, { httpsProxy }), [], httpsProxy);
  });

  it('ignores the HTTP proxy in the environment of the editor', () => {
    const before = process.env['HTTPS_PROXY'];
    process.env['HTTPS_PROXY'] = 'nowhere';
    try {
      assert.deepEqual(problemsOf({}, {}), []);
    } finally {
      if (before === undefined) delete process.env['HTTPS_PROXY'];
      else process.env['HTTPS_PROXY'] = before;
    }
  });

  for (const httpsProxy of ['box', 'box:3128', 'ftp://box', 'http://', ' ']) {
    it(`refuses ${JSON.stringify(httpsProxy)} for an HTTP proxy`, () => {
      const message = `http.proxy=${httpsProxy} cannot be used: it must be the URL of a proxy such as http://proxy.example:3128`;
      assert.deepEqual(problemsOf({}, { httpsProxy })[0], { setting: 'httpsProxy', message });
    });
  }

  it('never shows a possible password of an HTTP proxy', () => {
    for (const httpsProxy of ['ftp://me:word@box', 'me:word@box', 'http://me:word%@box']) {
      const { setting, message } = problemsOf({}, { httpsProxy })[0] ?? {};
      assert.equal(setting, 'httpsProxy');
      assert.match(message ?? '', /^http\.proxy cannot be used: it must be the URL of a proxy/);
    }
  });

  it('finds nothing in the defaults of the extension', () => {
    assert.deepEqual(problemsOf(EXTENSION_DEFAULTS, {}), []);
  });

  it('names a setting as the editor does', () => {
    const settings = { ...EXTENSION_DEFAULTS, 'terminal.enabled': 'yes' as unknown as boolean };
    const message = 'sealedProxy.terminal.enabled cannot be used: it must be true or false';
    assert.deepEqual(problemsOf(settings, {}), [{ setting: 'terminal.enabled', message }]);
  });
});
