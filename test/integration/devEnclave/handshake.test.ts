import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { DEVELOPMENT_PCR0 } from '../../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../../src/devEnclave/attestation/tlsIdentity.ts';
import { createDocumentSigner } from '../../../src/devEnclave/faults/documentSigner.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import type { Trust } from '../../../src/session/handshake.ts';
import { generateKeyPair } from '../../../src/session/keys.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { call, collect, connect, send } from '../../support/devEnclave/client.ts';
import type { OuterAnswer } from '../../support/devEnclave/client.ts';
import { useEnclaves } from '../../support/devEnclave/fixture.ts';

/** The correct request of a client, with changes. */
async function offer(
  url: string,
  change: { headers?: object; fields?: object; body?: string; path?: string; method?: string } = {},
): Promise<OuterAnswer> {
  const challenge = randomBytes(32).toString('base64');
  const clientPublicKey = Buffer.from(generateKeyPair().publicKey).toString('base64');
  const fields = { version: 2, challenge, client_public_key: clientPublicKey, ...change.fields };
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'x-opensecret-routing-key': challenge,
    ...change.headers,
  };
  const { path = '/v2/session', method = 'POST', body = JSON.stringify(fields) } = change;
  return collect(await send(url + path, { method, headers, body }));
}

describe('The handshake of the development enclave', () => {
  const start = useEnclaves();
  let enclave: RunningEnclave;

  beforeEach(async () => {
    enclave = await start();
  });

  it('makes a session with a correct client', async () => {
    const session = await connect(enclave.url);
    assert.match(session.id, /^[0-9a-f]{32}$/);
    assert.equal(session.attestation.kind, 'development');
    assert.equal(enclave.journal.handshakes, 1);
  });

  it('sends exactly the reply of the protocol', async () => {
    const { status, headers, body } = await offer(enclave.url);
    assert.equal(status, 200);
    assert.deepEqual(headers['content-type'], ['application/json']);
    const reply = JSON.parse(body.toString()) as Record<string, unknown>;
    assert.deepEqual(Object.keys(reply), ['version', 'session_id', 'attestation_document', 'expires_in_seconds']);
    assert.equal(reply['version'], 2);
    assert.equal(reply['expires_in_seconds'], 3600);
  });

  const refused: [string, Parameters<typeof offer>[1]][] = [
    ['another method', { method: 'PUT' }],
    ['a query', { path: '/v2/session?a=1' }],
    ['a content type with a parameter', { headers: { 'content-type': 'application/json; charset=utf-8' } }],
    ['another content type', { headers: { 'content-type': 'text/plain' } }],
    ['two content types', { headers: { 'content-type': ['application/json', 'application/json'] } }],
    ['an authorization header', { headers: { authorization: 'Bearer dev-key' } }],
    ['a cookie', { headers: { cookie: 'a=1' } }],
    ['a proxy-authorization header', { headers: { 'proxy-authorization': 'Basic eA==' } }],
    ['a content encoding', { headers: { 'content-encoding': 'identity' } }],
    ['another routing key', { headers: { 'x-opensecret-routing-key': randomBytes(32).toString('base64') } }],
    ['two routing keys', { headers: { 'x-opensecret-routing-key': ['a', 'b'] } }],
    ['another version', { fields: { version: 1 } }],
    ['an additional field', { fields: { extra: 1 } }],
    ['a missing field', { fields: { client_public_key: undefined } }],
    ['a key of 31 bytes', { fields: { client_public_key: randomBytes(31).toString('base64') } }],
    ['a key that is not canonical Base64', { fields: { client_public_key: `${'A'.repeat(42)}B=` } }],
    ['a low-order key', { fields: { client_public_key: Buffer.alloc(32).toString('base64') } }],
    ['a body that is not JSON', { body: '{' }],
    ['a body of more than 4 KiB', { body: ' '.repeat(4097) }],
    ['a content-length of more than 4 KiB', { body: '{}', headers: { 'content-length': 4097 } }],
  ];
  for (const [what, change] of refused) {
    it(`rejects ${what}`, async () => {
      const { status, headers, body } = await offer(enclave.url, change);
      assert.equal(status, 400);
      assert.deepEqual(headers['content-type'], ['application/json']);
      assert.equal(headers['x-opensecret-error-contract'], undefined);
      assert.equal((JSON.parse(body.toString()) as { status: number }).status, 400);
    });
  }

  it('accepts a body of exactly 4 KiB', async () => {
    const challenge = randomBytes(32).toString('base64');
    const key = Buffer.from(generateKeyPair().publicKey).toString('base64');
    const body = JSON.stringify({ version: 2, challenge, client_public_key: key }).padEnd(4096);
    assert.equal((await offer(enclave.url, { body, headers: { 'x-opensecret-routing-key': challenge } })).status, 200);
  });

  it('responds with 404 at other paths', async () => {
    for (const path of ['/', '/v1/session', '/v2/session/', '/v2', '/health']) {
      assert.equal((await offer(enclave.url, { path })).status, 404, path);
    }
  });
});

describe('The signed handshake of the development enclave', () => {
  const start = useEnclaves();
  const history = () => Promise.reject(new Error('The history must not be fetched'));

  function trust(enclave: RunningEnclave, additional: readonly string[] = [toHex(DEVELOPMENT_PCR0)]): Trust {
    return { kind: 'nitro', anchors: enclave.anchors, policy: { environment: 'development', additional }, history };
  }

  it('is accepted over https by the unmodified verifier if it trusts the authority', async () => {
    const tls = createTlsIdentity(Date.now());
    const enclave = await start({ tls, signed: { moduleId: 'i-test-enc1' } });
    assert.match(enclave.url, /^https:/);
    const session = await connect(enclave.url, trust(enclave));
    assert.ok(session.attestation.kind === 'verified');
    assert.equal(session.attestation.enclave.document.moduleId, 'i-test-enc1');
    const answer = await call(enclave.url, session, undefined, { method: 'GET', target: '/v1/models' });
    assert.equal(answer.status, 200);
  });

  it('reports the configured PCR0', async () => {
    const enclave = await start({ signed: { pcr0: new Uint8Array(48).fill(5) } });
    const session = await connect(enclave.url, trust(enclave, ['05'.repeat(48)]));
    assert.equal(session.attestation.kind, 'verified');
  });

  it('is rejected by a verifier that trusts a different authority', async () => {
    const enclave = await start({ signed: {} });
    const strict: Trust = {
      kind: 'nitro',
      anchors: createDocumentSigner({ clock: Date.now }).anchors,
      policy: { environment: 'development', additional: [] },
      history,
    };
    await assert.rejects(connect(enclave.url, strict), { code: 'attestation_refused' });
  });

  it('reports the time of the configured clock', async () => {
    const hour = 3_600_000;
    const enclave = await start({ signed: {}, clock: () => Date.now() + hour });
    await assert.rejects(connect(enclave.url, trust(enclave)), (error: Error) => {
      assert.match(error.message, /clock is about (59|60) minutes behind the enclave/);
      return true;
    });
  });
});
