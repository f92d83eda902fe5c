// The suite as files: what a case scripts, and what it expects. README.md describes both for users of other languages.
import { readFileSync } from 'node:fs';

export const AREAS = [
  'handshake',
  'attestation',
  'requests',
  'start',
  'records',
  'framing',
  'delivery',
  'outer',
  'resend',
  'sessions',
  'timeouts',
] as const;
export type Area = (typeof AREAS)[number];

export const CASES_FOLDER = new URL('cases/', import.meta.url);
export const VECTORS_FILE = new URL('vectors.json', import.meta.url);

/** Bytes: of all fields that are there, in this order. */
export interface Content {
  /** In UTF-8. */
  readonly text?: string;
  readonly hex?: string;
  /** A byte, repeated. */
  readonly fill?: { readonly byte: number; readonly length: number };
}

export type Field = readonly [name: string, value: string];

/** What is sent of a response: a record, or bytes as they are. At most one of the alterations is there. */
export interface Part extends Content {
  /** The first byte of the plaintext; missing: the plaintext has only the content. */
  readonly type?: number;
  /** The number under which it is sealed; missing: its place among the records. */
  readonly sequence?: number;
  readonly sealedFor?: 'another request' | 'another session';
  /** The place of a byte of the frame whose lowest bit is inverted; a negative one counts from the end. */
  readonly flip?: number;
  /** What the length field says. */
  readonly length?: number;
  /** How many bytes of the frame are sent. */
  readonly keep?: number;
  /** Not sealed, and without a length field. */
  readonly raw?: true;
  /** How many such records are sent, one after the other; missing: one. */
  readonly repeat?: number;
}

/** How a message of HTTP is sent. */
export interface Message {
  readonly status?: number;
  /** All fields but those of the framing. */
  readonly headers?: readonly Field[];
  /** Informational responses before it. */
  readonly interim?: readonly { readonly status: number; readonly headers: readonly Field[] }[];
  /** Missing: chunked. */
  readonly framing?: 'content-length' | 'close';
  /** What `content-length` says in place of the length. */
  readonly contentLength?: number;
  /** Missing: each part in an HTTP chunk of its own. */
  readonly delivery?: 'whole' | 'byte by byte' | 'each boundary';
  readonly trailers?: readonly Field[];
  /** Missing: the message is complete. Otherwise it is never completed. */
  readonly end?: 'close' | 'reset' | 'silence';
}

export interface Answer extends Message {
  readonly body?: readonly Part[];
  /** Sent as soon as the head of the request has arrived. */
  readonly early?: true;
  /** The number of parts that are sent at once; the others follow when the further requests of the case have ended. */
  readonly heldAfter?: number;
}

export type Binding = 'other' | 'short' | 'long' | 'missing' | 'null' | 'text' | { readonly hex: string };

export interface DocumentScript {
  readonly nonce?: Binding;
  readonly publicKey?: Binding;
  readonly userData?: Binding | 'other label' | 'no zero byte';
  readonly form?:
    | 'indefinite payload'
    | 'not CBOR'
    | 'three elements'
    | 'payload is a map'
    | 'payload is a list'
    | 'byte behind'
    | 'truncated';
}

export interface Handshake extends Message {
  /** Fields of the reply, in place of the correct ones or in addition. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly without?: string;
  /** The complete body. */
  readonly body?: string;
  /** Spaces are added to the body until it has this many bytes. */
  readonly paddedTo?: number;
  readonly document?: DocumentScript;
  readonly base64?: 'URL alphabet' | 'no padding' | 'not canonical' | 'line break';
}

/** A request of a local client. */
export interface LocalRequest {
  /** Missing: POST. */
  readonly method?: string;
  /** Missing: /v1/chat/completions. */
  readonly target?: string;
  /** In addition to host, authorization and, with a body, content-type and the framing. */
  readonly headers?: readonly Field[];
  /** Missing: with POST, a chat request. */
  readonly body?: Content;
  readonly chunked?: true;
}

/** What the local client must get. */
export type Delivered =
  | {
      readonly outcome: 'complete';
      readonly status: number;
      readonly body: Content;
      readonly headers?: readonly Field[];
      /** Names of header fields that it must not get. */
      readonly absent?: readonly string[];
    }
  /** Part of the body at most, and no end. */
  | { readonly outcome: 'broken'; readonly status: number; readonly body: Content }
  /** An error of the client under test, with one of these statuses. */
  | { readonly outcome: 'failed'; readonly statuses: readonly number[] };

/** What the enclave must find in the plaintext of a request, beside what every request must have. */
export interface Opened {
  readonly method?: string;
  readonly target?: string;
  readonly bodyPresent?: boolean;
  /** In this order; others may be between. */
  readonly headers?: readonly Field[];
  readonly absent?: readonly string[];
}

export interface Expected {
  /** For each local request. */
  readonly client: readonly Delivered[];
  /** The session of each request that the enclave gets; they are numbered in the order of their first request. */
  readonly sessions: readonly number[];
  /** For each request that the enclave gets. */
  readonly opened?: readonly Opened[];
}

export interface Case {
  /** `AREA/NAME`, unique. */
  readonly id: string;
  readonly title: string;
  /** `required`: by the clause. `profile`: the clause permits something else too. */
  readonly strength: 'required' | 'profile';
  /** The rule: section of the specification, and its subject. */
  readonly clause: string;
  /** One after the other. Missing: one chat request. */
  readonly requests?: readonly LocalRequest[];
  /** Of the handshakes, in order; the last one is for all further ones. Missing: correct ones. */
  readonly handshakes?: readonly Handshake[];
  /** To the requests, in order; further ones are answered correctly. */
  readonly answers?: readonly Answer[];
  /** What the client's time limits must be set to; missing: DEFAULT_TIMEOUT. */
  readonly timeoutSeconds?: number;
  readonly expected: Expected;
}

/** Seconds: far longer than any answer that comes takes. */
export const DEFAULT_TIMEOUT = 60;

/** A request of the client as bytes. */
export interface SealedRequest {
  readonly title: string;
  /** Hex. */
  readonly request_id: string;
  /** Base64: the length of the metadata, the metadata and the body. */
  readonly plaintext: string;
  /** Base64: the body of the HTTP request. */
  readonly record: string;
}

/** A response as bytes, for tests of an implementation's parts. */
export interface Stream {
  /** The case with the same records. */
  readonly id: string;
  readonly title: string;
  /** Base64: the body of the HTTP response. */
  readonly body: string;
  readonly expected: Exclude<Delivered, { readonly outcome: 'failed' }> | { readonly outcome: 'failed' };
}

/** Known answers for the keys of the specification's vectors. */
export interface Vectors {
  /** Hex. */
  readonly session: Readonly<
    Record<'challenge' | 'client_public_key' | 'server_public_key' | 'x25519_shared' | 'session_id', string>
  >;
  readonly requests: readonly SealedRequest[];
  /** Hex. */
  readonly stream_request_id: string;
  readonly streams: readonly Stream[];
}

export function readSuite(): readonly Case[] {
  return AREAS.flatMap((area) => {
    const text = readFileSync(new URL(`${area}.json`, CASES_FOLDER), 'utf8');
    return (JSON.parse(text) as { readonly cases: readonly Case[] }).cases;
  });
}

export function readVectors(): Vectors {
  return JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as Vectors;
}

export function areaOf({ id }: Pick<Case, 'id'>): string {
  return id.slice(0, id.indexOf('/'));
}

export function bytesOf({ text, hex, fill }: Content): Buffer {
  const filled = fill === undefined ? Buffer.alloc(0) : Buffer.alloc(fill.length, fill.byte);
  return Buffer.concat([Buffer.from(text ?? ''), Buffer.from(hex ?? '', 'hex'), filled]);
}

/** The API key that the local client of a case sends. */
export function keyOf({ id }: Case): string {
  return `key-of-${id}`;
}

/** What must not be on the wire in the clear, beside the key. */
export function promptOf({ id }: Case): string {
  return `The prompt of ${id}.`;
}

/** The body of a request of the local client; undefined: it has none. */
export function bodyOf(one: Case, { method = 'POST', body }: LocalRequest): Buffer | undefined {
  if (body !== undefined) return bytesOf(body);
  if (method !== 'POST') return undefined;
  return Buffer.from(JSON.stringify({ model: 'model', messages: [{ role: 'user', content: promptOf(one) }] }));
}
