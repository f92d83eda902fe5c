// Records the requests, for tests and for `--record`. Of keys, cache roots and bodies it keeps only hashes.
import { hash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { HeaderField } from '../../session/wire.ts';
import { toHex } from '../../shared/bytes.ts';
import type { DecryptedRequest } from './decryptedRequest.ts';
import type { Ending, ResponseTracker } from './responseTracker.ts';

/** One decrypted request. */
export interface RequestFacts {
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
    /** In lower case and in order. */
    readonly header_names: readonly string[];
    readonly framing: 'content-length' | 'chunked' | 'none';
    readonly content_length: number | null;
  };
}

export interface RequestEnding {
  readonly ended: Ending;
}

export interface JournalEntry extends RequestFacts {
  readonly end: Promise<RequestEnding>;
}

/** A request that was answered with an HttpError. */
export interface Rejection {
  readonly path: string;
  readonly status: number;
  readonly reason: string;
}

/** Called for every decrypted request. */
export type RequestListener = (entry: JournalEntry) => void;

/** Keeps all requests in memory, for tests. */
export class Journal {
  /** How many handshakes were attempted. */
  handshakes = 0;
  readonly rejections: Rejection[] = [];
  readonly #requests: JournalEntry[] = [];
  readonly #waiting: (() => void)[] = [];

  /** All decrypted requests so far. */
  get requests(): readonly JournalEntry[] {
    return this.#requests;
  }

  /** Resolves with request number `index`, counted from 0, as soon as it has arrived. */
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
 * Returns a listener that appends one line of JSON to `file` when a request has ended.
 * @throws Error if the file is not writable
 */
export function recordTo(file: string): RequestListener {
  appendFileSync(file, '');
  return ({ end, ...facts }) => {
    void end.then((ending) => {
      appendFileSync(file, `${JSON.stringify({ ...facts, ...ending })}\n`);
    });
  };
}

/** The journal entry of a request that has just been decrypted. */
export function describeRequest(
  outer: IncomingMessage,
  sessionId: string,
  requestId: Uint8Array,
  request: DecryptedRequest,
  tracker: ResponseTracker,
): JournalEntry {
  const { credential, cacheNamespaceRoot, method, target, headers, body } = request;
  return {
    end: tracker.ended.then((ended) => ({ ended })),
    session_id: sessionId,
    request_id: toHex(requestId),
    method,
    target,
    headers,
    credential: credential === null ? null : { kind: 'api_key', sha256: hash('sha256', credential).slice(0, 12) },
    cache_root_sha256: cacheNamespaceRoot === null ? null : hash('sha256', cacheNamespaceRoot).slice(0, 12),
    body_present: body !== undefined,
    body_length: body?.length ?? 0,
    body_sha256: hash('sha256', body ?? ''),
    outer: describeOuterRequest(outer),
  };
}

function describeOuterRequest({ rawHeaders, headers }: IncomingMessage): RequestFacts['outer'] {
  const length = headers['content-length'];
  return {
    header_names: rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()),
    framing: headers['transfer-encoding'] !== undefined ? 'chunked' : length === undefined ? 'none' : 'content-length',
    content_length: length === undefined ? null : Number(length),
  };
}
