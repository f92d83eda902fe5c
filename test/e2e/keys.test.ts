// Section 5 of the specification: which keys are accepted, and which key reaches the backend.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { curl } from '../support/e2e/curl.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import type { ExpectedError } from '../support/e2e/proxyErrors.ts';
import { exchangeRaw } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, API_KEY, perSuite, serve } from '../support/e2e/scope.ts';

const OTHER_ACCESS_KEY = `sealed-${'another_key'.repeat(4).slice(0, 43)}`;
const RELAYED = [
  ['GET', '/v1/models'],
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/embeddings'],
] as const;

/** The entry for a key in the journal of the enclave. */
function named(key: string): object {
  return { kind: 'api_key', sha256: createHash('sha256').update(key).digest('hex').slice(0, 12) };
}

describe('The key of a request', () => {
  const served = serve(perSuite(), { settings: { PROXY_ACCESS_KEYS: `${ACCESS_KEY}, ${OTHER_ACCESS_KEY}` } });

  /** Sends one raw request with these header lines. */
  const sendWith = (...lines: readonly string[]) => {
    const head = ['GET /v1/models HTTP/1.1', `Host: 127.0.0.1:${served.proxy.port}`, ...lines];
    return exchangeRaw(served.proxy.port, `${head.join('\r\n')}\r\n\r\n`);
  };

  it('is required on every relayed route', async () => {
    for (const [method, path] of RELAYED) {
      const response = await curl('-X', method, served.proxy.url + path);
      assertError(response, ERRORS.noKey);
      assert.deepEqual(response.headers['www-authenticate'], ['Bearer realm="sealed-proxy"']);
    }
  });

  const longest = 'k'.repeat(16_384);
  const refused: [string, readonly string[], ExpectedError][] = [
    ['no Authorization header', [], ERRORS.noKey],
    ['an empty Authorization header', ['Authorization:'], ERRORS.noKey],
    ['another scheme', ['Authorization: Basic ZGV2OmtleQ=='], ERRORS.noKey],
    ['no scheme', [`Authorization: ${API_KEY}`], ERRORS.noKey],
    ['a scheme that only begins like Bearer', [`Authorization: Bearerish ${API_KEY}`], ERRORS.noKey],
    ['a bearer without a token', ['Authorization: Bearer'], ERRORS.noKey],
    ['a bearer of spaces', ['Authorization: Bearer    '], ERRORS.noKey],
    ['two Authorization headers', ['Authorization: Bearer dev-a', 'Authorization: Bearer dev-b'], ERRORS.noKey],
    ['the same Authorization header twice', Array(2).fill(`Authorization: Bearer ${ACCESS_KEY}`), ERRORS.noKey],
    ['a key in another header', [`X-Api-Key: ${ACCESS_KEY}`], ERRORS.noKey],
    ['a space inside the key', ['Authorization: Bearer dev-a b'], ERRORS.badKey],
    ['a tab inside the key', ['Authorization: Bearer dev-a\tb'], ERRORS.badKey],
    ['a key that is not ASCII', ['Authorization: Bearer dev-\xe9'], ERRORS.badKey],
    ['a key in UTF-8', [`Authorization: Bearer dev-${Buffer.from('ключ').toString('latin1')}`], ERRORS.badKey],
    ['a non-ASCII space after the key', [`Authorization: Bearer ${API_KEY}\xa0`], ERRORS.badKey],
    ['a non-ASCII space before the key', [`Authorization: Bearer \xa0${API_KEY}`], ERRORS.badKey],
    ['an access key with a non-ASCII space', [`Authorization: Bearer ${ACCESS_KEY}\xa0`], ERRORS.badKey],
    ['a key of 16,385 characters', [`Authorization: Bearer ${longest}k`], ERRORS.badKey],
    ['a key of 128 KiB', [`Authorization: Bearer ${longest.repeat(8)}`], ERRORS.badKey],
    ['an access key that is not listed', [`Authorization: Bearer sealed-${'A'.repeat(43)}`], ERRORS.unknownAccessKey],
    [
      'an access key without its last character',
      [`Authorization: Bearer ${ACCESS_KEY.slice(0, -1)}`],
      ERRORS.unknownAccessKey,
    ],
    ['an access key with one more character', [`Authorization: Bearer ${ACCESS_KEY}A`], ERRORS.unknownAccessKey],
    ['the beginning of an access key', ['Authorization: Bearer sealed-'], ERRORS.unknownAccessKey],
    ['an access key in capitals', [`Authorization: Bearer ${ACCESS_KEY.toUpperCase()}`], ERRORS.unknownAccessKey],
    ['an access key after a quotation mark', [`Authorization: Bearer "${ACCESS_KEY}`], ERRORS.unknownAccessKey],
    ['an access key without its prefix', [`Authorization: Bearer ${ACCESS_KEY.slice(7)}`], ERRORS.unknownAccessKey],
  ];
  for (const [what, lines, error] of refused) {
    it(`is refused with 401 and not forwarded: ${what}`, async () => {
      const index = served.enclave.journal.requests.length;
      const response = await sendWith(...lines);
      assertError(response, error);
      assert.equal(response.field('www-authenticate'), 'Bearer realm="sealed-proxy"');
      assert.equal(served.enclave.journal.requests.length, index);
    });
  }

  const taken: [string, string, string][] = [
    ['an access key is replaced with the API key of the proxy', `Authorization: Bearer ${ACCESS_KEY}`, API_KEY],
    ['so is every other listed access key', `Authorization: Bearer ${OTHER_ACCESS_KEY}`, API_KEY],
    ['the scheme is accepted in lower case', `authorization: bearer ${ACCESS_KEY}`, API_KEY],
    ['the scheme is accepted in capitals', `AUTHORIZATION: BEARER ${ACCESS_KEY}`, API_KEY],
    ['spaces around the key are ignored', `Authorization:  Bearer   ${ACCESS_KEY}  `, API_KEY],
    ['tabs and spaces after the key are ignored', `Authorization: Bearer ${ACCESS_KEY}\t \t`, API_KEY],
    [
      'any other key is the client’s own API key and is forwarded unchanged',
      'Authorization: Bearer dev-own/key=+~',
      'dev-own/key=+~',
    ],
    [
      'a key that only resembles an access key is the client’s own API key',
      'Authorization: Bearer dev-unsealed',
      'dev-unsealed',
    ],
    ['a key may have 16,384 characters', `Authorization: Bearer dev-${longest.slice(4)}`, `dev-${longest.slice(4)}`],
  ];
  for (const [what, line, key] of taken) {
    it(`is sent inside the envelope: ${what}`, async () => {
      const index = served.enclave.journal.requests.length;
      assert.equal((await sendWith(line)).status, 200);
      const { credential, headers } = await served.enclave.journal.request(index);
      assert.deepEqual(credential, named(key));
      assert.deepEqual(headers, []);
    });
  }

  it('is checked by the backend when it is the client’s own', async () => {
    const response = await sendRequest(served.proxy.url, { method: 'GET', path: '/v1/models', key: 'sk-deleted' });
    assert.equal(response.status, 401);
    assert.deepEqual(response.json(), { status: 401, message: 'The API key is missing, invalid or was deleted' });
    assert.equal(response.headers['www-authenticate'], undefined);
  });

  it('is checked before the target, the headers and the length of the body', async () => {
    const response = await sendWith('Content-Length: 99999999999', ...Array<string>(90).fill('x-many: 1'));
    assertError(response, ERRORS.noKey);
  });
});

describe('A proxy without an API key', () => {
  const scope = perSuite();

  it('forwards the clients’ own keys, and accepts no access key', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, { PROXY_API_KEY: '', PROXY_ACCESS_KEYS: '' });
    const path = '/v1/models';
    assertError(await sendRequest(proxy.url, { method: 'GET', path }), ERRORS.noApiKey);
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path, key: 'dev-own' })).status, 200);
    assert.deepEqual((await enclave.journal.request(0)).credential, named('dev-own'));
  });

  it('reports the missing API key to a client with a correct access key', async () => {
    const enclave = await scope.enclave();
    const hosted = scope.hosted();
    hosted.send({
      type: 'start',
      settings: { backendUrl: enclave.url, port: 0 },
      secrets: { apiKey: null, accessKeys: [ACCESS_KEY] },
      cacheNamespaceRoot: Buffer.alloc(32, 1).toString('base64'),
      network: {},
    });
    const { url } = await hosted.message('ready');
    assertError(await sendRequest(url, { method: 'GET', path: '/v1/models' }), ERRORS.noApiKey);
    assert.equal(enclave.journal.requests.length, 0);
  });
});
