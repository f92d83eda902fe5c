import assert from 'node:assert/strict';
import type { Settings } from '../../../src/settings/editorSettings.ts';
import { EXTENSION_DEFAULTS } from '../../../src/settings/schema.ts';
import { startSettings, validateSettings } from '../../../src/settings/validateSettings.ts';

const PCR0 = 'ab'.repeat(48);

/** Two sets of good settings that differ in every one. */
const BEFORE: Settings = {
  ...EXTENSION_DEFAULTS,
  proxy: {
    port: 14_114,
    backendUrl: 'https://enclave.trymaple.ai',
    pcr0Environment: 'production',
    additionalPcr0: [],
    requestTimeoutSeconds: 300,
    streamIdleTimeoutSeconds: 300,
    capacityWaitSeconds: 0,
    messagesModel: '',
    responsesModel: '',
    allowedOrigins: ['vscode-webview://*'],
    logLevel: 'info',
  },
  network: { strictTls: true },
};
const NEXT: Settings = {
  ...EXTENSION_DEFAULTS,
  autoStart: false,
  checkInterval: 0,
  'terminal.enabled': true,
  modelOverrides: { m: { tools: true } },
  'statusBar.compact': true,
  proxy: {
    port: 8080,
    backendUrl: 'http://127.0.0.1:3000',
    pcr0Environment: 'development',
    additionalPcr0: [PCR0],
    requestTimeoutSeconds: 0.5,
    streamIdleTimeoutSeconds: 60,
    capacityWaitSeconds: 0,
    messagesModel: '',
    responsesModel: '',
    allowedOrigins: [],
    logLevel: 'trace',
  },
  network: { strictTls: true, httpsProxy: 'http://proxy.example:3128' },
};

type OwnField = keyof typeof EXTENSION_DEFAULTS;
type Field = OwnField | keyof Settings['proxy'] | 'httpsProxy';

/** The same with another value, of any type, as a user may write it. */
function change(settings: Settings, field: Field, value: unknown): Settings {
  if (field in settings.proxy) return { ...settings, proxy: { ...settings.proxy, [field]: value } };
  if (field !== 'httpsProxy') return { ...settings, [field]: value };
  return { ...settings, network: { ...settings.network, httpsProxy: value as string } };
}

/** The same with one value from the settings before. */
function keep(settings: Settings, field: Field): Settings {
  if (field === 'httpsProxy') return { ...settings, network: BEFORE.network };
  const { [field]: value }: Readonly<Record<string, unknown>> = { ...BEFORE, ...BEFORE.proxy };
  return change(settings, field, value);
}

const INTERVAL =
  /^sealedProxy\.checkInterval=\S+ cannot be used: it must be a number of seconds: 0 for never, or at least 1$/;
const SECONDS = /^sealedProxy\.\w+=\S+ cannot be used: it must be a number of seconds above 0/;
const wrongType = (name: string, expected: string) =>
  new RegExp(`^sealedProxy.${name} cannot be used: it must be ${expected}$`);

const BAD: readonly (readonly [Field, unknown, RegExp])[] = [
  ['autoStart', 'yes', wrongType('autoStart', 'true or false')],
  ['autoStart', 0, wrongType('autoStart', 'true or false')],
  ['terminal.enabled', 'true', wrongType('terminal.enabled', 'true or false')],
  ['terminal.enabled', null, wrongType('terminal.enabled', 'true or false')],
  ['statusBar.compact', 1, wrongType('statusBar.compact', 'true or false')],
  ['checkInterval', '60', wrongType('checkInterval', 'a number')],
  ['checkInterval', 0.5, INTERVAL],
  ['checkInterval', -1, INTERVAL],
  ['checkInterval', Number.NaN, INTERVAL],
  ['checkInterval', [60], wrongType('checkInterval', 'a number')],
  ['port', 65_536, /^sealedProxy\.port=65536 cannot be used: a port is/],
  ['port', '8080', wrongType('port', 'a number')],
  ['backendUrl', 'http://box', /^sealedProxy\.backendUrl=http:\/\/box cannot be used: http is for/],
  ['pcr0Environment', 'any', /^sealedProxy\.pcr0Environment=any cannot be used: it must be production/],
  ['additionalPcr0', [PCR0, 'ab'], /^sealedProxy\.additionalPcr0=ab cannot be used: a PCR0 value/],
  ['additionalPcr0', PCR0, wrongType('additionalPcr0', 'a list of strings')],
  ['requestTimeoutSeconds', 0, SECONDS],
  ['streamIdleTimeoutSeconds', 2_000_001, SECONDS],
  ['streamIdleTimeoutSeconds', true, wrongType('streamIdleTimeoutSeconds', 'a number')],
  ['allowedOrigins', ['*'], /^sealedProxy\.allowedOrigins=\* cannot be used: it must be an origin/],
  ['allowedOrigins', [7], wrongType('allowedOrigins', 'a list of strings')],
  ['logLevel', 'loud', /^sealedProxy\.logLevel=loud cannot be used: it must be one of error/],
  ['httpsProxy', 'ftp://box', /^http\.proxy=ftp:\/\/box cannot be used: it must be the URL of a proxy/],
  ['httpsProxy', 'ftp://me:word@box', /^http\.proxy cannot be used: it must be the URL of a proxy/],
];

describe('validateSettings()', () => {
  it('takes the settings as they are written if all are good', () => {
    assert.deepEqual(validateSettings(NEXT, BEFORE), { settings: NEXT, problems: [] });
    assert.deepEqual(validateSettings(BEFORE, NEXT), { settings: BEFORE, problems: [] });
    for (const checkInterval of [0, 1, 1.5, 86_400]) {
      assert.deepEqual(validateSettings({ ...NEXT, checkInterval }, BEFORE).problems, [], String(checkInterval));
    }
  });

  for (const [field, value, sentence] of BAD) {
    it(`keeps the last good ${field} in place of ${JSON.stringify(value).slice(0, 30)}, and takes all others`, () => {
      const { settings, problems } = validateSettings(change(NEXT, field, value), BEFORE);
      assert.deepEqual(settings, keep(NEXT, field));
      const [problem] = problems;
      assert.deepEqual([problems.length, problem?.setting], [1, field]);
      assert.match(problem?.editorMessage ?? '', sentence);
    });
  }

  it('keeps every last good value where several are bad, and refuses each by its own name', () => {
    const fields = [
      'autoStart',
      'terminal.enabled',
      'checkInterval',
      'port',
      'allowedOrigins',
      'logLevel',
      'httpsProxy',
    ] as const;
    const written = fields.reduce((settings, field) => change(settings, field, 'x'), NEXT);
    const { settings, problems } = validateSettings(written, BEFORE);
    assert.deepEqual(settings, fields.reduce(keep, NEXT));
    assert.deepEqual(
      problems.map(({ setting }) => setting),
      ['port', 'allowedOrigins', 'logLevel', 'autoStart', 'checkInterval', 'terminal.enabled', 'httpsProxy'],
    );
  });

  it('keeps the last good value for as long as a bad one is written', () => {
    const written = change(NEXT, 'port', -1);
    const first = validateSettings(written, BEFORE);
    const second = validateSettings({ ...written, autoStart: true }, first.settings);
    assert.equal(second.settings.proxy.port, BEFORE.proxy.port);
    assert.equal(second.settings.autoStart, true);
    assert.deepEqual(second.problems, first.problems);
    assert.deepEqual(validateSettings(NEXT, second.settings), { settings: NEXT, problems: [] });
  });

  for (const [field, value, sentence] of BAD) {
    it(`leaves a bad value where there was no good ${field}, and refuses ${JSON.stringify(value).slice(0, 30)} once`, () => {
      const written = change(NEXT, field, value);
      const { settings, problems } = validateSettings(written, written);
      assert.deepEqual(settings, written);
      const [problem] = problems;
      assert.deepEqual([problems.length, problem?.setting], [1, field]);
      assert.match(problem?.editorMessage ?? '', sentence);
    });
  }

  it('takes the first good value after a bad start', () => {
    const started = change(BEFORE, 'backendUrl', 'nowhere');
    assert.deepEqual(validateSettings(NEXT, started), { settings: NEXT, problems: [] });
  });

  it('refuses an http.proxy of another type', () => {
    for (const value of [7, true, {}, [], ['http://box']]) {
      const { settings, problems } = validateSettings(change(NEXT, 'httpsProxy', value), BEFORE);
      assert.deepEqual(settings, keep(NEXT, 'httpsProxy'));
      assert.deepEqual(
        problems.map(({ setting }) => setting),
        ['httpsProxy'],
      );
    }
  });

  it('keeps the last good value of one setting while another has been bad since the start', () => {
    const started = change(BEFORE, 'port', -1);
    const { settings, problems } = validateSettings(change(started, 'logLevel', 'loud'), started);
    assert.deepEqual(settings, started);
    const names = problems.map(({ setting }) => setting).toSorted();
    assert.deepEqual(names, ['logLevel', 'port']);
  });

  it('refuses each bad setting at a bad start', () => {
    const started = change(change(BEFORE, 'port', -1), 'logLevel', 'loud');
    const names = validateSettings(started, started).problems.map(({ setting }) => setting);
    assert.deepEqual(names.toSorted(), ['logLevel', 'port']);
  });

  it('takes the rest of the network where http.proxy is bad', () => {
    const before = { ...BEFORE, network: { strictTls: false } };
    const written = { ...NEXT, network: { strictTls: true, httpsProxy: 'box' } };
    assert.deepEqual(validateSettings(written, before).settings.network, { strictTls: true });
  });
});

describe('startSettings()', () => {
  it('replaces a bad setting of the extension by its default, and keeps a bad one of the proxy', () => {
    const written = change(change(NEXT, 'terminal.enabled', 'yes'), 'port', -1);
    assert.deepEqual(startSettings(written), { ...written, 'terminal.enabled': false });
  });
});
