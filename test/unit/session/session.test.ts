import assert from 'node:assert/strict';
import type { Hkdf } from '../../../src/session/hkdf.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { ALL_PRIMITIVES, makeSessionPair } from '../../support/sessions.ts';

const NOTHING = new Uint8Array(0);
const TEXT = Buffer.concat([Buffer.of(0, 0, 0, 2), Buffer.from('{}text')]);

for (const [label, primitives] of ALL_PRIMITIVES) {
  describe(`Session with ${label}`, () => {
    it('derives the same keys for each call as the enclave', () => {
      const { session, enclave } = makeSessionPair(primitives);
      for (let call = 0; call < 3; call++) {
        const { sealer, opener } = session.beginCall();
        const { requestId, plaintext } = enclave.open(sealer.seal(TEXT, []));
        assert.equal(toHex(plaintext), toHex(TEXT));
        assert.deepEqual(opener.open(enclave.respond(requestId).seal(Buffer.of(3), 0)), { kind: 'end' });
      }
    });

    it('derives different keys for each call', () => {
      const { session } = makeSessionPair(primitives);
      const [one, other] = [1, 2].map((id) => session.beginCall(new Uint8Array(16).fill(id)).sealer.seal(TEXT, []));
      assert.notEqual(toHex(one ?? NOTHING).slice(32), toHex(other ?? NOTHING).slice(32));
    });

    it('begins no calls after destroy(), but calls in progress continue', () => {
      const { session, enclave } = makeSessionPair(primitives);
      const { sealer, opener } = session.beginCall();
      session.destroy();
      const { requestId, plaintext } = enclave.open(sealer.seal(TEXT, []));
      assert.equal(toHex(plaintext), toHex(TEXT));
      const response = enclave.respond(requestId);
      assert.equal(opener.open(response.seal(Buffer.of(2, 1), 0)).kind, 'chunk');
      assert.equal(opener.open(response.seal(Buffer.of(3), 1)).kind, 'end');
      assert.throws(() => session.beginCall());
      session.destroy();
      assert.throws(() => session.beginCall());
    });

    it('destroys both of its keys', () => {
      let destroyed = 0;
      const { aead, hkdf } = primitives;
      const expander: Hkdf['expander'] = (prk) => {
        const real = hkdf.expander(prk);
        const destroy = () => {
          destroyed++;
          real.destroy();
        };
        return { expand: (...info) => real.expand(...info), destroy };
      };
      const { session } = makeSessionPair({ aead, hkdf: { ...hkdf, expander } });
      destroyed = 0; // ignores the keys of the derivation
      session.destroy();
      assert.equal(destroyed, 2);
    });

    it('does not open records of another session', () => {
      const [one, other] = [makeSessionPair(primitives), makeSessionPair(primitives)];
      assert.notEqual(one.session.id, other.session.id);
      assert.throws(() => other.enclave.open(one.session.beginCall().sealer.seal(TEXT, [])));
    });
  });
}

describe('Session.beginCall() and request ids', () => {
  it('uses 16 bytes and never repeats an id, even across sessions', () => {
    const sessions = [makeSessionPair().session, makeSessionPair().session];
    const ids = new Set<string>();
    for (let call = 0; call < 20_000; call++) {
      const id = toHex(sessions[call % 2]?.beginCall().sealer.begin(NOTHING) ?? NOTHING);
      assert.equal(id.length, 32);
      ids.add(id);
    }
    assert.equal(ids.size, 20_000);
  });

  it('does not change ids when it generates more', () => {
    const { session, enclave } = makeSessionPair();
    const calls = Array.from({ length: 1000 }, () => session.beginCall());
    const ids = new Set(calls.map(({ sealer }) => enclave.open(sealer.seal(TEXT, [])).requestId.toString('hex')));
    assert.equal(ids.size, 1000);
  });
});
