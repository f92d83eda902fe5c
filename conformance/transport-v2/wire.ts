// The bytes of HTTP/1.1 between the scripted enclave and the client under test: requests in, scripted messages out.
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Field, Message } from './suite.ts';

const HEAD_END = '\r\n\r\n';

/** The head of a request. */
export interface Head {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: readonly Field[];
}

export function valuesOf({ headers }: Pick<Head, 'headers'>, name: string): string[] {
  return headers.filter(([one]) => one === name).map(([, value]) => value);
}

/** The other side has closed the connection. */
export class Closed extends Error {}

/** Reads the requests of one connection. */
export class RequestReader {
  #chunks: Buffer[] = [];
  #length = 0;
  #closed = false;
  #wake: () => void = () => undefined;

  /** @param onData called with everything that arrives */
  constructor(socket: Socket, onData: (chunk: Buffer) => void) {
    socket.on('data', (chunk: Buffer) => {
      onData(chunk);
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** @throws Closed */
  async head(): Promise<Head> {
    const [line = '', ...fields] = (await this.#until(HEAD_END)).split('\r\n');
    const [method = '', target = ''] = line.split(' ');
    const headers = fields.map((field): Field => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    });
    return { method, target, headers };
  }

  /** @throws Closed */
  async body(head: Head): Promise<Buffer> {
    if (valuesOf(head, 'transfer-encoding').length === 0) {
      return this.#take(Number(valuesOf(head, 'content-length')[0] ?? 0));
    }
    const chunks: Buffer[] = [];
    for (;;) {
      const length = Number.parseInt(await this.#until('\r\n'), 16);
      const chunk = await this.#take(length);
      await this.#take(2);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk);
    }
  }

  async #until(end: string): Promise<string> {
    for (;;) {
      const place = this.#join().indexOf(end);
      if (place >= 0) return (await this.#take(place + end.length)).toString('latin1').slice(0, -end.length);
      await this.#more();
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#length < length) await this.#more();
    const all = this.#join();
    this.#chunks = [all.subarray(length)];
    this.#length -= length;
    return all.subarray(0, length);
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const all = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  async #more(): Promise<void> {
    if (this.#closed) throw new Closed();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/**
 * Writes a message with a body in these parts. Resolves to whether the connection may carry another one.
 * @param before called with the number of each part before it is written
 */
export async function writeMessage(
  socket: Socket,
  message: Message,
  parts: readonly Buffer[],
  before: (part: number) => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const { framing, end, trailers = [] } = message;
  const isChunked = message.status !== 0 && framing === undefined;
  for (const { status, headers } of message.interim ?? []) await write(socket, head(status, headers));
  if (message.status !== 0) await write(socket, head(message.status ?? 200, headersOf(message, parts)));
  for (const [index, part] of parts.entries()) {
    await before(index);
    if (part.length > 0) await write(socket, isChunked ? httpChunk(part) : part);
  }
  if (end === undefined) {
    if (isChunked) await write(socket, Buffer.from(`0\r\n${fieldLines(trailers)}\r\n`));
    if (framing === 'close') socket.end();
    return framing !== 'close';
  }
  await setImmediate(); // what was written leaves before a reset
  if (end === 'close') socket.end();
  else if (end === 'reset') socket.resetAndDestroy();
  return false;
}

/** The parts as the message delivers them. @param boundary where to split it, for 'each boundary' */
export function partsOf({ delivery }: Message, parts: readonly Buffer[], boundary: number): readonly Buffer[] {
  if (delivery === undefined) return parts;
  const all = Buffer.concat(parts);
  if (delivery === 'whole') return [all];
  if (delivery === 'each boundary') return [all.subarray(0, boundary), all.subarray(boundary)];
  return Array.from(all, (_, place) => all.subarray(place, place + 1));
}

function headersOf({ headers = [], framing, contentLength, trailers }: Message, parts: readonly Buffer[]): Field[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const names = (trailers ?? []).map(([name]): Field => ['trailer', name]);
  if (framing === undefined) return [...headers, ...names, ['transfer-encoding', 'chunked']];
  return framing === 'close'
    ? [...headers, ['connection', 'close']]
    : [...headers, ['content-length', String(contentLength ?? length)]];
}

function head(status: number, headers: readonly Field[]): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} Scripted\r\n${fieldLines(headers)}\r\n`, 'latin1');
}

function fieldLines(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

function httpChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** Resolves when the system has taken the bytes, or the connection is gone. */
function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => {
      resolve();
    });
  });
}
