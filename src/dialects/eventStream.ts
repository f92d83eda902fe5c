// Server-sent events (WHATWG HTML, section 9.2): the backend's are read, and a dialect's are written.
import { invalidResponse } from './dialectError.ts';

/** In characters. A longer event is not one of a model, and would be parsed for too long. */
const MAX_EVENT = 4 * 1024 * 1024;
const LINE_END = /\r\n|\r|\n/;

/** Reads the `data` of each event from chunks that may end anywhere, also within a character. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  /** The beginning of the current line. */
  #line = '';
  /** The lines of the current event's data. */
  #data: string[] = [];
  #length = 0;
  /** The last chunk ended with a carriage return, which a line feed may complete. */
  #endedWithReturn = false;

  /**
   * The data of the events that end in this chunk.
   * @throws DialectError if an event is too long
   */
  push(bytes: Uint8Array): string[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The end of the stream: also returns an event whose empty line is missing. */
  end(): string[] {
    return this.#read(`${this.#decoder.decode()}\n\n`);
  }

  #read(chunk: string): string[] {
    if (chunk === '') return [];
    const text = this.#endedWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    this.#endedWithReturn = chunk.endsWith('\r');
    const events: string[] = [];
    const lines = text.split(LINE_END);
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#endLine(this.#line + line, events);
      this.#line = '';
    }
    this.#line += rest;
    this.#checkLength(this.#line.length);
    return events;
  }

  #endLine(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.length === 1 ? (this.#data[0] ?? '') : this.#data.join('\n'));
      this.#data = [];
      this.#length = 0;
    } else if (line.startsWith('data:')) {
      const value = line.slice(line.startsWith('data: ') ? 6 : 5);
      this.#length += value.length + 16; // an empty line takes memory too
      this.#checkLength(0);
      this.#data.push(value);
    } // all other fields and comments mean nothing for Chat Completions
  }

  #checkLength(more: number): void {
    if (this.#length + more <= MAX_EVENT) return;
    throw invalidResponse('The backend sent an event that is too long. Try again.');
  }
}

/** The text of one event. */
export function formatEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
