// From the bytes of a response body to its records: transport v2, section 3.
import { SessionError } from './errors.ts';
import type { RecordOpener, ResponseRecord } from './record.ts';
import { LENGTH_FIELD, MAX_FRAME, MIN_FRAME } from './wire.ts';
import type { ResponseStart } from './wire.ts';

/** Where the records of one response go, each as soon as it is verified. */
export interface RecordSink {
  start(start: ResponseStart): void;
  chunk(bytes: Uint8Array): void;
}

type Place = 'before-start' | 'in-body' | 'ended' | 'failed';

/**
 * Cuts a body into frames wherever its pieces end, opens each frame and holds the records to the grammar: one Start,
 * any number of Chunks, one End or Error, the end of the body. Every error is final.
 */
export class RecordStream {
  readonly #opener: RecordOpener;
  readonly #sink: RecordSink;
  #place: Place = 'before-start';
  /** The bytes of the length field that have come, while it is not whole. */
  #lengthBytes = 0;
  #length = 0;
  /** The frame that is being collected, while it is not whole. */
  #frame: Uint8Array | undefined;
  #collected = 0;

  constructor(opener: RecordOpener, sink: RecordSink) {
    this.#opener = opener;
    this.#sink = sink;
  }

  /**
   * The next piece of the body, of any length. Whole frames inside it are opened where they lie.
   * @throws SessionError `record_length`, `record_authentication`, `record_malformed`, `record_order`, `enclave_error`
   */
  push(piece: Uint8Array): void {
    try {
      this.#read(piece);
    } catch (error) {
      this.#place = 'failed';
      throw error;
    }
  }

  /**
   * The body has ended.
   * @throws SessionError `truncated` unless the last record was an End
   */
  finish(): void {
    if (this.#place !== 'ended') throw new SessionError('truncated', 'The response ended before its last record');
  }

  /** Nothing more is wanted: the key of the response is overwritten. */
  close(): void {
    this.#place = 'failed';
    this.#opener.destroy();
  }

  #read(piece: Uint8Array): void {
    let offset = 0;
    while (offset < piece.length) {
      if (this.#place === 'ended' || this.#place === 'failed') {
        throw new SessionError('record_order', 'The backend sent bytes behind the last record');
      }
      if (this.#frame !== undefined) offset = this.#collect(this.#frame, piece, offset);
      else if (this.#lengthBytes < LENGTH_FIELD) offset = this.#readLength(piece, offset);
      else if (piece.length - offset >= this.#length) offset = this.#openInPlace(piece, offset);
      else this.#frame = new Uint8Array(this.#length);
    }
  }

  #readLength(piece: Uint8Array, start: number): number {
    let offset = start;
    while (this.#lengthBytes < LENGTH_FIELD && offset < piece.length) {
      this.#length = this.#length * 256 + (piece[offset++] ?? 0);
      this.#lengthBytes++;
    }
    if (this.#lengthBytes === LENGTH_FIELD && (this.#length < MIN_FRAME || this.#length > MAX_FRAME)) {
      throw new SessionError('record_length', `The backend sent a record of ${this.#length} bytes`);
    }
    return offset;
  }

  #collect(frame: Uint8Array, piece: Uint8Array, offset: number): number {
    const end = Math.min(piece.length, offset + frame.length - this.#collected);
    frame.set(piece.subarray(offset, end), this.#collected);
    this.#collected += end - offset;
    if (this.#collected === frame.length) {
      this.#frame = undefined;
      this.#collected = 0;
      this.#accept(frame);
    }
    return end;
  }

  #openInPlace(piece: Uint8Array, offset: number): number {
    const end = offset + this.#length;
    this.#accept(piece.subarray(offset, end));
    return end;
  }

  #accept(frame: Uint8Array): void {
    this.#length = 0;
    this.#lengthBytes = 0;
    this.#follow(this.#opener.open(frame));
  }

  /** The place changes before the sink is called, which may close the stream. */
  #follow(record: ResponseRecord): void {
    if ((record.kind === 'start') !== (this.#place === 'before-start')) {
      throw new SessionError('record_order', `The backend sent a record of kind ${record.kind} out of its place`);
    }
    switch (record.kind) {
      case 'start':
        this.#place = 'in-body';
        this.#sink.start(record);
        break;
      case 'chunk':
        this.#sink.chunk(record.bytes);
        break;
      case 'end':
        this.#place = 'ended';
        break;
      case 'error':
        throw new SessionError('enclave_error', `The enclave broke the response off: ${record.code}`);
    }
  }
}
