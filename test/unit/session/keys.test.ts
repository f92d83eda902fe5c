import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { hkdfSha256 } from '../../../src/session/hkdf.ts';
import { agree, deriveSessionKeys, generateKeyPair } from '../../../src/session/keys.ts';
import { toHex } from '../../../src/shared/bytes.ts';
import { RFC_7748, TRANSPORT_V2, hex } from '../../support/vectors.ts';

/** The X25519 private key with these 32 bytes (RFC 8410). */
function importPrivateKey(bytes: Uint8Array): KeyObject {
  const prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
  return createPrivateKey({ key: Buffer.concat([prefix, bytes]), format: 'der', type: 'pkcs8' });
}

describe('agree() and generateKeyPair()', () => {
  for (const { name, scalar, point, shared } of RFC_7748.agreements) {
    it(`agree as in RFC 7748 ${name}`, () => {
      assert.equal(toHex(agree(importPrivateKey(hex(scalar)), hex(point))), shared);
    });
  }

  it('pass the iterated test of RFC 7748 section 5.2', () => {
    const { start, after_1: afterOne, after_1000: afterThousand } = RFC_7748.iterated;
    let [scalar, point] = [hex(start), hex(start)];
    for (let round = 1; round <= 1000; round++) {
      [scalar, point] = [agree(importPrivateKey(scalar), point), scalar];
      if (round === 1) assert.equal(toHex(scalar), afterOne);
    }
    assert.equal(toHex(scalar), afterThousand);
  });

  it('make a fresh pair each time, and two pairs agree', () => {
    const [one, other] = [generateKeyPair(), generateKeyPair()];
    assert.equal(one.publicKey.length, 32);
    assert.notEqual(toHex(one.publicKey), toHex(other.publicKey));
    assert.equal(toHex(agree(one.privateKey, other.publicKey)), toHex(agree(other.privateKey, one.publicKey)));
  });

  for (const point of RFC_7748.low_order_points.points) {
    it(`reject the low-order point ${point.slice(0, 8)}...${point.slice(-4)}`, () => {
      const { privateKey } = generateKeyPair();
      assert.throws(() => agree(privateKey, hex(point)), { name: 'SessionError', code: 'weak_public_key' });
    });
  }
});

describe('deriveSessionKeys()', () => {
  const { handshake } = TRANSPORT_V2;
  const inputs = {
    challenge: hex(handshake.challenge),
    clientPublicKey: hex(handshake.client_public_key),
    serverPublicKey: hex(handshake.server_public_key),
    shared: hex(handshake.x25519_shared),
  };

  it('derives different keys for any change of the challenge, a public key or the shared secret', () => {
    const original = derive(inputs);
    for (const field of ['challenge', 'clientPublicKey', 'serverPublicKey', 'shared'] as const) {
      for (let at = 0; at < 32; at++) {
        const changed = inputs[field].slice();
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
        const other = derive({ ...inputs, [field]: changed });
        for (const [name, value] of Object.entries(other)) {
          assert.notEqual(value, original[name as keyof typeof original], `${name} with another ${field}, byte ${at}`);
        }
      }
    }
  });

  it('distinguishes the two public keys', () => {
    const { clientPublicKey, serverPublicKey } = inputs;
    const swapped = { ...inputs, clientPublicKey: serverPublicKey, serverPublicKey: clientPublicKey };
    assert.notDeepEqual(derive(swapped), derive(inputs));
  });

  it('does not overwrite the shared secret', () => {
    derive(inputs);
    assert.equal(toHex(inputs.shared), handshake.x25519_shared);
  });
});

function derive(inputs: Record<'challenge' | 'clientPublicKey' | 'serverPublicKey' | 'shared', Uint8Array>) {
  const { requestKey, responseKey, sessionId } = deriveSessionKeys(hkdfSha256, inputs, inputs.shared);
  return { requestKey: toHex(requestKey), responseKey: toHex(responseKey), sessionId: toHex(sessionId) };
}
