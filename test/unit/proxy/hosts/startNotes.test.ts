import assert from 'node:assert/strict';
import { describeAccess, misspelledNames, unknownVariables } from '../../../../src/proxy/hosts/startNotes.ts';
import { VARIABLES } from '../../../../src/settings/environment.ts';

describe('describeAccess()', () => {
  it('says who may use the proxy', () => {
    assert.deepEqual(describeAccess({ apiKey: null, accessKeys: [], accessKeysOnly: false }), {
      accessKeys: 0,
      note: 'Every client must bring its own API key of the backend.',
    });
    const one = describeAccess({ apiKey: 'hidden', accessKeys: ['hidden-too'], accessKeysOnly: false });
    assert.match(one.note, /^Clients with the access key use the API key of the proxy; others must bring their own/);
    const two = describeAccess({ apiKey: 'hidden', accessKeys: ['x', 'y'], accessKeysOnly: true });
    assert.equal(two.accessKeys, 2);
    assert.match(two.note, /^Clients with one of the 2 access keys .*; others are refused\.$/);
    assert.doesNotMatch(one.note, /hidden/);
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
      ['PROXY_REQUEST_TIMEOUT', undefined],
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
