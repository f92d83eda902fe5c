import assert from 'node:assert/strict';
import {
  describeAccess,
  misspelledNames,
  unknownModels,
  unknownVariables,
} from '../../../../src/proxy/hosts/startNotes.ts';
import { VARIABLES } from '../../../../src/settings/environment.ts';

describe('describeAccess()', () => {
  it('says who may use the proxy', () => {
    assert.deepEqual(describeAccess({ apiKey: null, accessKeys: [], accessKeysOnly: false }, 0), {
      accessKeys: 0,
      note: 'Every client must bring its own API key of the backend.',
    });
    const one = describeAccess({ apiKey: 'hidden', accessKeys: ['hidden-too'], accessKeysOnly: false }, 0);
    assert.match(one.note, /^Clients with the access key use the API key of the proxy; others must bring their own/);
    const two = describeAccess({ apiKey: 'hidden', accessKeys: ['x', 'y'], accessKeysOnly: true }, 0);
    assert.equal(two.accessKeys, 2);
    assert.match(two.note, /^Clients with one of the 2 access keys .*; others are refused\.$/);
    assert.doesNotMatch(one.note, /hidden/);
  });

  it('counts the access keys that have expired', () => {
    const keyLimits = new Map([
      ['1', { expires: '2027-01-31' }],
      ['2', { expires: '2027-02-01' }],
      ['3', { requests: 1 }],
    ]);
    const expiredAt = (time: string) =>
      describeAccess(
        { apiKey: 'hidden', accessKeys: ['x', 'y', 'z'], accessKeysOnly: false, keyLimits },
        Date.parse(time),
      ).expired;
    assert.deepEqual(['2027-01-31', '2027-02-01', '2027-03-01'].map(expiredAt), [undefined, 1, 2]);
  });
});

describe('unknownModels()', () => {
  const list = { data: [{ id: 'chats' }, { id: 'embeds', tasks: ['embed'] }] };
  const config = {
    messagesModel: '',
    responsesModel: '',
    clientNames: new Map([['1', 'alice']]),
    keyLimits: new Map(),
  };

  it('finds nothing in models that the backend offers, and nothing without models', () => {
    assert.deepEqual(unknownModels(config, list), []);
    const keyLimits = new Map([['1', { models: ['chats', 'embeds'] }]]);
    assert.deepEqual(unknownModels({ ...config, messagesModel: 'chats', keyLimits }, list), []);
  });

  it('names the setting or the client of any other model', () => {
    const note = /^The backend does not offer this model to the API key of the proxy\. GET \/v1\/models lists/;
    const found = unknownModels(
      {
        ...config,
        messagesModel: 'embeds',
        responsesModel: 'gone',
        keyLimits: new Map([
          ['1', { models: ['chats', 'chat'] }],
          ['2', { models: ['glm'] }],
          ['3', {}],
        ]),
      },
      list,
    );
    assert.deepEqual(
      found.map(({ setting, client, model }) => [setting ?? client, model]),
      [
        ['PROXY_MESSAGES_MODEL', 'embeds'],
        ['PROXY_RESPONSES_MODEL', 'gone'],
        ['alice', 'chat'],
        ['2', 'glm'],
      ],
    );
    for (const warning of found) assert.match(warning.note, note);
  });
});

describe('misspelledNames()', () => {
  it('names the variables that were probably meant, and no other ones', () => {
    assert.equal(
      misspelledNames({ PROXY_APIKEY: 'hidden', PROXY_SOMETHING_ELSE: 'x', PROXY_PORT: '1' }),
      ' (PROXY_APIKEY: This is not a setting of the proxy, and is ignored. Did you mean PROXY_API_KEY?)',
    );
    assert.equal(misspelledNames({ PROXY_PORT: '1' }), '');
  });
});

describe('unknownVariables()', () => {
  const noteOf = (name: string) => unknownVariables({ [name]: 'hidden' })[0]?.note;

  it('warns about no setting, and about no variable of others', () => {
    const settings = Object.fromEntries(VARIABLES.map(({ variable }) => [variable, 'x']));
    assert.deepEqual(unknownVariables({ ...settings, HTTPS_PROXY: 'x', MY_PROXY_X: 'x' }), []);
  });

  it('names the nearest setting', () => {
    for (const [name, nearest] of [
      ['PROXY_ACCES_KEYS', 'PROXY_ACCESS_KEYS'],
      ['PROXY_APIKEY', 'PROXY_API_KEY'],
      ['PROXY_REQUEST_TIMEOUT', 'PROXY_REQUEST_TIMEOUT_SECS'],
      ['PROXY_TLS_KEY', 'PROXY_TLS_KEY_FILE'],
      ['PROXY_TIMEOUT', undefined],
      ['PROXY_BACKEND', 'PROXY_BACKEND_URL'],
      ['PROXY_SOMETHING_ELSE', undefined],
    ] as const) {
      const end = nearest === undefined ? 'See --help for all settings.' : `Did you mean ${nearest}?`;
      assert.equal(noteOf(name), `This is not a setting of the proxy, and is ignored. ${end}`, name);
    }
  });

  it('explains the variables of Kubernetes in one sentence', () => {
    const names = ['PROXY_SERVICE_HOST', 'PROXY_SERVICE_PORT', 'PROXY_SERVICE_PORT_HTTP', 'PROXY_PORT_14114_TCP'];
    names.push(...['PROTO', 'PORT', 'ADDR'].map((part) => `PROXY_PORT_14114_TCP_${part}`));
    const found = unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])));
    assert.deepEqual(
      found.map(({ variable }) => variable),
      ['PROXY_SERVICE_HOST'],
    );
    assert.match(found[0]?.note ?? '', /enableServiceLinks: false/);
  });
});
