// The evidence of a session contains nothing that opens the session or one of its records: the complete traffic is recorded,
// and everything in the evidence is tried as a key.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import { bestPrimitives } from '../../src/proxy/backend/connection.ts';
import { agree, deriveSessionKeys } from '../../src/session/keys.ts';
import type { Transcript } from '../../src/session/keys.ts';
import { Session } from '../../src/session/session.ts';
import type { Primitives } from '../../src/session/session.ts';
import { asBuffer, toBase64, toHex } from '../../src/shared/bytes.ts';
import type { Evidence } from '../../src/shared/evidence.ts';
import { VerifiedConnection } from '../../src/supervisor/localProxy.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';
import type { TcpRecorder } from '../support/e2e/tcpRecorder.ts';
import { decodedFields, searchKeys } from '../support/keySearch.ts';
import type { Recording, Role } from '../support/keySearch.ts';

const OWNERSHIP = randomBytes(32);
const CACHE_ROOT = randomBytes(32).toString('base64');
const PROMPT = 'What is in the evidence?';

/** The bodies of the HTTP requests to this path that were sent on a connection. */
function bodiesOf(traffic: Buffer, path: string): Buffer[] {
  const bodies: Buffer[] = [];
  const text = traffic.toString('latin1');
  for (let at = text.indexOf(`POST ${path} `); at !== -1; at = text.indexOf(`POST ${path} `, at + 1)) {
    const head = text.slice(at, text.indexOf('\r\n\r\n', at));
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    bodies.push(traffic.subarray(at + head.length + 4, at + head.length + 4 + length));
  }
  return bodies;
}

/** What was recorded of a session, by someone who knows where TLS ends. */
function recordingOf(recorder: TcpRecorder, { challenge, clientPublicKey, serverPublicKey }: Evidence): Recording {
  const traffic = recorder.sent;
  const [offer] = bodiesOf(traffic, '/v2/session');
  const [record] = bodiesOf(traffic, '/v2/request');
  assert.ok(offer && record && serverPublicKey !== null);
  const sent = JSON.parse(offer.toString()) as Record<string, unknown>;
  assert.deepEqual([sent['challenge'], sent['client_public_key']], [challenge, clientPublicKey]);
  const sessionId = /^x-session-id: ([0-9a-f]{32})\r$/im.exec(traffic.toString('latin1'))?.[1] ?? assert.fail();
  return {
    challenge: Buffer.from(challenge, 'base64'),
    clientPublicKey: Buffer.from(clientPublicKey, 'base64'),
    serverPublicKey: Buffer.from(serverPublicKey, 'base64'),
    sessionId: Buffer.from(sessionId, 'hex'),
    record,
  };
}

/** Primitives that keep a copy of the secrets from which the keys are derived. */
function tappedPrimitives(): { readonly primitives: Primitives; readonly tapped: Uint8Array[] } {
  const { aead, hkdf } = bestPrimitives();
  const tapped: Uint8Array[] = [];
  const keep = (secret: Uint8Array) => {
    tapped.push(Uint8Array.from(secret));
    return secret;
  };
  const extract = (salt: Uint8Array, inputKey: Uint8Array) => keep(hkdf.extract(salt, keep(inputKey)));
  return { tapped, primitives: { aead, hkdf: { extract, expander: (prk) => hkdf.expander(keep(prk)) } } };
}

describe('The evidence of a session', () => {
  const scope = perTest();

  it('contains nothing that opens its recorded traffic, and no key or session ID', async function () {
    const tls = createTlsIdentity(Date.now());
    const enclave = await scope.enclave({ signed: {} });
    const recorder = await scope.recorder(enclave);
    const front = createServer({ key: tls.key, cert: tls.cert }, (socket) => {
      const target = connect(recorder.port, '127.0.0.1');
      for (const side of [socket, target]) side.on('error', () => undefined);
      socket.pipe(target).pipe(socket);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    scope.onClose(async () => {
      front.close();
      await once(front, 'close');
    });
    const { primitives, tapped } = tappedPrimitives();
    const proxy = await scope.internalProxy(
      { url: `https://127.0.0.1:${(front.address() as AddressInfo).port}` },
      { PROXY_ADDITIONAL_PCR0: toHex(DEVELOPMENT_PCR0), PROXY_CACHE_NAMESPACE_ROOT: CACHE_ROOT },
      {
        network: { certificates: [tls.ca] },
        internals: { anchors: enclave.anchors, primitives },
        ownership: OWNERSHIP,
      },
    );
    assert.equal((await sendRequest(proxy.url, { body: chatBody(PROMPT) })).status, 200);
    const connection = new VerifiedConnection(proxy.port, OWNERSHIP);
    await connection.probe();
    const evidence = await connection.evidence();
    connection.end();
    assert.ok(evidence !== null && evidence.checks.every(({ result }) => result === 'pass'));
    const recording = recordingOf(recorder, evidence);

    assert.deepEqual(searchKeys(evidence, recording), []);

    const text = JSON.stringify(evidence);
    const secrets = {
      'the API key': API_KEY,
      'the access key': ACCESS_KEY,
      'the cache root': CACHE_ROOT,
      'the session ID': toHex(recording.sessionId),
      'the ownership secret': OWNERSHIP.toString('base64'),
      'the prompt': PROMPT,
    };
    assertNoSecretLeaks(secrets, text, 'the evidence');
    const raw = Buffer.concat(decodedFields(evidence));
    for (const secret of [recording.sessionId, Buffer.from(CACHE_ROOT, 'base64'), OWNERSHIP, ...tapped]) {
      assert.ok(!raw.includes(asBuffer(secret)));
    }

    // The same search finds each secret of this session that would be in the evidence.
    const planted = tapped.map((secret) => searchKeys({ version: toBase64(secret) }, recording));
    const roles = new Set<Role>(planted.flat());
    assert.deepEqual([...roles].toSorted(), ['extracted key', 'request key', 'shared secret']);
    const [shared] = tapped;
    const hidden = Buffer.concat([randomBytes(50), shared ?? assert.fail(), randomBytes(9)]).toString('base64');
    assert.deepEqual(searchKeys({ ...evidence, attestationDocument: hidden, checks: [] }, recording), [
      'shared secret',
    ]);
  });
});

describe('The search for keys', () => {
  it('finds a secret in every role in which it can be', () => {
    const client = generateKeyPairSync('x25519');
    const server = generateKeyPairSync('x25519');
    const rawPublic = (key: typeof client.publicKey) => key.export({ type: 'spki', format: 'der' }).subarray(12);
    const rawPrivate = client.privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(16);
    const transcript: Transcript = {
      challenge: randomBytes(32),
      clientPublicKey: rawPublic(client.publicKey),
      serverPublicKey: rawPublic(server.publicKey),
    };
    const { primitives, tapped } = tappedPrimitives();
    const shared = agree(client.privateKey, transcript.serverPublicKey);
    const keys = deriveSessionKeys(primitives.hkdf, transcript, shared);
    const { sessionId } = keys;
    const session = new Session(primitives, keys, transcript.challenge, { kind: 'development', moduleId: undefined });
    const { sealer } = session.beginCall();
    const record = sealer.seal(Buffer.from('metadata'), [Buffer.from(PROMPT)]);
    const recording = { ...transcript, sessionId, record };
    const found = (secret: Uint8Array) =>
      [toHex(secret), toBase64(secret), toBase64(Buffer.concat([randomBytes(7), secret]))].map((text) =>
        searchKeys({ checks: [{ examined: { found: ['x', text] } }] }, recording).join(),
      );
    const three = (role: Role) => [role, role, role];
    assert.deepEqual(found(rawPrivate), three('private key'));
    assert.deepEqual(found(shared), three('shared secret'));
    assert.deepEqual(found(tapped[1] ?? assert.fail()), three('extracted key'));
    const requestKey = tapped.find((secret) => found(secret)[0] === 'request key') ?? assert.fail();
    assert.deepEqual(found(requestKey), three('request key'));
    const requestId = record.subarray(0, 16);
    const subkey = primitives.hkdf
      .expander(requestKey)
      .expand(Buffer.from('opensecret/transport-v2/request-subkey/v1\0'), sessionId, requestId);
    assert.deepEqual(found(subkey), three('request subkey'));
    assert.deepEqual(found(randomBytes(32)), ['', '', '']);
  });
});
