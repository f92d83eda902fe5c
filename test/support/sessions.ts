// Sessions without a handshake: the client's side and the enclave's side, with the same keys.
import { randomBytes } from 'node:crypto';
import { nativeAead } from '../../src/session/aead.ts';
import { aeadBySize } from '../../src/session/bestAead.ts';
import { hkdfSha256 } from '../../src/session/hkdf.ts';
import { deriveSessionKeys } from '../../src/session/keys.ts';
import { Session } from '../../src/session/session.ts';
import type { Primitives } from '../../src/session/session.ts';
import { WasmAead } from '../../src/session/wasmAead.ts';
import { EnclaveHalf } from './enclaveHalf.ts';
import { TRANSPORT_V2, hex } from './vectors.ts';

const wasmAead = new WasmAead();

/** Each implementation of the AEAD. */
export const ALL_PRIMITIVES: readonly (readonly [string, Primitives])[] = [
  ['native AEAD', { aead: nativeAead, hkdf: hkdfSha256 }],
  ['AEAD in WebAssembly', { aead: wasmAead, hkdf: hkdfSha256 }],
  ['AEAD by size', { aead: aeadBySize(nativeAead, wasmAead, 2048), hkdf: hkdfSha256 }],
];

/** The implementations that the proxy uses. */
export const PRIMITIVES: Primitives = { aead: aeadBySize(nativeAead, wasmAead, 2048), hkdf: hkdfSha256 };

export interface SessionPair {
  readonly session: Session;
  readonly enclave: EnclaveHalf;
}

/** A session with fresh keys. */
export function makeSessionPair(primitives = PRIMITIVES): SessionPair {
  const [challenge, clientPublicKey, serverPublicKey, shared] = [32, 32, 32, 32].map((length) => randomBytes(length));
  return pairOf(primitives, { challenge, clientPublicKey, serverPublicKey, shared } as Secrets);
}

/** The session of the vectors of transport V2. */
export function vectorSessionPair(primitives = PRIMITIVES): SessionPair {
  const { challenge, client_public_key, server_public_key, x25519_shared } = TRANSPORT_V2.handshake;
  return pairOf(primitives, {
    challenge: Buffer.from(hex(challenge)),
    clientPublicKey: Buffer.from(hex(client_public_key)),
    serverPublicKey: Buffer.from(hex(server_public_key)),
    shared: Buffer.from(hex(x25519_shared)),
  });
}

type Secrets = Readonly<Record<'challenge' | 'clientPublicKey' | 'serverPublicKey' | 'shared', Buffer>>;

function pairOf(primitives: Primitives, { challenge, clientPublicKey, serverPublicKey, shared }: Secrets): SessionPair {
  const keys = deriveSessionKeys(primitives.hkdf, { challenge, clientPublicKey, serverPublicKey }, shared);
  return {
    session: new Session(primitives, keys, challenge, { kind: 'development', moduleId: undefined }),
    enclave: new EnclaveHalf({ challenge, clientPublicKey }, serverPublicKey, shared),
  };
}
