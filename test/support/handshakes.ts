// Handshakes with a backend that the test simulates.
import type { Bindings } from '../../src/devEnclave/attestation/document.ts';
import { makeUnsignedDocument } from '../../src/devEnclave/attestation/document.ts';
import { performHandshake } from '../../src/session/handshake.ts';
import type { Trust } from '../../src/session/handshake.ts';
import type { Session } from '../../src/session/session.ts';
import type { Primitives } from '../../src/session/session.ts';
import { EnclaveHalf, readOffer } from './enclaveHalf.ts';
import type { Offer } from './enclaveHalf.ts';
import { FakeClock } from './fakeClock.ts';
import { FakeTransport } from './fakeTransport.ts';
import type { FakeCall, Fields } from './fakeTransport.ts';
import { PRIMITIVES } from './sessions.ts';

export const JSON_FIELDS: Fields = [['content-type', 'application/json']];
export const TIMEOUT = 30_000;

/** A handshake whose request was sent and not answered. */
export interface PendingHandshake {
  readonly session: Promise<Session>;
  readonly transport: FakeTransport;
  readonly clock: FakeClock;
  readonly call: FakeCall;
  readonly offer: Offer;
  readonly enclave: EnclaveHalf;
}

export async function beginHandshake(trust: Trust, primitives: Primitives = PRIMITIVES): Promise<PendingHandshake> {
  const [transport, clock] = [new FakeTransport(), new FakeClock()];
  const session = performHandshake({ transport, primitives, trust, clock, timeout: () => TIMEOUT });
  session.catch(() => undefined); // each test checks the result itself
  const call = await transport.next('the handshake');
  const offer = readOffer(await call.body());
  return { session, transport, clock, call, offer, enclave: EnclaveHalf.accept(offer) };
}

/** The correct bindings of this handshake. */
export function bindingsOf({ offer, enclave }: PendingHandshake): Bindings {
  return { nonce: offer.challenge, publicKey: enclave.publicKey, userData: userDataOf(offer.clientPublicKey) };
}

/** The user data for a client's public key. */
export function userDataOf(clientPublicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('opensecret/transport-v2/session/v1/client-public-key\0'), clientPublicKey]);
}

/** The JSON of a correct reply, with changes. */
export function replyOf(
  { enclave }: PendingHandshake,
  document: Uint8Array,
  changes: Record<string, unknown> = {},
): Buffer {
  const correct = {
    version: 2,
    session_id: enclave.sessionId,
    attestation_document: Buffer.from(document).toString('base64'),
    expires_in_seconds: 3600,
  };
  return Buffer.from(JSON.stringify({ ...correct, ...changes }));
}

/** The correct reply of a development backend, with changes. */
export function developmentReply(begun: PendingHandshake, changes: Record<string, unknown> = {}): Buffer {
  return replyOf(begun, makeUnsignedDocument(bindingsOf(begun), begun.clock.wall()), changes);
}

/** Primitives that record derivations. */
export function watchedPrimitives(): { readonly primitives: Primitives; readonly derived: string[] } {
  const derived: string[] = [];
  const { aead, hkdf } = PRIMITIVES;
  return {
    derived,
    primitives: {
      aead,
      hkdf: {
        extract: (...input) => {
          derived.push('extract');
          return hkdf.extract(...input);
        },
        expander: (prk) => {
          derived.push('expand');
          return hkdf.expander(prk);
        },
      },
    },
  };
}
