import assert from 'node:assert/strict';
import { deriveSessionKeys } from '../../src/session/keys.ts';
import { Session } from '../../src/session/session.ts';
import { concatBytes, toBase64, toHex } from '../../src/shared/bytes.ts';
import { ALL_PRIMITIVES, vectorSessionPair } from '../support/sessions.ts';
import { TRANSPORT_V2, ascii, hex } from '../support/vectors.ts';

const { handshake, request, response } = TRANSPORT_V2;
const challenge = hex(handshake.challenge);
const transcript = {
  challenge,
  clientPublicKey: hex(handshake.client_public_key),
  serverPublicKey: hex(handshake.server_public_key),
};

for (const [label, primitives] of ALL_PRIMITIVES) {
  describe(`The vectors of transport V2, ${label}`, () => {
    it('give the keys and the id of the session', () => {
      const keys = deriveSessionKeys(primitives.hkdf, transcript, hex(handshake.x25519_shared));
      assert.equal(toHex(keys.requestKey), handshake.request_key);
      assert.equal(toHex(keys.responseKey), handshake.response_key);
      assert.equal(toHex(keys.sessionId), handshake.session_id);
    });

    it('give a session with their id and routing key, which overwrites its input keys', () => {
      const keys = deriveSessionKeys(primitives.hkdf, transcript, hex(handshake.x25519_shared));
      const attestation = { kind: 'development', moduleId: 'i-vectors' } as const;
      const session = new Session(primitives, keys, challenge, attestation);
      assert.equal(session.id, handshake.session_id);
      assert.equal(session.routingKey, toBase64(challenge));
      assert.equal(session.attestation, attestation);
      assert.equal(toHex(keys.requestKey) + toHex(keys.responseKey), '00'.repeat(64));
    });

    it('give the request record, sealed in one call', () => {
      const { sealer } = vectorSessionPair(primitives).session.beginCall(hex(request.request_id));
      assert.equal(toHex(sealer.seal(ascii(request.plaintext), [])), request.record);
    });

    it('give the request record, sealed in chunks split at every position and byte by byte', () => {
      const { session } = vectorSessionPair(primitives);
      const text = ascii(request.plaintext);
      const splits = Array.from({ length: text.length + 1 }, (_, at) => [text.subarray(0, at), text.subarray(at)]);
      for (const [head = text, ...chunks] of [...splits, Array.from(text, (byte) => Uint8Array.of(byte))]) {
        const { sealer: buffered } = session.beginCall(hex(request.request_id));
        assert.equal(toHex(buffered.seal(head, chunks)), request.record);
        const { sealer } = session.beginCall(hex(request.request_id));
        const streamed = [sealer.begin(head), ...chunks.map((chunk) => sealer.update(chunk)), sealer.final()];
        assert.equal(toHex(concatBytes(...streamed)), request.record);
      }
    });

    it('give an authentic response whose record type is unknown', () => {
      const { session } = vectorSessionPair(primitives);
      const sealed = hex(response.ciphertext);
      const { opener } = session.beginCall(hex(response.request_id));
      assert.throws(() => opener.open(sealed), { code: 'record_malformed', message: /unknown type/ });
      for (let at = 0; at < sealed.length; at++) {
        const changed = sealed.slice();
        changed[at] = (changed[at] ?? 0) ^ 1;
        const { opener: another } = session.beginCall(hex(response.request_id));
        assert.throws(() => another.open(changed), { code: 'record_authentication' }, `byte ${at}`);
      }
    });
  });
}

describe('The EnclaveHalf of the tests', () => {
  const { enclave } = vectorSessionPair();

  it('has the session id of the vectors', () => {
    assert.equal(enclave.sessionId, handshake.session_id);
  });

  it('authenticates only the request record of the vectors', () => {
    // The record opens, but its plaintext is not valid metadata.
    assert.throws(() => enclave.open(hex(request.record)), SyntaxError);
    assert.throws(() => enclave.open(hex(`66${request.record.slice(2)}`)), { message: /authenticate/ });
  });

  it('seals the response of the vectors', () => {
    const sealed = enclave.respond(hex(response.request_id)).seal(ascii(response.plaintext), response.sequence);
    assert.equal(toHex(sealed), response.ciphertext);
  });
});
