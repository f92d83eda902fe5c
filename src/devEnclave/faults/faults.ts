// The faults that the enclave can inject, so that tests can check that clients reject them: their names, and when they
// apply. handshakeFaults.ts, outerFaults.ts, recordFaults.ts and documentSigner.ts inject them.

/** Faults of the handshake. */
const HANDSHAKE_FAULTS = {
  'wrong-nonce': 'the document is for a different challenge',
  'wrong-user-data': 'the document is for a different client public key',
  'wrong-public-key': 'the document has a different key from the one in use',
  'short-public-key': 'the key in the document has 31 bytes',
  'low-order-key': 'the key in the document is a low-order point',
  'garbage-document': 'the document is not CBOR',
  'bad-base64': 'the document is not canonical Base64',
  'wrong-session-id': 'the session id does not match the keys',
  'wrong-version': 'the version of the reply is 3',
  'wrong-lifetime': 'the lifetime of the session is 7,200 s',
  'extra-field': 'the reply has an additional field',
  'missing-field': 'the reply has no lifetime',
  'handshake-wrong-type': 'the content type is application/json; charset=utf-8',
  'double-content-type': 'the reply has two content types',
  'handshake-redirect': 'status 307 to the same path',
  'handshake-500': 'status 500',
  'handshake-oversize': 'the reply is one byte longer than 64 KiB',
  'handshake-hang': 'no reply',
  'handshake-reset': 'the connection is reset before the reply',
  'handshake-cut': 'the connection closes in the middle of the reply',
} as const;

/** Faults of the document's signature and measurement. */
const SIGNED_FAULTS = {
  'expired-certificate': 'the leaf of a trusted chain expired an hour ago',
  'untrusted-root': 'the chain starts with a different root',
  'debug-pcr0': 'PCR0 is all zero',
  'bad-signature': 'the last bit of the signature is wrong',
  'unsigned-document': 'the document is not signed',
} as const;

/** Faults of the outer response. */
const OUTER_FAULTS = {
  'marked-session-not-found': 'status 400 that allows a resend: session_not_found',
  'marked-decryption-failed': 'status 400 that allows a resend: request_decryption_failed',
  'unmarked-400': 'status 400 without error contract headers',
  'double-marked': 'status 400 session_not_found with two contract headers',
  'double-code': 'status 400 with both error codes',
  'marked-unknown-code': 'status 400 with an error code that allows no resend',
  'marked-contract-2': 'status 400 session_not_found with contract 2',
  'marked-503': 'status 503 with the headers of session_not_found',
  'outer-413': 'status 413 in plain text',
  'outer-415': 'status 415 in plain text',
  'outer-503': 'status 503 in plain text',
  redirect: 'status 307 to the same path',
  'wrong-outer-status': 'correct records with status 201',
  'wrong-outer-type': 'correct records as application/json',
  'parameter-outer-type': 'correct records as application/octet-stream; charset=binary',
  'no-outer-type': 'correct records without content type',
  'double-outer-type': 'correct records with two content types',
  'reset-before-response': 'the connection is reset before the response',
  'close-before-response': 'the connection is closed before the response',
  'hang-before-response': 'no response',
  'answer-before-body': 'session_not_found at once; the body is never read',
} as const;

/** Faults of the records, which are numbered from 0, the Start. */
const RECORD_FAULTS = {
  'tampered-record': 'one bit of record 1 is wrong',
  'swapped-records': 'records 1 and 2 are swapped',
  'repeated-record': 'record 1 is sent twice',
  'dropped-record': 'record 1 is missing',
  'truncated-frame': 'the body ends in the middle of record 1',
  'early-end': 'the body ends after record 1',
  'missing-end': 'the body ends without an End',
  'bytes-after-end': 'a zero byte after the End',
  'record-after-end': 'an authentic Chunk after the End',
  'second-start': 'a second Start before record 1',
  'chunk-before-start': 'a Chunk before the Start',
  'no-start': 'no Start',
  'malformed-start': 'the Start has an additional field',
  'oversize-frame': 'record 1 is an authentic Chunk of 65,537 bytes',
  'huge-frame': 'the length of record 1 is 4,294,967,295',
  'tiny-frame': 'the length of record 1 is 16',
  'unknown-type': 'record 1 has the unknown type 5',
  'end-with-content': 'the End has content',
  'error-record': 'an Error instead of record 2',
  'error-before-start': 'an Error instead of the Start',
  'malformed-error': 'an Error with an upper-case code instead of record 2',
  'another-request-id': 'the records are sealed for a different request',
  'reset-mid-response': 'the connection is reset after record 1',
  'close-mid-response': 'the connection is closed after record 1',
  'hang-mid-response': 'nothing is sent after record 1',
} as const;

/** Unusual deliveries of correct records, which clients must accept. */
const DELIVERIES = {
  'byte-by-byte': 'each byte in an HTTP chunk of its own',
  'one-write': 'all records in one HTTP chunk, at the end',
} as const;

type SignedFault = keyof typeof SIGNED_FAULTS;
export type HandshakeFault = keyof typeof HANDSHAKE_FAULTS | SignedFault;
export type OuterFault = keyof typeof OUTER_FAULTS;
export type RecordFault = keyof typeof RECORD_FAULTS;
export type RequestFault = OuterFault | RecordFault | keyof typeof DELIVERIES;

const FOR_HANDSHAKES: Readonly<Record<string, string>> = { ...HANDSHAKE_FAULTS, ...SIGNED_FAULTS };
const FOR_REQUESTS: Readonly<Record<string, string>> = { ...OUTER_FAULTS, ...RECORD_FAULTS, ...DELIVERIES };

interface PlannedFault {
  readonly name: string;
  /** The only handshake or request to which the fault applies, counted from 1; undefined: all of them. */
  readonly only: number | undefined;
}

/** Which faults apply to which handshakes and requests. Both are counted separately. */
export class FaultPlan {
  readonly #planned: readonly PlannedFault[];
  #handshakes = 0;
  #requests = 0;

  constructor(planned: readonly PlannedFault[]) {
    this.#planned = planned;
  }

  /** The faults of the next handshake. */
  nextHandshake(): ReadonlySet<HandshakeFault> {
    return this.#at(++this.#handshakes, FOR_HANDSHAKES) as ReadonlySet<HandshakeFault>;
  }

  /** The faults of the next request. */
  nextRequest(): ReadonlySet<RequestFault> {
    return this.#at(++this.#requests, FOR_REQUESTS) as ReadonlySet<RequestFault>;
  }

  #at(count: number, known: Readonly<Record<string, string>>): ReadonlySet<string> {
    const due = this.#planned.filter(({ name, only }) => Object.hasOwn(known, name) && (only ?? count) === count);
    return new Set(due.map(({ name }) => name));
  }
}

/**
 * Parses a comma-separated list of `name` (always) or `name:N` (only in the N-th handshake or request).
 * @param signed whether the enclave signs its documents
 * @throws RangeError for an unknown fault, or for a fault of the signature if documents are not signed
 */
export function parseFaults(list: string, signed: boolean): FaultPlan {
  const entries = list.split(',').map((entry) => entry.trim());
  return new FaultPlan(entries.filter((entry) => entry !== '').map((entry) => parseFault(entry, signed)));
}

function parseFault(entry: string, signed: boolean): PlannedFault {
  const [, name = '', count] = /^([a-z0-9-]+)(?::([1-9][0-9]{0,8}))?$/.exec(entry) ?? [];
  if (!Object.hasOwn(FOR_HANDSHAKES, name) && !Object.hasOwn(FOR_REQUESTS, name)) {
    throw new RangeError(`unknown fault ${JSON.stringify(entry)}`);
  }
  if (!signed && Object.hasOwn(SIGNED_FAULTS, name)) {
    throw new RangeError(`${name} needs an enclave that signs its documents`);
  }
  return { name, only: count === undefined ? undefined : Number(count) };
}

/** Lists all faults with their descriptions. */
export function describeFaults(): string {
  const groups: [string, Readonly<Record<string, string>>][] = [
    ['In the handshake', HANDSHAKE_FAULTS],
    ['In the handshake of an enclave that signs its documents', SIGNED_FAULTS],
    ['Outside of the records', OUTER_FAULTS],
    ['In the records', RECORD_FAULTS],
    ['Unusual deliveries of correct records', DELIVERIES],
  ];
  return groups
    .map(([title, faults]) => [`${title}:`, ...Object.entries(faults).map(describe)].join('\n'))
    .join('\n\n');
}

function describe([name, summary]: [string, string]): string {
  return `  ${name.padEnd(26)}${summary}`;
}
