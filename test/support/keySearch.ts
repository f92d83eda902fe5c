// Searches bytes for a secret that opens a recorded request of a session.
import { createHash, createPrivateKey } from 'node:crypto';
import { bestAead } from '../../src/session/bestAead.ts';
import { expandOnce, hkdfSha256 } from '../../src/session/hkdf.ts';
import { agree } from '../../src/session/keys.ts';
import type { Transcript } from '../../src/session/keys.ts';
import { KEY_LENGTH, LABELS, NONCE_LENGTH, REQUEST_ID_LENGTH } from '../../src/session/wire.ts';
import { concatBytes, toHex } from '../../src/shared/bytes.ts';

/** What anyone sees who records the complete traffic of a session outside its encryption. */
export interface Recording extends Transcript {
  /** 16 bytes, from the header of each request. */
  readonly sessionId: Uint8Array;
  /** The body of one request. */
  readonly record: Uint8Array;
}

/** What a secret is when it opens the record. */
export type Role = 'request subkey' | 'request key' | 'extracted key' | 'shared secret' | 'private key';

const WINDOWS = [16, 32, 64];
/** RFC 8410: the DER that precedes the 32 bytes of an X25519 private key. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The role in which these bytes open the recorded request, or undefined. */
export function roleOf(secret: Uint8Array, recording: Recording): Role | undefined {
  const opensAsKey = (key: Uint8Array) => opens(requestSubkey(key, recording), recording);
  const opensAsPrk = (prk: Uint8Array) => opensAsKey(requestKey(prk, recording));
  const opensAsShared = (shared: Uint8Array) => opensAsPrk(hkdfSha256.extract(recording.challenge, shared));
  if (secret.length === KEY_LENGTH && opens(secret, recording)) return 'request subkey';
  if (opensAsKey(secret)) return 'request key';
  if (opensAsPrk(secret)) return 'extracted key';
  if (opensAsShared(secret)) return 'shared secret';
  const shared = secret.length === KEY_LENGTH ? sharedOf(secret, recording.serverPublicKey) : undefined;
  return shared !== undefined && opensAsShared(shared) ? 'private key' : undefined;
}

/**
 * Each field of a JSON value, as text and decoded, and every window of 16, 32 and 64 bytes in it, each tried in every role.
 * @returns the roles that were found
 */
export function searchKeys(value: unknown, recording: Recording): Role[] {
  const found = new Set<Role>();
  const tried = new Set<string>();
  const attempt = (candidate: Uint8Array) => {
    const name = toHex(candidate);
    if (tried.has(name)) return;
    tried.add(name);
    const role = roleOf(candidate, recording);
    if (role !== undefined) found.add(role);
  };
  for (const bytes of decodedFields(value)) {
    attempt(bytes);
    for (const length of WINDOWS) {
      for (let at = 0; at + length <= bytes.length; at++) attempt(bytes.subarray(at, at + length));
    }
  }
  return [...found];
}

/** The bytes that each text in a JSON value stands for: as they are, and what Base64 and hex encode. */
export function decodedFields(value: unknown): Uint8Array[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(decodedFields);
  const text = String(value);
  return [
    Buffer.from(text),
    ...(/^[A-Za-z0-9+/]+={0,2}$/.test(text) ? [Buffer.from(text, 'base64')] : []),
    ...(/^(?:[0-9a-f]{2})+$/.test(text) ? [Buffer.from(text, 'hex')] : []),
  ];
}

function opens(subkey: Uint8Array, { record, sessionId }: Recording): boolean {
  const requestId = record.subarray(0, REQUEST_ID_LENGTH);
  const aad = concatBytes(LABELS.requestRecord, sessionId, requestId);
  try {
    AEAD.open(subkey, new Uint8Array(NONCE_LENGTH), aad, record.subarray(REQUEST_ID_LENGTH));
    return true;
  } catch {
    return false;
  }
}

const AEAD = bestAead();

function requestSubkey(key: Uint8Array, { record, sessionId }: Recording): Uint8Array {
  const requestId = record.subarray(0, REQUEST_ID_LENGTH);
  return expandOnce(hkdfSha256, key, KEY_LENGTH, LABELS.requestSubkey, sessionId, requestId);
}

function requestKey(prk: Uint8Array, { challenge, clientPublicKey, serverPublicKey }: Recording): Uint8Array {
  const transcript = concatBytes(LABELS.transcript, challenge, clientPublicKey, serverPublicKey);
  const hash = createHash('sha256').update(transcript).digest();
  return expandOnce(hkdfSha256, prk, KEY_LENGTH, LABELS.requestKey, hash);
}

function sharedOf(secret: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  try {
    return agree(key, publicKey);
  } catch {
    return undefined;
  }
}
