import { createHash, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { concatBytes, wipe } from '../shared/bytes.ts';
import { SessionError } from './errors.ts';
import { expandOnce } from './hkdf.ts';
import type { Hkdf } from './hkdf.ts';
import { KEY_LENGTH, LABELS, SESSION_ID_LENGTH } from './wire.ts';

/** RFC 8410: the DER that precedes the 32 bytes of an X25519 key. */
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

export interface KeyPair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}

/** The keys of a session (transport V2, section 1). The caller overwrites them after use. */
export interface SessionKeys {
  /** 32 bytes. */
  readonly requestKey: Uint8Array;
  /** 32 bytes. */
  readonly responseKey: Uint8Array;
  /** 16 bytes. */
  readonly sessionId: Uint8Array;
}

/** The public inputs of the derivation, 32 bytes each. */
export interface Transcript {
  readonly challenge: Uint8Array;
  readonly clientPublicKey: Uint8Array;
  readonly serverPublicKey: Uint8Array;
}

/** A fresh X25519 key pair. The private key stays inside the crypto library. */
export function generateKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return { publicKey: new Uint8Array(spki.subarray(SPKI_PREFIX.length)), privateKey };
}

/**
 * X25519 (RFC 7748 section 6.1).
 * @returns 32 bytes
 * @throws SessionError `weak_public_key` if the peer's key is a low-order point, for which the result is all zero
 */
export function agree(privateKey: KeyObject, peerPublicKey: Uint8Array): Uint8Array {
  let shared: Uint8Array;
  try {
    const publicKey = createPublicKey({
      key: Buffer.concat([SPKI_PREFIX, peerPublicKey]),
      format: 'der',
      type: 'spki',
    });
    shared = diffieHellman({ privateKey, publicKey });
  } catch (cause) {
    throw weakKey(cause); // OpenSSL and BoringSSL reject an all-zero result themselves
  }
  if (shared.every((byte) => byte === 0)) throw weakKey();
  return shared;
}

/**
 * Derives the keys of a session (transport V2, section 1): HKDF (RFC 5869) of the X25519 result, bound to the
 * transcript. Overwrites intermediate secrets; the caller overwrites `shared`.
 */
export function deriveSessionKeys(hkdf: Hkdf, transcript: Transcript, shared: Uint8Array): SessionKeys {
  const { challenge, clientPublicKey, serverPublicKey } = transcript;
  const hash = createHash('sha256')
    .update(concatBytes(LABELS.transcript, challenge, clientPublicKey, serverPublicKey))
    .digest();
  const prk = hkdf.extract(challenge, shared);
  const keys = {
    requestKey: expandOnce(hkdf, prk, KEY_LENGTH, LABELS.requestKey, hash),
    responseKey: expandOnce(hkdf, prk, KEY_LENGTH, LABELS.responseKey, hash),
    sessionId: expandOnce(hkdf, prk, SESSION_ID_LENGTH, LABELS.sessionId, hash),
  };
  wipe(prk);
  return keys;
}

function weakKey(cause?: unknown): SessionError {
  return new SessionError('weak_public_key', "The enclave's public key is a low-order point", { cause });
}
