// The keys of one session, and the result of its attestation.
import { randomFillSync } from 'node:crypto';
import type { ApprovedEnclave } from '../attestation/checks.ts';
import type { Presented } from '../attestation/evidence.ts';
import type { Environment } from '../attestation/pins.ts';
import { concatBytes, toBase64, toHex, wipe } from '../shared/bytes.ts';
import type { Aead } from './aead.ts';
import { RequestSealer } from './envelope.ts';
import type { Expander, Hkdf } from './hkdf.ts';
import type { SessionKeys } from './keys.ts';
import { RecordOpener } from './record.ts';
import { LABELS, REQUEST_ID_LENGTH } from './wire.ts';

/** The keys of one request and its response. They remain usable after the session is destroyed. */
export interface SealedCall {
  readonly sealer: RequestSealer;
  readonly opener: RecordOpener;
}

/** The cryptography that a session uses, passed in so that each implementation can be tested. */
export interface Primitives {
  readonly aead: Aead;
  readonly hkdf: Hkdf;
}

/** What a handshake established about the enclave. */
export type AttestationResult =
  | {
      readonly kind: 'verified';
      readonly enclave: ApprovedEnclave;
      readonly environment: Environment;
      readonly presented: Presented;
    }
  | { readonly kind: 'development'; readonly moduleId: string | undefined };

export class Session {
  /** 32 lower-case hex characters. */
  readonly id: string;
  /** The challenge as Base64; it routes requests to the enclave that holds the session. */
  readonly routingKey: string;
  readonly attestation: AttestationResult;
  readonly #aead: Aead;
  readonly #requestIds = new RequestIds();
  readonly #requestKey: Expander;
  readonly #responseKey: Expander;
  readonly #context: {
    readonly requestSubkey: Uint8Array;
    readonly requestRecord: Uint8Array;
    readonly responseSubkey: Uint8Array;
    readonly responseRecord: Uint8Array;
  };

  /** Overwrites `keys`. */
  constructor(primitives: Primitives, keys: SessionKeys, challenge: Uint8Array, attestation: AttestationResult) {
    const { sessionId } = keys;
    this.id = toHex(sessionId);
    this.routingKey = toBase64(challenge);
    this.attestation = attestation;
    this.#aead = primitives.aead;
    this.#requestKey = primitives.hkdf.expander(keys.requestKey);
    this.#responseKey = primitives.hkdf.expander(keys.responseKey);
    this.#context = {
      requestSubkey: concatBytes(LABELS.requestSubkey, sessionId),
      requestRecord: concatBytes(LABELS.requestRecord, sessionId),
      responseSubkey: concatBytes(LABELS.responseSubkey, sessionId),
      responseRecord: concatBytes(LABELS.responseRecord, sessionId),
    };
    wipe(keys.requestKey, keys.responseKey);
  }

  /** Derives the keys of one request and its response from a fresh request id (transport V2, sections 2 and 3). */
  beginCall(requestId = this.#requestIds.next()): SealedCall {
    const context = this.#context;
    const requestSubkey = this.#requestKey.expand(context.requestSubkey, requestId);
    const responseSubkey = this.#responseKey.expand(context.responseSubkey, requestId);
    const requestAad = concatBytes(context.requestRecord, requestId);
    const responseContext = concatBytes(context.responseRecord, requestId);
    return {
      sealer: new RequestSealer(this.#aead, requestSubkey, requestAad, requestId),
      opener: new RecordOpener(this.#aead, responseSubkey, responseContext),
    };
  }

  /** Overwrites the session's keys. No new request can begin; requests in progress continue. */
  destroy(): void {
    this.#requestKey.destroy();
    this.#responseKey.destroy();
  }
}

/** Makes request ids, 256 at a time, because each call of randomFillSync enters the kernel. */
class RequestIds {
  readonly #pool = new Uint8Array(256 * REQUEST_ID_LENGTH);
  #offset = this.#pool.length;

  /** 16 fresh random bytes. */
  next(): Uint8Array {
    if (this.#offset === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#offset = 0;
    }
    const id = this.#pool.slice(this.#offset, this.#offset + REQUEST_ID_LENGTH);
    this.#offset += REQUEST_ID_LENGTH;
    return id;
  }
}
