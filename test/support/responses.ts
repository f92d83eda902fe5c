// Response bodies as the enclave writes them, and what a reader hears of them.
import { randomBytes } from 'node:crypto';
import { RecordStream } from '../../src/session/recordStream.ts';
import { concatBytes } from '../../src/shared/bytes.ts';
import type { EnclaveHalf, ResponseHalf } from './enclaveHalf.ts';
import { makeSessionPair } from './sessions.ts';

export interface FakeResponse {
  readonly stream: RecordStream;
  /** What was heard, in the words that frames are written in. */
  readonly heard: string[];
  readonly chunks: Uint8Array[];
  /** Called inside each call of the reader, with what was heard. */
  during: (heard: string) => void;
  readonly enclave: EnclaveHalf;
  readonly requestId: Uint8Array;
  /** Seals the frames behind `frames`. */
  readonly response: ResponseHalf;
  /** One for each word, in order. */
  readonly frames: Buffer[];
}

/** A response of these records: `start 200`, `chunk some text`, `end`, `error some_code`. */
export function makeResponse(words: readonly string[]): FakeResponse {
  const { session, enclave } = makeSessionPair();
  const requestId = randomBytes(16);
  const response = enclave.respond(requestId);
  const result: Omit<FakeResponse, 'stream'> = {
    heard: [],
    chunks: [],
    during: () => undefined,
    enclave,
    requestId,
    response,
    frames: words.map((word) => frameOf(response, word)),
  };
  const hear = (heard: string) => {
    result.heard.push(heard);
    result.during(heard);
  };
  const stream = new RecordStream(session.beginCall(requestId).opener, {
    start: ({ status }) => {
      hear(`start ${status}`);
    },
    chunk: (bytes) => {
      result.chunks.push(bytes);
      hear(`chunk ${Buffer.from(bytes).toString()}`);
    },
  });
  return Object.assign(result, { stream });
}

/** The next frame of a response, in words. */
export function frameOf(response: ResponseHalf, words: string): Buffer {
  const [, kind, rest = ''] = /^(\w+)(?: (.*))?$/s.exec(words) ?? [];
  if (kind === 'start') return response.start(Number(rest));
  if (kind === 'chunk') return response.chunk(rest);
  if (kind === 'end') return response.end();
  if (kind === 'error') return response.error(rest);
  throw new RangeError(`No record: ${words}`);
}

/** `bytes` in pieces that end at these places. */
export function splits(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const borders = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  const pieces = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
  if (concatBytes(...pieces).length !== bytes.length) throw new RangeError('A place outside the bytes');
  return pieces;
}

/** One piece for each byte. */
export function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}
