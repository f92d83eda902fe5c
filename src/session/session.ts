// One live session: its keys, and what its handshake proved.
import { randomFillSync } from 'node:crypto';
import { concatBytes, toBase64, toHex, wipe } from '../shared/bytes.ts';
import type { Aead } from './aead.ts';
import { RequestSealer } from './envelope.ts';
import type { Expander, Hkdf } from './hkdf.ts';
import type { SessionKeys } from './keys.ts';
import { RecordOpener } from './record.ts';
import { LABELS, REQUEST_ID_LENGTH } from './wire.ts';

/** Everything that one request needs, both ways. Its keys outlive the session's. */
export interface SealedCall {
  readonly sealer: RequestSealer;
  readonly opener: RecordOpener;
}

/** The cryptography that a session runs on, passed in so that each implementation can be tried. */
export interface Primitives {
  readonly aead: Aead;
  readonly hkdf: Hkdf;
}

/** @typeParam Evidence what the handshake proved about the enclave */
export class Session<Evidence> {
  /** 32 lower-case hex characters. */
  readonly id: string;
  /** The Base64 of the challenge: what routes a request to the enclave that knows the session. */
  readonly routingKey: string;
  readonly attestation: Evidence;
  readonly #aead: Aead;
  readonly #requestKey: Expander;
  readonly #responseKey: Expander;
  readonly #context: {
    readonly requestSubkey: Uint8Array;
    readonly requestRecord: Uint8Array;
    readonly responseSubkey: Uint8Array;
    readonly responseRecord: Uint8Array;
  };

  /** Takes `keys` over and overwrites them. */
  constructor(primitives: Primitives, keys: SessionKeys, challenge: Uint8Array, evidence: Evidence) {
    const { sessionId } = keys;
    this.id = toHex(sessionId);
    this.routingKey = toBase64(challenge);
    this.attestation = evidence;
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

  /** Fresh keys for one request and its response, under a fresh request id. */
  beginCall(requestId = nextRequestId()): SealedCall {
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

  /** Overwrites the session's keys: no new request can begin, those that have begun go on. */
  destroy(): void {
    this.#requestKey.destroy();
    this.#responseKey.destroy();
  }
}

const pool = new Uint8Array(256 * REQUEST_ID_LENGTH);
let spent = pool.length;

/** 16 fresh random bytes. Drawn 256 at a time: a request id is no secret, and each draw is a call into the kernel. */
function nextRequestId(): Uint8Array {
  if (spent === pool.length) {
    randomFillSync(pool);
    spent = 0;
  }
  const id = pool.slice(spent, spent + REQUEST_ID_LENGTH);
  spent += REQUEST_ID_LENGTH;
  return id;
}
