// Response bodies of the enclave, and what a RecordStream passes on of them.
import { randomBytes } from 'node:crypto';
import { RecordStream } from '../../src/session/recordStream.ts';
import { concatBytes } from '../../src/shared/bytes.ts';
import type { EnclaveHalf, ResponseHalf } from './enclaveHalf.ts';
import { makeSessionPair } from './sessions.ts';

export interface FakeResponse {
  readonly stream: RecordStream;
  /** The records that were passed on, in the notation of `makeResponse`. */
  readonly received: string[];
  readonly chunks: Uint8Array[];
  /** Called with each record that is passed on. */
  during: (received: string) => void;
  readonly enclave: EnclaveHalf;
  readonly requestId: Uint8Array;
  /** Seals further frames after `frames`. */
  readonly response: ResponseHalf;
  /** One for each record, in order. */
  readonly frames: Buffer[];
}

/** Makes a response of these records: `start 200`, `chunk some text`, `end`, `error some_code`. */
export function makeResponse(words: readonly string[]): FakeResponse {
  const { session, enclave } = makeSessionPair();
  const requestId = randomBytes(16);
  const response = enclave.respond(requestId);
  const result: Omit<FakeResponse, 'stream'> = {
    received: [],
    chunks: [],
    during: () => undefined,
    enclave,
    requestId,
    response,
    frames: words.map((word) => frameOf(response, word)),
  };
  const receive = (received: string) => {
    result.received.push(received);
    result.during(received);
  };
  const stream = new RecordStream(session.beginCall(requestId).opener, {
    start: ({ status }) => {
      receive(`start ${status}`);
    },
    chunk: (bytes) => {
      result.chunks.push(bytes);
      receive(`chunk ${Buffer.from(bytes).toString()}`);
    },
  });
  return Object.assign(result, { stream });
}

/** Returns the next frame of a response, for a record in this notation. */
export function frameOf(response: ResponseHalf, words: string): Buffer {
  const [, kind, rest = ''] = /^(\w+)(?: (.*))?$/s.exec(words) ?? [];
  if (kind === 'start') return response.start(Number(rest));
  if (kind === 'chunk') return response.chunk(rest);
  if (kind === 'end') return response.end();
  if (kind === 'error') return response.error(rest);
  throw new RangeError(`Unknown record: ${words}`);
}

/** Splits `bytes` at these offsets. */
export function splits(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const borders = [0, ...offsets.toSorted((a, b) => a - b), bytes.length];
  const parts = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
  if (concatBytes(...parts).length !== bytes.length) throw new RangeError('An offset is out of range');
  return parts;
}

/** Splits `bytes` into single bytes. */
export function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}
