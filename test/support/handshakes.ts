// A handshake with a backend that the test plays.
import { performHandshake } from '../../src/session/handshake.ts';
import type { AttestationResult, Trust } from '../../src/session/handshake.ts';
import type { Session } from '../../src/session/session.ts';
import type { Primitives } from '../../src/session/session.ts';
import type { Bindings } from '../../src/devEnclave/attestation/document.ts';
import { makeUnsignedDocument } from '../../src/devEnclave/attestation/document.ts';
import { EnclaveHalf, readOffer } from './enclaveHalf.ts';
import type { Offer } from './enclaveHalf.ts';
import { FakeClock } from './fakeClock.ts';
import { FakeTransport } from './fakeTransport.ts';
import type { FakeCall, Fields } from './fakeTransport.ts';
import { PRIMITIVES } from './sessions.ts';

export const JSON_FIELDS: Fields = [['content-type', 'application/json']];
export const TIMEOUT = 30_000;

/** A handshake under way: the offer was sent, nothing was answered. */
export interface Begun {
  readonly session: Promise<Session<AttestationResult>>;
  readonly transport: FakeTransport;
  readonly clock: FakeClock;
  readonly call: FakeCall;
  readonly offer: Offer;
  readonly enclave: EnclaveHalf;
}

export async function beginHandshake(trust: Trust, primitives: Primitives = PRIMITIVES): Promise<Begun> {
  const [transport, clock] = [new FakeTransport(), new FakeClock()];
  const session = performHandshake({ transport, primitives, trust, clock, timeout: () => TIMEOUT });
  session.catch(() => undefined); // each test says what becomes of it, some of them later
  const call = await transport.next('the handshake');
  const offer = readOffer(await call.body());
  return { session, transport, clock, call, offer, enclave: EnclaveHalf.accept(offer) };
}

/** What an honest document says of this handshake. */
export function bindingsOf({ offer, enclave }: Begun): Bindings {
  return { nonce: offer.challenge, publicKey: enclave.publicKey, userData: userDataOf(offer.clientPublicKey) };
}

/** The user data that name a client's public key. */
export function userDataOf(clientPublicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('opensecret/transport-v2/session/v1/client-public-key\0'), clientPublicKey]);
}

/** The JSON of an honest reply, or of one with other fields. */
export function replyOf({ enclave }: Begun, document: Uint8Array, changes: Record<string, unknown> = {}): Buffer {
  const honest = {
    version: 2,
    session_id: enclave.sessionId,
    attestation_document: Buffer.from(document).toString('base64'),
    expires_in_seconds: 3600,
  };
  return Buffer.from(JSON.stringify({ ...honest, ...changes }));
}

/** The honest reply of a development backend. */
export function developmentReply(begun: Begun, changes: Record<string, unknown> = {}): Buffer {
  return replyOf(begun, makeUnsignedDocument(bindingsOf(begun), begun.clock.wall()), changes);
}

/** Primitives that say whether anything was derived. */
export function watchedPrimitives(): { readonly primitives: Primitives; readonly derived: string[] } {
  const derived: string[] = [];
  const { aead, hkdf } = PRIMITIVES;
  return {
    derived,
    primitives: {
      aead,
      hkdf: {
        name: hkdf.name,
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
