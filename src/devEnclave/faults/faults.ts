// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The lies that this enclave can tell on purpose, so that a test can see them refused. Here are their names and when
// they apply; handshakeFaults.ts, outerFaults.ts and recordFaults.ts tell them.

/** Lies in the handshake that every enclave can tell. */
const HANDSHAKE_FAULTS = {
  'wrong-nonce': 'the document answers another challenge',
  'wrong-user-data': 'the document is for another client public key',
  'wrong-public-key': 'the document names another key than the one that is used',
  'short-public-key': 'the key in the document has 31 bytes',
  'low-order-key': 'the key in the document is a low-order point',
  'garbage-document': 'the document is no CBOR',
  'bad-base64': 'the document is no canonical Base64',
  'wrong-session-id': 'the session id is not the one that the keys yield',
  'wrong-version': 'the reply is of version 3',
  'wrong-lifetime': 'the session lives 7,200 s',
  'extra-field': 'the reply has a field too many',
  'missing-field': 'the reply has no lifetime',
  'handshake-wrong-type': 'the reply is application/json; charset=utf-8',
  'double-content-type': 'the reply has two content types',
  'handshake-redirect': 'status 307 to this same path',
  'handshake-500': 'status 500',
  'handshake-oversize': 'the reply is one byte longer than 64 KiB',
  'handshake-hang': 'no answer at all',
  'handshake-reset': 'the connection is reset in place of an answer',
  'handshake-cut': 'the connection ends in the middle of the reply',
} as const;

/** Lies about who signed the document. */
const SIGNED_FAULTS = {
  'expired-certificate': 'the leaf of a trusted chain expired an hour ago',
  'untrusted-root': 'the chain starts with another root',
  'debug-pcr0': 'PCR0 is all zero',
  'bad-signature': 'the last bit of the signature is wrong',
  'unsigned-document': 'the document is not signed at all',
} as const;

/** Lies outside of the records: what is answered in place of them, or around them. */
const OUTER_FAULTS = {
  'marked-session-not-found': 'status 400 that allows a resend: session_not_found',
  'marked-decryption-failed': 'status 400 that allows a resend: request_decryption_failed',
  'unmarked-400': 'status 400 without the marks',
  'double-marked': 'status 400 session_not_found, marked by the contract header twice',
  'double-code': 'status 400, marked, with both codes',
  'marked-unknown-code': 'status 400, marked, with a code that allows nothing',
  'marked-contract-2': 'status 400 session_not_found under another contract',
  'marked-503': 'status 503 with the marks of session_not_found',
  'outer-413': 'status 413 in plain text',
  'outer-415': 'status 415 in plain text',
  'outer-503': 'status 503 in plain text',
  redirect: 'status 307 to this same path',
  'wrong-outer-status': 'honest records under status 201',
  'wrong-outer-type': 'honest records as application/json',
  'parameter-outer-type': 'honest records as application/octet-stream; charset=binary',
  'no-outer-type': 'honest records without a content type',
  'double-outer-type': 'honest records with two content types',
  'reset-before-response': 'the connection is reset in place of an answer',
  'close-before-response': 'the connection is closed in place of an answer',
  'hang-before-response': 'no answer at all',
  'answer-before-body': 'session_not_found at once, and the body is never read',
} as const;

/** Lies in the records. The numbers count records from 0, the Start. */
const RECORD_FAULTS = {
  'tampered-record': 'one bit of record 1 is wrong',
  'swapped-records': 'records 1 and 2 change places',
  'repeated-record': 'record 1 comes twice',
  'dropped-record': 'record 1 is lost',
  'truncated-frame': 'record 1 is cut in half and the body ends',
  'early-end': 'the body ends behind record 1',
  'missing-end': 'the body ends without an End',
  'bytes-behind-end': 'a zero byte behind the End',
  'record-behind-end': 'an authentic Chunk behind the End',
  'second-start': 'a second Start before record 1',
  'chunk-before-start': 'a Chunk before the Start',
  'no-start': 'no Start',
  'malformed-start': 'the Start has a field too many',
  'oversize-frame': 'record 1 is an authentic Chunk of 65,537 bytes',
  'huge-frame': 'the length of record 1 is 4,294,967,295',
  'tiny-frame': 'the length of record 1 is 16',
  'unknown-tag': 'record 1 is of kind 5',
  'end-with-content': 'the End has content',
  'error-record': 'an Error in place of record 2',
  'error-before-start': 'an Error in place of the Start',
  'malformed-error': 'an Error in place of record 2, with a code in capitals',
  'another-request-id': 'the records are sealed for another request',
  'reset-mid-response': 'the connection is reset behind record 1',
  'close-mid-response': 'the connection is closed behind record 1',
  'hang-mid-response': 'nothing more behind record 1',
} as const;

/** Strange deliveries of honest records: no lies, a client must take them. */
const DELIVERIES = {
  'byte-by-byte': 'each byte is an HTTP chunk of its own',
  'one-write': 'all records in one HTTP chunk, at the end',
} as const;

export type SignedFault = keyof typeof SIGNED_FAULTS;
export type HandshakeFault = keyof typeof HANDSHAKE_FAULTS | SignedFault;
export type OuterFault = keyof typeof OUTER_FAULTS;
export type RecordFault = keyof typeof RECORD_FAULTS;
export type RequestFault = OuterFault | RecordFault | keyof typeof DELIVERIES;

const FOR_HANDSHAKES: Readonly<Record<string, string>> = { ...HANDSHAKE_FAULTS, ...SIGNED_FAULTS };
const FOR_REQUESTS: Readonly<Record<string, string>> = { ...OUTER_FAULTS, ...RECORD_FAULTS, ...DELIVERIES };

/** A fault that is told always, or only the `only`-th time (from 1). */
interface Planned {
  readonly name: string;
  readonly only: number | undefined;
}

/** Which faults are told when. Handshakes and requests are counted apart, from the making of the plan. */
export class FaultPlan {
  readonly #planned: readonly Planned[];
  #handshakes = 0;
  #requests = 0;

  constructor(planned: readonly Planned[]) {
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
    const now = this.#planned.filter(({ name, only }) => Object.hasOwn(known, name) && (only ?? count) === count);
    return new Set(now.map(({ name }) => name));
  }
}

/**
 * Reads `name` or `name:N`, with commas between them: always, or only in the N-th handshake or request.
 * @param signed whether this enclave signs its documents
 * @throws RangeError for a name that is no fault, or a fault that this enclave cannot tell
 */
export function parseFaults(list: string, signed: boolean): FaultPlan {
  const entries = list.split(',').map((entry) => entry.trim());
  return new FaultPlan(entries.filter((entry) => entry !== '').map((entry) => parseFault(entry, signed)));
}

function parseFault(entry: string, signed: boolean): Planned {
  const [, name = '', count] = /^([a-z0-9-]+)(?::([1-9][0-9]{0,8}))?$/.exec(entry) ?? [];
  if (!Object.hasOwn(FOR_HANDSHAKES, name) && !Object.hasOwn(FOR_REQUESTS, name)) {
    throw new RangeError(`there is no fault ${JSON.stringify(entry)}`);
  }
  if (!signed && Object.hasOwn(SIGNED_FAULTS, name)) {
    throw new RangeError(`${name} needs an enclave that signs its documents`);
  }
  return { name, only: count === undefined ? undefined : Number(count) };
}

/** Every fault with one line about it. */
export function describeFaults(): string {
  const groups: [string, Readonly<Record<string, string>>][] = [
    ['In the handshake', HANDSHAKE_FAULTS],
    ['In the handshake of an enclave that signs its documents', SIGNED_FAULTS],
    ['Outside of the records', OUTER_FAULTS],
    ['In the records', RECORD_FAULTS],
    ['Strange deliveries of honest records', DELIVERIES],
  ];
  return groups
    .map(([title, faults]) => [`${title}:`, ...Object.entries(faults).map(describe)].join('\n'))
    .join('\n\n');
}

function describe([name, summary]: [string, string]): string {
  return `  ${name.padEnd(26)}${summary}`;
}
