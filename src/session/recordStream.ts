// Splits the body of a response into records (transport V2, section 3).
import { SessionError } from './errors.ts';
import type { RecordOpener, ResponseRecord } from './record.ts';
import { LENGTH_FIELD, MAX_FRAME, MIN_FRAME } from './wire.ts';
import type { ResponseStart } from './wire.ts';

/** Receives the content of one response, each record as soon as it is verified. */
export interface RecordSink {
  start(start: ResponseStart): void;
  chunk(bytes: Uint8Array): void;
}

/**
 * Reassembles frames from body data of any length, opens each frame and enforces the grammar: one Start, any number of
 * Chunks, one End or Error, the end of the body. Every error is final.
 */
export class RecordStream {
  readonly #opener: RecordOpener;
  readonly #sink: RecordSink;
  #state: 'before-start' | 'in-body' | 'ended' | 'failed' = 'before-start';
  /** How many bytes of the current length field have been read. */
  #lengthBytes = 0;
  #length = 0;
  /** The current frame if it spans several calls of `push`. */
  #frame: Uint8Array | undefined;
  #collected = 0;

  constructor(opener: RecordOpener, sink: RecordSink) {
    this.#opener = opener;
    this.#sink = sink;
  }

  /**
   * Reads the next data of the body, of any length. Opens complete frames without copying them first.
   * @throws SessionError `record_length`, `record_authentication`, `record_malformed`, `record_order`, `enclave_error`
   */
  push(data: Uint8Array): void {
    try {
      this.#read(data);
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
  }

  /**
   * Handles the end of the body.
   * @throws SessionError `truncated` unless the last record was an End
   */
  finish(): void {
    if (this.#state !== 'ended') throw new SessionError('truncated', 'The response ended before its last record');
  }

  /** Stops reading and overwrites the key of the response. */
  close(): void {
    this.#state = 'failed';
    this.#opener.destroy();
  }

  #read(data: Uint8Array): void {
    let offset = 0;
    while (offset < data.length) {
      if (this.#state === 'ended' || this.#state === 'failed') {
        throw new SessionError('record_order', 'The backend sent data after the last record');
      }
      if (this.#frame !== undefined) offset = this.#collect(this.#frame, data, offset);
      else if (this.#lengthBytes < LENGTH_FIELD) offset = this.#readLength(data, offset);
      else if (data.length - offset >= this.#length) offset = this.#openInPlace(data, offset);
      else this.#frame = new Uint8Array(this.#length);
    }
  }

  #readLength(data: Uint8Array, start: number): number {
    let offset = start;
    while (this.#lengthBytes < LENGTH_FIELD && offset < data.length) {
      this.#length = this.#length * 256 + (data[offset++] ?? 0);
      this.#lengthBytes++;
    }
    if (this.#lengthBytes === LENGTH_FIELD && (this.#length < MIN_FRAME || this.#length > MAX_FRAME)) {
      throw new SessionError('record_length', `The backend sent a record of ${this.#length} bytes`);
    }
    return offset;
  }

  #collect(frame: Uint8Array, data: Uint8Array, offset: number): number {
    const end = Math.min(data.length, offset + frame.length - this.#collected);
    frame.set(data.subarray(offset, end), this.#collected);
    this.#collected += end - offset;
    if (this.#collected === frame.length) {
      this.#frame = undefined;
      this.#collected = 0;
      this.#openFrame(frame);
    }
    return end;
  }

  #openInPlace(data: Uint8Array, offset: number): number {
    const end = offset + this.#length;
    this.#openFrame(data.subarray(offset, end));
    return end;
  }

  #openFrame(frame: Uint8Array): void {
    this.#length = 0;
    this.#lengthBytes = 0;
    this.#handle(this.#opener.open(frame));
  }

  /** Sets the state before it calls the sink, because the sink may close the stream. */
  #handle(record: ResponseRecord): void {
    if ((record.kind === 'start') !== (this.#state === 'before-start')) {
      throw new SessionError('record_order', `The backend sent a record of type ${record.kind} out of order`);
    }
    switch (record.kind) {
      case 'start':
        this.#state = 'in-body';
        this.#sink.start(record);
        break;
      case 'chunk':
        this.#sink.chunk(record.bytes);
        break;
      case 'end':
        this.#state = 'ended';
        break;
      case 'error':
        throw new SessionError('enclave_error', `The enclave aborted the response: ${record.code}`);
    }
  }
}
