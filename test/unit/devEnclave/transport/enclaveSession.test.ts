import assert from 'node:assert/strict';
import { EnclaveSession, acceptHandshake } from '../../../../src/devEnclave/transport/enclaveSession.ts';
import { HttpError } from '../../../../src/devEnclave/transport/httpError.ts';
import { nativeAead } from '../../../../src/session/aead.ts';
import { hkdfSha256 } from '../../../../src/session/hkdf.ts';
import { deriveSessionKeys, generateKeyPair } from '../../../../src/session/keys.ts';
import type { Primitives } from '../../../../src/session/session.ts';
import { WasmAead } from '../../../../src/session/wasmAead.ts';
import { toBase64, toHex } from '../../../../src/shared/bytes.ts';

const wasmAead = new WasmAead();

// transport-v2, section 5
const CHALLENGE = new Uint8Array(32).fill(0x11);
const TRANSCRIPT = {
  challenge: CHALLENGE,
  clientPublicKey: new Uint8Array(32).fill(0x22),
  serverPublicKey: new Uint8Array(32).fill(0x33),
};
const SHARED = new Uint8Array(32).fill(0x44);
const RECORD = '55555555555555555555555555555555671f5c411205cb00f769e6b2705052b795e91f44516fc6165e16a152e686b209';
const RESPONSE_ID = new Uint8Array(16).fill(0x66);
const RESPONSE = '25a2d5ed89864bd7b5e13c83eb49b1f314a70abf8bd7e871b706bb6768c9e1';

const IMPLEMENTATIONS: [string, Primitives][] = [
  ['OpenSSL', { aead: nativeAead, hkdf: hkdfSha256 }],
  ['plain JavaScript', { aead: wasmAead, hkdf: hkdfSha256 }],
];

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

for (const [name, primitives] of IMPLEMENTATIONS) {
  const session = () =>
    new EnclaveSession(primitives, deriveSessionKeys(primitives.hkdf, TRANSCRIPT, SHARED), CHALLENGE);

  describe(`EnclaveSession with the vectors, ${name}`, () => {
    it('has the session id and the routing key', () => {
      assert.equal(session().id, 'f7258fb103137c612baab47ced4a5a02');
      assert.equal(session().routingKey, toBase64(CHALLENGE));
    });

    it('opens the request', () => {
      const { requestId, plaintext } = session().open(bytes(RECORD));
      assert.equal(toHex(requestId), '55'.repeat(16));
      assert.equal(Buffer.from(plaintext).toString(), 'vector plaintext');
    });

    it('seals the response', () => {
      const [tag = 0, ...content] = Buffer.from('vector response');
      const frame = session().respond(RESPONSE_ID).frame(tag, Uint8Array.from(content));
      assert.equal(toHex(frame), `0000001f${RESPONSE}`);
    });

    it('seals the same plaintext differently at each position', () => {
      const sealer = session().respond(RESPONSE_ID);
      assert.notDeepEqual(sealer.frame(2, CHALLENGE), sealer.frame(2, CHALLENGE));
    });
  });
}

describe('EnclaveSession', () => {
  const primitives = { aead: nativeAead, hkdf: hkdfSha256 };
  const session = () => new EnclaveSession(primitives, deriveSessionKeys(hkdfSha256, TRANSCRIPT, SHARED), CHALLENGE);

  it('rejects the second use of a request id without a resend code', () => {
    const once = session();
    once.open(bytes(RECORD));
    assert.throws(() => once.open(bytes(RECORD)), isHttpError(undefined));
  });

  it('rejects a record with any bit changed', () => {
    for (let index = 0; index < RECORD.length / 2; index++) {
      const record = bytes(RECORD);
      record[index] = (record[index] ?? 0) ^ 0x80;
      assert.throws(() => session().open(record), isHttpError('request_decryption_failed'), `byte ${index}`);
    }
  });

  it('rejects a record of any other length', () => {
    for (let length = 0; length < RECORD.length / 2; length++) {
      assert.throws(() => session().open(bytes(RECORD).subarray(0, length)), isHttpError('request_decryption_failed'));
    }
  });

  it('does not remember the request id of a record that is not authentic', () => {
    const once = session();
    const forged = bytes(RECORD);
    forged[47] = 0;
    assert.throws(() => once.open(forged), isHttpError('request_decryption_failed'));
    assert.equal(once.open(bytes(RECORD)).plaintext.length, 16);
  });

  it('is made with a fresh key each time', () => {
    const hello = { challenge: CHALLENGE, clientPublicKey: generateKeyPair().publicKey };
    const [first, second] = [acceptHandshake(primitives, hello), acceptHandshake(primitives, hello)];
    assert.notDeepEqual(first.serverPublicKey, second.serverPublicKey);
    assert.notEqual(first.session.id, second.session.id);
  });

  it('is not made with a low-order point', () => {
    const hello = { challenge: CHALLENGE, clientPublicKey: new Uint8Array(32) };
    assert.throws(() => acceptHandshake(primitives, hello), isHttpError(undefined));
  });
});

function isHttpError(resendCode: string | undefined) {
  return (error: unknown) => error instanceof HttpError && error.status === 400 && error.resendCode === resendCode;
}
