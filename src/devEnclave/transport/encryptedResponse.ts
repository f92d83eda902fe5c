// Writes a response as records (transport V2, section 3).
import { MAX_CHUNK, MAX_RESPONSE_HEADERS, MAX_START_METADATA, RecordType } from '../../session/wire.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { answerStatus } from '../model/apiErrors.ts';
import type { ApiResponseWriter } from '../model/apiHandler.ts';
import type { ResponseSealer } from './enclaveSession.ts';
import type { ResponseTracker } from './responseTracker.ts';

/** The body of the outer HTTP response. */
export interface OuterBody {
  /** Returns false if the socket is full. */
  write(bytes: Uint8Array): boolean;
  end(): void;
}

/** Writes the records of one response in order. */
export interface RecordWriter {
  /** Returns false if the socket is full. */
  write(type: number, content: Uint8Array): boolean;
  /** Ends the body after the last record. */
  finish(): void;
}

/** Seals each record and writes its frame in one write. */
export function createRecordWriter(body: OuterBody, sealer: ResponseSealer): RecordWriter {
  return {
    write: (type, content) => body.write(sealer.frame(type, content)),
    finish: () => {
      body.end();
    },
  };
}

type State = 'before-start' | 'in-body' | 'ended';

export class EncryptedResponse implements ApiResponseWriter {
  readonly #records: RecordWriter;
  readonly #tracker: ResponseTracker;
  #state: State = 'before-start';

  constructor(records: RecordWriter, tracker: ResponseTracker) {
    this.#records = records;
    this.#tracker = tracker;
  }

  get signal(): AbortSignal {
    return this.#tracker.signal;
  }

  start({ status, headers }: ResponseStart): void {
    const content = Buffer.from(JSON.stringify({ status, headers }));
    if (headers.length > MAX_RESPONSE_HEADERS || content.length > MAX_START_METADATA) {
      throw new RangeError('The response has too many headers');
    }
    this.#transition('before-start', 'in-body');
    this.#records.write(RecordType.start, content);
  }

  write(chunk: Uint8Array): boolean {
    this.#transition('in-body', 'in-body');
    let writable = true;
    for (let offset = 0; offset < chunk.length; offset += MAX_CHUNK) {
      writable = this.#records.write(RecordType.chunk, chunk.subarray(offset, offset + MAX_CHUNK));
    }
    return writable;
  }

  drained(): Promise<void> {
    return this.#tracker.drained();
  }

  end(): void {
    this.#transition('in-body', 'ended');
    this.#records.write(RecordType.end, new Uint8Array(0));
    this.#records.finish();
  }

  fail(code: string): void {
    this.#tracker.markFailed();
    if (this.#state === 'before-start') {
      answerStatus(this, 500, code);
    } else if (this.#state === 'in-body') {
      this.#state = 'ended';
      this.#records.write(RecordType.error, Buffer.from(JSON.stringify({ code })));
      this.#records.finish();
    }
  }

  #transition(from: State, to: State): void {
    if (this.#state !== from) throw new Error(`The response is ${this.#state}, not ${from}`);
    this.#state = to;
  }
}
