// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// What this enclave was asked, for tests and for `--record`. Never a key, a cache root or a body: only their hashes.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { toHex } from '../../shared/bytes.ts';
import type { HeaderField } from '../../session/wire.ts';
import type { ClientWatch, Ending } from './clientWatch.ts';
import type { SealedRequest } from './sealedRequest.ts';

/** One logical request, as it came out of its envelope. */
export interface RequestFacts {
  /** ISO 8601, when the outer head came in. */
  readonly at: string;
  /** 32 lower-case hex characters each. */
  readonly session_id: string;
  readonly request_id: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly HeaderField[];
  /** The first 12 hex characters of the key's SHA-256. */
  readonly credential: { readonly kind: 'api_key'; readonly sha256: string } | null;
  readonly cache_root_sha256: string | null;
  readonly body_present: boolean;
  readonly body_length: number;
  readonly body_sha256: string;
  readonly outer: {
    /** In lower case, in the order in which they came. */
    readonly header_names: readonly string[];
    readonly framing: 'content-length' | 'chunked' | 'none';
    readonly content_length: number | null;
  };
  /** From the outer head to the last byte of the record, in milliseconds. */
  readonly body_ms: number;
}

/** How the answer ended, so many milliseconds after the outer head of the request. */
export interface RequestEnding {
  readonly ended: Ending;
  readonly ended_ms: number;
}

export interface JournalEntry extends RequestFacts {
  readonly end: Promise<RequestEnding>;
}

/** A message that was not admitted. */
export interface RefusalEntry {
  readonly path: string;
  readonly status: number;
  readonly reason: string;
}

/** When an outer request came in. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly wallMs: number;
  /** By `performance.now()`. */
  readonly at: number;
}

/** Hears of every logical request as soon as it is there. */
export type RequestListener = (entry: JournalEntry) => void;

/** Keeps everything, for tests. */
export class Journal {
  /** Handshakes that were answered with a session, true or false. */
  handshakes = 0;
  readonly refusals: RefusalEntry[] = [];
  readonly #requests: JournalEntry[] = [];
  readonly #waiting: (() => void)[] = [];

  /** Every logical request so far. */
  get requests(): readonly JournalEntry[] {
    return this.#requests;
  }

  /** The logical request number `index`, from 0: resolves as soon as it has come. */
  async request(index: number): Promise<JournalEntry> {
    for (;;) {
      const entry = this.#requests[index];
      if (entry !== undefined) return entry;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  readonly add: RequestListener = (entry) => {
    this.#requests.push(entry);
    for (const wake of this.#waiting.splice(0)) wake();
  };
}

/**
 * Appends one line of JSON for each request, when it is over.
 * @throws Error if the file cannot be written
 */
export function recordTo(file: string): RequestListener {
  appendFileSync(file, '');
  return ({ end, ...facts }) => {
    void end.then((ending) => {
      appendFileSync(file, `${JSON.stringify({ ...facts, ...ending })}\n`);
    });
  };
}

/** What there is to say of a request that has just been opened. */
export function describeRequest(
  arrival: Arrival,
  sessionId: string,
  requestId: Uint8Array,
  request: SealedRequest,
  watch: ClientWatch,
): JournalEntry {
  const end = watch.ended.then((ended) => ({ ended, ended_ms: since(arrival) }));
  return { ...factsOf(arrival, sessionId, requestId, request), end };
}

function factsOf(arrival: Arrival, sessionId: string, requestId: Uint8Array, request: SealedRequest): RequestFacts {
  const { credential, cacheNamespaceRoot, method, target, headers, body } = request;
  return {
    at: new Date(arrival.wallMs).toISOString(),
    session_id: sessionId,
    request_id: toHex(requestId),
    method,
    target,
    headers,
    credential: credential === null ? null : { kind: 'api_key', sha256: sha256(credential).slice(0, 12) },
    cache_root_sha256: cacheNamespaceRoot === null ? null : sha256(cacheNamespaceRoot).slice(0, 12),
    body_present: body !== undefined,
    body_length: body?.length ?? 0,
    body_sha256: sha256(body ?? ''),
    outer: outerFacts(arrival.request),
    body_ms: since(arrival),
  };
}

function outerFacts({ rawHeaders, headers }: IncomingMessage): RequestFacts['outer'] {
  const length = headers['content-length'];
  return {
    header_names: rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
    framing: headers['transfer-encoding'] !== undefined ? 'chunked' : length === undefined ? 'none' : 'content-length',
    content_length: length === undefined ? null : Number(length),
  };
}

function since({ at }: Arrival): number {
  return Math.round(performance.now() - at);
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
