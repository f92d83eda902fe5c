// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The answer inside the envelope: transport v2, section 3.
import { MAX_CHUNK, MAX_START_METADATA, MAX_RESPONSE_HEADERS, RecordType } from '../../session/wire.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { answerStatus } from '../model/apiErrors.ts';
import type { ClientWatch } from './clientWatch.ts';
import type { ResponseSealer } from './enclaveSession.ts';
import type { LogicalResponseWriter } from '../model/logical.ts';

/** Where the bytes of the frames go. */
export interface Wire {
  /** False: the socket is full. */
  write(bytes: Uint8Array): boolean;
  /** The HTTP body ends. */
  end(): void;
}

/** Puts records on the wire, in their order. */
export interface RecordWriter {
  /** False: the socket is full. */
  write(tag: number, content: Uint8Array): boolean;
  /** The last record has been written. */
  finish(): void;
}

const NOTHING = new Uint8Array(0);

/** One outer write for each record, of exactly its frame. */
export function honestRecords(wire: Wire, sealer: ResponseSealer): RecordWriter {
  return {
    write: (tag, content) => wire.write(sealer.frame(tag, content)),
    finish: () => {
      wire.end();
    },
  };
}

/** How far an answer has come. */
type Place = 'before-start' | 'in-body' | 'ended';

/** Writes one logical answer as the records of section 3. */
export class SealedResponse implements LogicalResponseWriter {
  readonly #records: RecordWriter;
  readonly #watch: ClientWatch;
  #place: Place = 'before-start';

  constructor(records: RecordWriter, watch: ClientWatch) {
    this.#records = records;
    this.#watch = watch;
  }

  get signal(): AbortSignal {
    return this.#watch.signal;
  }

  start({ status, headers }: ResponseStart): void {
    const content = Buffer.from(JSON.stringify({ status, headers }));
    if (headers.length > MAX_RESPONSE_HEADERS || content.length > MAX_START_METADATA) {
      throw new RangeError('More headers than a response may have');
    }
    this.#go('before-start', 'in-body');
    this.#records.write(RecordType.start, content);
  }

  write(piece: Uint8Array): boolean {
    this.#go('in-body', 'in-body');
    let room = true;
    for (let offset = 0; offset < piece.length; offset += MAX_CHUNK) {
      room = this.#records.write(RecordType.chunk, piece.subarray(offset, offset + MAX_CHUNK));
    }
    return room;
  }

  drained(): Promise<void> {
    return this.#watch.drained();
  }

  end(): void {
    this.#go('in-body', 'ended');
    this.#records.write(RecordType.end, NOTHING);
    this.#records.finish();
  }

  fail(code: string): void {
    this.#watch.markFailed();
    if (this.#place === 'before-start') {
      answerStatus(this, 500, code);
    } else if (this.#place === 'in-body') {
      this.#place = 'ended';
      this.#records.write(RecordType.error, Buffer.from(JSON.stringify({ code })));
      this.#records.finish();
    }
  }

  #go(from: Place, to: Place): void {
    if (this.#place !== from) throw new Error(`This answer is ${this.#place}, not ${from}`);
    this.#place = to;
  }
}
