// HTTP as bytes on a socket, for requests that no client library sends.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { ACCESS_KEY } from './scope.ts';

export interface RawResponse {
  /** `HTTP/1.1 200 OK`. */
  readonly statusLine: string;
  readonly status: number;
  /** `name: value`, as received. */
  readonly fields: readonly string[];
  readonly body: Buffer;
  field(name: string): string | undefined;
  json(): unknown;
}

/** How the other side ended the connection. */
export type RawEnd = 'closed' | 'reset';

export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is closed. */
  readonly ended: Promise<RawEnd>;
  #received = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  /**
   * With `allowHalfOpen`, the connection stays open after the other side has ended its half.
   * @param options.ca the authorities of a listener with TLS, whose name is `localhost`
   */
  static async open(
    port: number,
    { allowHalfOpen = false, ca }: { readonly allowHalfOpen?: boolean; readonly ca?: string[] } = {},
  ): Promise<RawConnection> {
    const address = { port, host: '127.0.0.1', allowHalfOpen };
    const socket = ca === undefined ? connect(address) : connectEncrypted({ ...address, ca, servername: 'localhost' });
    await withTimeout('a connection', DEADLINE, once(socket, ca === undefined ? 'connect' : 'secureConnect'));
    return new RawConnection(socket);
  }

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay();
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    let error: NodeJS.ErrnoException | undefined;
    socket.on('error', (cause) => (error = cause));
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        resolve(error === undefined ? 'closed' : 'reset');
        this.#wake();
      });
    });
  }

  /** The received bytes that no response has consumed yet. */
  get received(): Buffer {
    return this.#received;
  }

  /** Forgets the received bytes that no response has consumed. */
  discard(): void {
    this.#received = Buffer.alloc(0);
  }

  /** Sends text as Latin-1, or bytes. */
  send(data: string | Uint8Array): boolean {
    return this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Resolves when the received bytes contain `text`. */
  async until(text: string): Promise<void> {
    await this.#until(JSON.stringify(text), () => (this.#received.includes(text) ? true : undefined));
  }

  /** Consumes the next response, framed by content-length or chunks. Rejects if the connection ends first. */
  async readResponse(): Promise<RawResponse> {
    const { response, length } = await this.#until('a response', () => parseResponse(this.#received));
    this.#received = this.#received.subarray(length);
    return response;
  }

  /** Resolves with how the other side ended the connection. */
  end(): Promise<RawEnd> {
    return withTimeout('the end of the connection', DEADLINE, this.ended);
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #until<T>(label: string, check: () => T | undefined): Promise<T> {
    const found = async (): Promise<T> => {
      for (;;) {
        const result = check();
        if (result !== undefined) return result;
        if (this.socket.closed) throw new Error(`The connection ended before ${label}`);
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    };
    return withTimeout(label, DEADLINE, found());
  }
}

/** Sends these bytes on a new connection; resolves with the response. */
export async function exchangeRaw(port: number, data: string | Uint8Array): Promise<RawResponse> {
  const connection = await RawConnection.open(port);
  try {
    connection.send(data);
    return await connection.readResponse();
  } finally {
    connection.destroy();
  }
}

function parseResponse(bytes: Buffer): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const field = (name: string) =>
    fields
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const status = Number(statusLine.split(' ')[1]);
  const start = headEnd + 4;
  const bodiless = status < 200 || status === 204 || status === 304;
  const content = field('transfer-encoding') === 'chunked' ? parseChunks(bytes, start) : undefined;
  const length = bodiless ? 0 : Number(field('content-length') ?? NaN);
  const end = content?.end ?? start + length;
  if (field('transfer-encoding') === 'chunked' && content === undefined) return undefined;
  if (Number.isNaN(end) || end > bytes.length) return undefined;
  const body = content?.body ?? bytes.subarray(start, end);
  const json = () => JSON.parse(body.toString()) as unknown;
  return { response: { statusLine, status, fields, body, field, json }, length: end };
}

/** RFC 9112 section 7.1, without extensions and trailers. */
export function parseChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const chunks: Buffer[] = [];
  for (let offset = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', offset);
    if (lineEnd === -1) return undefined;
    const length = parseInt(bytes.toString('latin1', offset, lineEnd), 16);
    const next = lineEnd + 2 + length + 2;
    if (next > bytes.length) return undefined;
    if (length === 0) return { body: Buffer.concat(chunks), end: next };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    offset = next;
  }
}

/**
 * Sends the head of a chat request and a part of its body.
 * @param framing the header that frames the body
 */
export async function beginUpload(port: number, framing: string, part: string | Uint8Array): Promise<RawConnection> {
  const connection = await RawConnection.open(port);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${ACCESS_KEY}`,
    framing,
  ];
  connection.send(`${head.join('\r\n')}\r\n\r\n`);
  connection.send(part);
  return connection;
}
