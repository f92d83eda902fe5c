import assert from 'node:assert/strict';
import { problemsOf, toValues } from '../../../src/settings/editorSettings.ts';
import type { Problem } from '../../../src/settings/editorSettings.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import type { NetworkSettings, ProxySettings } from '../../../src/shared/messages.ts';

const PCR0 = 'ab'.repeat(48);

const GOOD: Readonly<Record<keyof ProxySettings, readonly unknown[]>> = {
  host: ['127.0.0.1', '0.0.0.0', '::1', '[::1]', 'localhost', ''],
  port: [0, 14_114, 65_535],
  backendUrl: ['https://enclave.example/base', 'http://127.0.0.1:3000', 'http://localhost:3000', ' https://box ', ''],
  pcr0Environment: ['production', 'development', ''],
  additionalPcr0: [[], [PCR0], [PCR0.toUpperCase(), ` ${'01'.repeat(48)} `], ['']],
  requestTimeoutSeconds: [1, 0.25, 2_000_000],
  streamIdleTimeoutSeconds: [1, 0.25, 2_000_000],
  allowedHosts: [[], ['Box.Local', '192.168.1.7', '[fe80::1]']],
  allowedOrigins: [[], ['https://app.example', 'vscode-webview://*']],
  logLevel: ['error', 'warn', 'info', 'debug', 'trace', ''],
};

const SECONDS = /it takes seconds, above 0 and at most 2000000$/;

const BAD: Readonly<Record<keyof ProxySettings, { readonly values: readonly unknown[]; readonly allowed: RegExp }>> = {
  host: { values: ['example.com', '127.0.0.1:80', '*'], allowed: /IP address .* or localhost$/ },
  port: { values: [-1, 1.5, 65_536, 1e21, Number.NaN, Infinity], allowed: /a whole number from 0 to 65535$/ },
  backendUrl: {
    values: ['nowhere', 'ftp://box', 'http://box', 'http://0.0.0.0:3000', 'https://box?x', 'https://me:word@box', ','],
    allowed: /URL such as https:|the URL must have no|http is for a development backend/,
  },
  pcr0Environment: { values: ['dev', 'Production', '*'], allowed: /it takes production or development$/ },
  additionalPcr0: {
    values: [['ab'], [PCR0, `${PCR0}ab`], ['0'.repeat(96)], [`${PCR0} ${PCR0}`]],
    allowed: /has 96 hex digits, not all zero/,
  },
  requestTimeoutSeconds: { values: [0, -1, 2_000_001, Number.NaN, Infinity], allowed: SECONDS },
  streamIdleTimeoutSeconds: { values: [0, -1, 2_000_001, Number.NaN, Infinity], allowed: SECONDS },
  allowedHosts: {
    values: [['box:80'], ['box', 'http://box'], ['*']],
    allowed: /host names or addresses without a port/,
  },
  allowedOrigins: { values: [['*'], ['vscode-file://*', 'https://*'], ['null']], allowed: /origins such as https:/ },
  logLevel: { values: ['INFO', 'loud'], allowed: /it takes error, warn, info, debug, trace$/ },
};

const STRINGS: readonly unknown[] = [7, true, null, ['x'], {}];
const NUMBERS: readonly unknown[] = ['1', true, null, [1], {}];
const LISTS: readonly unknown[] = ['x', 7, false, null, {}, [7], ['x', null], [['x']]];

const WRONG: Readonly<Record<keyof ProxySettings, readonly unknown[]>> = {
  host: STRINGS,
  port: NUMBERS,
  backendUrl: STRINGS,
  pcr0Environment: STRINGS,
  additionalPcr0: LISTS,
  requestTimeoutSeconds: NUMBERS,
  streamIdleTimeoutSeconds: NUMBERS,
  allowedHosts: LISTS,
  allowedOrigins: LISTS,
  logLevel: STRINGS,
};

const NAMES = Object.keys(WRONG) as (keyof ProxySettings)[];

/** What is wrong with one setting of this value, whatever its type. */
function problemWith(name: keyof ProxySettings, value: unknown): Problem | undefined {
  return problemsOf({ [name]: value }, {})[0];
}

describe('The settings of the editor', () => {
  it('are good where none is set, and with what the editor gives by default', () => {
    assert.equal(problemsOf({}, {})[0], undefined);
    const settings = Object.fromEntries(NAMES.map((name) => [name, GOOD[name][0]]));
    assert.equal(problemsOf(settings, { strictTls: true, systemCertificates: true, noProxy: 'box' })[0], undefined);
  });

  for (const name of NAMES) {
    it(`may have a good ${name}`, () => {
      for (const value of GOOD[name]) assert.equal(problemWith(name, value), undefined, JSON.stringify(value));
    });

    it(`may not have a bad ${name}: it is named, and what it takes`, () => {
      const { values, allowed } = BAD[name];
      for (const value of values) {
        const { setting, message } = problemWith(name, value) ?? {};
        assert.equal(setting, name, JSON.stringify(value));
        assert.match(message ?? '', new RegExp(`^${name}(=\\S.*)? cannot be used: `));
        assert.match(message ?? '', allowed);
        assert.doesNotMatch(message ?? '', /PROXY_|:word/);
      }
    });

    it(`may not have a ${name} of another type`, () => {
      for (const value of WRONG[name]) {
        const message = `${name}: its value is not of the right type.`;
        assert.deepEqual(problemWith(name, value), { setting: name, message }, JSON.stringify(value));
      }
    });
  }

  it('name the item of a list that is wrong, and show what was typed in one line', () => {
    assert.match(problemWith('allowedHosts', ['box', 'b:1'])?.message ?? '', /^allowedHosts=b:1 cannot/);
    assert.match(problemWith('backendUrl', 'a\nb')?.message ?? '', /^backendUrl=a\\nb cannot/);
  });

  it('have an empty list for none, not for the default', () => {
    const { allowedOrigins, policy, allowedHosts } = readSettings(
      toValues({ allowedOrigins: [], additionalPcr0: [], allowedHosts: [] }),
    );
    assert.deepEqual([allowedOrigins, policy.additional, allowedHosts], [[], [], []]);
    assert.ok(readSettings(toValues({})).allowedOrigins.length > 0);
  });

  it('have a problem each, whatever the others are', () => {
    const settings = { port: -1, logLevel: 7, requestTimeoutSeconds: 0 } as unknown as ProxySettings;
    const names = problemsOf(settings, { httpsProxy: 'box' }).map(({ setting }) => setting);
    assert.deepEqual(names.toSorted(), ['httpsProxy', 'logLevel', 'port', 'requestTimeoutSeconds']);
  });
});

describe('The network of the editor', () => {
  it('may have the URL of a proxy, or none', () => {
    const urls = [
      '',
      'http://box:3128',
      'https://me:word@box',
      'http://me%40:w%2frd@box',
      'socks://box',
      'socks5://box:1',
    ];
    for (const httpsProxy of urls) assert.equal(problemsOf({}, { httpsProxy })[0], undefined, httpsProxy);
  });

  it('is not what the environment of the editor says', () => {
    const before = process.env['HTTPS_PROXY'];
    process.env['HTTPS_PROXY'] = 'nowhere';
    try {
      assert.equal(problemsOf({}, {})[0], undefined);
    } finally {
      if (before === undefined) delete process.env['HTTPS_PROXY'];
      else process.env['HTTPS_PROXY'] = before;
    }
  });

  for (const httpsProxy of ['box', 'box:3128', 'ftp://box', 'http://', ' ']) {
    it(`may not have ${JSON.stringify(httpsProxy)} for a proxy`, () => {
      const message = `httpsProxy=${httpsProxy} cannot be used: it takes the URL of a proxy such as http://proxy.example:3128`;
      assert.deepEqual(problemsOf({}, { httpsProxy })[0], { setting: 'httpsProxy', message });
    });
  }

  it('never shows what may be the password of a proxy', () => {
    for (const httpsProxy of ['ftp://me:word@box', 'me:word@box', 'http://me:word%@box']) {
      const { setting, message } = problemsOf({}, { httpsProxy } satisfies NetworkSettings)[0] ?? {};
      assert.equal(setting, 'httpsProxy');
      assert.match(message ?? '', /^httpsProxy cannot be used: it takes the URL of a proxy/);
    }
  });
});
