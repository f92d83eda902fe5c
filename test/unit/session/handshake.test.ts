import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { makeUnsignedDocument } from '../../../src/devEnclave/attestation/document.ts';
import type { Bindings } from '../../../src/devEnclave/attestation/document.ts';
import type { SessionErrorCode } from '../../../src/session/errors.ts';
import { performHandshake } from '../../../src/session/handshake.ts';
import type { Trust } from '../../../src/session/handshake.ts';
import { EnclaveHalf } from '../../support/enclaveHalf.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { FakeTransport } from '../../support/fakeTransport.ts';
import {
  JSON_FIELDS,
  TIMEOUT,
  beginHandshake,
  bindingsOf,
  developmentReply,
  replyOf,
  userDataOf,
  watchedPrimitives,
} from '../../support/handshakes.ts';
import type { PendingHandshake } from '../../support/handshakes.ts';
import { ALL_PRIMITIVES, PRIMITIVES } from '../../support/sessions.ts';
import { RFC_7748, hex } from '../../support/vectors.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

const DEVELOPMENT: Trust = { kind: 'development' };

function refusal(code: SessionErrorCode, detail?: string) {
  return (error: unknown) => {
    const { name, code: actual, cause } = error as { name: string; code: string; cause?: { code?: string } };
    assert.deepEqual([name, actual, detail && cause?.code], ['SessionError', code, detail]);
    return true;
  };
}

describe('performHandshake() and its request', () => {
  it('sends exactly the request of the specification', async () => {
    const { call, offer } = await beginHandshake(DEVELOPMENT);
    const { method, path, headers, body } = call.request;
    const challenge = offer.challenge.toString('base64');
    assert.deepEqual([method, path], ['POST', '/v2/session']);
    assert.deepEqual(headers, ['content-type', 'application/json', 'x-opensecret-routing-key', challenge]);
    assert.ok(body instanceof Uint8Array && body.length <= 4096);
    const clientPublicKey = offer.clientPublicKey.toString('base64');
    assert.equal(
      Buffer.from(body).toString(),
      `{"version":2,"challenge":"${challenge}","client_public_key":"${clientPublicKey}"}`,
    );
  });

  it('uses a fresh challenge and key pair each time', async () => {
    const offers = await Promise.all([1, 2, 3].map(() => beginHandshake(DEVELOPMENT)));
    assert.equal(new Set(offers.map(({ offer }) => offer.challenge.toString('hex'))).size, 3);
    assert.equal(new Set(offers.map(({ offer }) => offer.clientPublicKey.toString('hex'))).size, 3);
  });
});

describe('performHandshake() with a development backend', () => {
  for (const [label, primitives] of ALL_PRIMITIVES) {
    it(`makes a session with the keys of the enclave, ${label}`, async () => {
      const begun = await beginHandshake(DEVELOPMENT, primitives);
      begun.call.respond(200, JSON_FIELDS, developmentReply(begun));
      const session = await begun.session;
      assert.equal(session.id, begun.enclave.sessionId);
      assert.equal(session.routingKey, begun.offer.challenge.toString('base64'));
      const { sealer, opener } = session.beginCall();
      const { requestId } = begun.enclave.open(sealer.seal(Buffer.from('\0\0\0\u0002{}'), []));
      assert.equal(opener.open(begun.enclave.respond(requestId).seal(Buffer.of(3), 0)).kind, 'end');
      assert.equal(begun.call.isCancelled(), false);
      assert.equal(begun.clock.timers, 0);
      assert.equal(begun.transport.calls.length, 1);
    });
  }

  it('reports that nothing was verified', async () => {
    const begun = await beginHandshake(DEVELOPMENT);
    begun.call.respond(200, JSON_FIELDS, developmentReply(begun));
    const { attestation } = await begun.session;
    assert.equal(attestation.kind, 'development');
    assert.match(attestation.moduleId ?? '', /^i-/);
  });

  it('accepts a reply that arrives byte by byte', async () => {
    const begun = await beginHandshake(DEVELOPMENT);
    const bytes = Array.from(developmentReply(begun), (byte) => Uint8Array.of(byte));
    begun.call.respond(200, JSON_FIELDS, ...bytes);
    assert.equal((await begun.session).id, begun.enclave.sessionId);
  });

  const other = Buffer.alloc(32, 9);
  for (const [what, change, detail] of [
    ['is for another challenge', () => ({ nonce: other }), 'nonce_mismatch'],
    ['has a part of the challenge', ({ offer }) => ({ nonce: offer.challenge.subarray(1) }), 'nonce_mismatch'],
    ['has no nonce', () => ({ nonce: null }), 'nonce_mismatch'],
    ['has no public key', () => ({ publicKey: null }), 'public_key_mismatch'],
    ['has a public key of 31 bytes', () => ({ publicKey: Buffer.alloc(31, 9) }), 'public_key_mismatch'],
    ['has a public key of 33 bytes', () => ({ publicKey: Buffer.alloc(33, 9) }), 'public_key_mismatch'],
    ['is for another client', () => ({ userData: userDataOf(other) }), 'user_data_mismatch'],
    ['has no user data', () => ({ userData: null }), 'user_data_mismatch'],
    ['has user data without the label', ({ offer }) => ({ userData: offer.clientPublicKey }), 'user_data_mismatch'],
  ] satisfies readonly (readonly [string, (begun: PendingHandshake) => Partial<Bindings>, string])[]) {
    it(`rejects a document that ${what}, and derives nothing`, async () => {
      const { primitives, derived } = watchedPrimitives();
      const begun = await beginHandshake(DEVELOPMENT, primitives);
      const document = makeUnsignedDocument({ ...bindingsOf(begun), ...change(begun) }, 0);
      begun.call.respond(200, JSON_FIELDS, replyOf(begun, document));
      await assert.rejects(begun.session, refusal('attestation_refused', detail));
      assert.deepEqual(derived, []);
    });
  }

  it('rejects data that is not a document', async () => {
    for (const document of [Buffer.alloc(0), Buffer.from('not CBOR at all'), Buffer.alloc(5000, 0x81)]) {
      const begun = await beginHandshake(DEVELOPMENT);
      begun.call.respond(200, JSON_FIELDS, replyOf(begun, document));
      await assert.rejects(begun.session, refusal('attestation_refused', 'malformed_document'));
    }
  });

  it('rejects every low-order public key and derives nothing', async () => {
    for (const point of RFC_7748.low_order_points.points) {
      const { primitives, derived } = watchedPrimitives();
      const begun = await beginHandshake(DEVELOPMENT, primitives);
      const publicKey = hex(point);
      const zero = new EnclaveHalf(begun.offer, publicKey, new Uint8Array(32));
      const bindings = { ...bindingsOf(begun), publicKey };
      const reply = replyOf(begun, makeUnsignedDocument(bindings, 0), { session_id: zero.sessionId });
      begun.call.respond(200, JSON_FIELDS, reply);
      await assert.rejects(begun.session, refusal('weak_public_key'));
      assert.deepEqual(derived, []);
    }
  });

  it('rejects a session id with one wrong bit', async () => {
    for (const at of [0, 7, 15]) {
      const begun = await beginHandshake(DEVELOPMENT);
      const id = Buffer.from(begun.enclave.sessionId, 'hex');
      id[at] = (id[at] ?? 0) ^ 1;
      begun.call.respond(200, JSON_FIELDS, developmentReply(begun, { session_id: id.toString('hex') }));
      await assert.rejects(begun.session, refusal('session_id_mismatch'));
    }
  });

  it('rejects a public key whose private key the enclave does not have', async () => {
    const begun = await beginHandshake(DEVELOPMENT);
    const foreign = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const document = makeUnsignedDocument({ ...bindingsOf(begun), publicKey: foreign }, 0);
    begun.call.respond(200, JSON_FIELDS, replyOf(begun, document));
    await assert.rejects(begun.session, refusal('session_id_mismatch'));
  });
});

describe('performHandshake() and the outer response', () => {
  async function answered(act: (begun: PendingHandshake) => void): Promise<PendingHandshake> {
    const begun = await beginHandshake(DEVELOPMENT);
    act(begun);
    return begun;
  }

  for (const status of [
    201, 204, 206, 301, 302, 303, 307, 308, 400, 401, 403, 404, 413, 428, 429, 430, 499, 500, 502, 503, 599,
  ]) {
    it(`rejects status ${status}, even with a correct body, and follows no redirect`, async () => {
      const begun = await answered((handshake) => {
        const fields = [...JSON_FIELDS, ['location', '/v2/session']] as const;
        handshake.call.respond(status, fields, developmentReply(handshake));
      });
      const code = status === 429 || status >= 500 ? 'handshake_unavailable' : 'handshake_status';
      await assert.rejects(begun.session, refusal(code));
      await assert.rejects(begun.session, { message: new RegExp(`with ${status}$`) });
      assert.ok(begun.call.isCancelled());
      assert.equal(begun.clock.timers, 0);
      assert.equal(begun.transport.calls.length, 1);
    });
  }

  for (const [what, fields] of [
    ['no content type', []],
    ['a content type with a parameter', [['content-type', 'application/json; charset=utf-8']]],
    ['an upper-case content type', [['content-type', 'Application/JSON']]],
    ['the content type of records', [['content-type', 'application/octet-stream']]],
    ['two content types', [...JSON_FIELDS, ...JSON_FIELDS]],
    ['a second, different content type', [...JSON_FIELDS, ['content-type', 'text/html']]],
    ['two content types in one header', [['content-type', 'application/json, application/json']]],
  ] as const) {
    it(`rejects ${what} and cancels the request`, async () => {
      const begun = await answered((handshake) => {
        handshake.call.respond(200, fields, developmentReply(handshake));
      });
      await assert.rejects(begun.session, refusal('handshake_malformed'));
      assert.ok(begun.call.isCancelled());
    });
  }

  it('accepts up to 64 KiB', async () => {
    const padded = (handshake: PendingHandshake, length: number) => {
      const reply = developmentReply(handshake);
      return [reply, Buffer.alloc(length - reply.length, ' ')];
    };
    const just = await answered((handshake) => {
      handshake.call.respond(200, JSON_FIELDS, ...padded(handshake, 65_536));
    });
    assert.equal((await just.session).id, just.enclave.sessionId);
    const over = await answered((handshake) => {
      handshake.call.respond(200, JSON_FIELDS, ...padded(handshake, 65_537));
    });
    await assert.rejects(over.session, refusal('handshake_malformed'));
    assert.ok(over.call.isCancelled());
  });

  it('cancels a reply that exceeds 64 KiB', async () => {
    const { call, session } = await beginHandshake(DEVELOPMENT);
    call.begin(200, JSON_FIELDS);
    const cancelledAfter = Array.from({ length: 67 }, () => {
      call.handler.onData(Buffer.alloc(1000, ' '));
      return call.isCancelled();
    });
    assert.deepEqual(cancelledAfter.indexOf(true), 65);
    await assert.rejects(session, { code: 'handshake_malformed', message: /64 KiB/ });
  });

  for (const [what, changes] of [
    ['another version', { version: 1 }],
    ['another lifetime', { expires_in_seconds: 86_400 }],
    ['an unknown field', { public_key: 'AAAA' }],
    ['no document', { attestation_document: undefined }],
    ['a document that is not canonical Base64', { attestation_document: 'AAF=' }],
    ['an upper-case session id', { session_id: 'ABCDEF0123456789ABCDEF0123456789' }],
  ] as const) {
    it(`rejects a reply with ${what} and derives nothing`, async () => {
      const { primitives, derived } = watchedPrimitives();
      const begun = await beginHandshake(DEVELOPMENT, primitives);
      begun.call.respond(200, JSON_FIELDS, developmentReply(begun, changes));
      await assert.rejects(begun.session, refusal('handshake_malformed'));
      assert.deepEqual(derived, []);
    });
  }

  it('rejects a truncated reply', async () => {
    const begun = await answered((handshake) => {
      handshake.call.respond(200, JSON_FIELDS, developmentReply(handshake).subarray(0, -1));
    });
    await assert.rejects(begun.session, refusal('handshake_malformed'));
  });

  it('reports a failed connection as a network error with its cause', async () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const begun = await answered(({ call }) => {
      call.handler.onError(cause);
    });
    await assert.rejects(begun.session, { code: 'network', cause, message: /ECONNREFUSED/ });
    assert.equal(begun.clock.timers, 0);
  });

  it('reports a broken connection as a network error', async () => {
    const begun = await answered((handshake) => {
      handshake.call.begin(200, JSON_FIELDS);
      handshake.call.handler.onData(developmentReply(handshake));
      handshake.call.handler.onError(new Error('reset'));
    });
    await assert.rejects(begun.session, refusal('network'));
  });

  it('cancels the request exactly at the timeout', async () => {
    const begun = await beginHandshake(DEVELOPMENT);
    begun.call.begin(200, JSON_FIELDS);
    await begun.clock.advance(TIMEOUT - 1);
    begun.call.handler.onData(developmentReply(begun).subarray(0, 10));
    assert.equal(begun.call.isCancelled(), false);
    await begun.clock.advance(1);
    await assert.rejects(begun.session, refusal('timeout'));
    assert.ok(begun.call.isCancelled());
    assert.equal(begun.clock.timers, 0);
  });

  it('ignores further data after it has failed', async () => {
    const begun = await answered(({ call }) => {
      call.begin(500, JSON_FIELDS);
      call.handler.onError(new Error('cancelled'));
    });
    await assert.rejects(begun.session, refusal('handshake_unavailable'));
  });

  it('uses the current timeout setting', async () => {
    const [transport, clock] = [new FakeTransport(), new FakeClock()];
    const context = { transport, clock, primitives: PRIMITIVES, trust: DEVELOPMENT };
    const session = assert.rejects(performHandshake({ ...context, timeout: () => 5 }), refusal('timeout'));
    await flushEventLoop();
    await clock.advance(5);
    await session;
  });
});
