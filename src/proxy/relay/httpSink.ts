// Writes responses to local clients.
import type { ServerResponse } from 'node:http';
import type { ResponseSink } from '../../session/exchange.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { REQUEST_ID_HEADER, sendError } from '../http/errorResponses.ts';
import { isEventStream, replaceCorsHeaders, responseHeaders, singleValue } from '../http/headers.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import type { ResponseSource } from './relay.ts';

/**
 * How long a client may take nothing of a stream, in milliseconds: long enough for one that waits for its user. Node
 * compares the bytes left to send at the end of each such interval, so the stream breaks after one to two of them. The
 * system's own buffers hide smaller steps than about a megabyte.
 */
const READ_TIMEOUT = 600_000;
/** How long a client may take to read what was sent of a broken response, in milliseconds. */
export const LINGER = 10_000;

/** More is sent before the turn ends, in bytes: the source has to learn that the client does not read. */
const MAX_PENDING = 64 * 1024;
const LINE_END = Buffer.from('\r\n');

/** One chunk of the chunked encoding (RFC 9112 section 7.1), of at least one byte. */
function encodeChunk(pieces: readonly Uint8Array[], length: number): Buffer {
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, 'latin1'), ...pieces, LINE_END]);
}

/**
 * A response in progress, whose client may read slowly. What arrives in one turn of the event loop is sent in one piece, and
 * in one chunk of the chunked encoding: Node's own encoder passes four pieces to the system for each write.
 */
export class ClientStream {
  readonly #res: ServerResponse;
  readonly #source: ResponseSource;
  readonly #readTimeout: number;
  /** What is sent at the end of this turn; undefined if nothing is to be sent, not even the head. */
  #pending: Uint8Array[] | undefined;
  #pendingLength = 0;
  #isChunked = false;
  /** True if the client must take something of the response within the read timeout. */
  #isLimited = false;
  #waitingForDrain = false;

  /** @param readTimeout in milliseconds */
  constructor(res: ServerResponse, source: ResponseSource, readTimeout = READ_TIMEOUT) {
    this.#res = res;
    this.#source = source;
    this.#readTimeout = readTimeout;
  }

  /**
   * @param headers name, value, name, value ...
   * @param isEventStream the read timeout applies only to streams
   */
  begin(status: number, headers: string[], isEventStream: boolean): void {
    this.#isLimited = isEventStream;
    if (isEventStream) this.#res.on('timeout', this.#stopUnread);
    this.#res.writeHead(status, headers);
    this.#isChunked = this.#res.chunkedEncoding;
    this.#res.chunkedEncoding = false;
    this.#schedule();
  }

  write(bytes: Uint8Array): void {
    this.#schedule().push(bytes);
    this.#pendingLength += bytes.length;
    if (this.#pendingLength >= MAX_PENDING) this.#flush();
  }

  /** @param bytes the last ones */
  end(bytes?: Uint8Array): void {
    if (bytes !== undefined) this.write(bytes);
    this.#flush();
    this.#res.chunkedEncoding = this.#isChunked; // Node writes the last chunk
    this.#res.end();
  }

  #schedule(): Uint8Array[] {
    if (this.#pending === undefined) {
      this.#pending = [];
      process.nextTick(this.#flush);
    }
    return this.#pending;
  }

  readonly #flush = () => {
    const pieces = this.#pending;
    if (pieces === undefined) return;
    const length = this.#pendingLength;
    this.#pending = undefined;
    this.#pendingLength = 0;
    if (this.#res.destroyed) return;
    if (length === 0) this.#res.flushHeaders();
    else this.#send(this.#isChunked ? encodeChunk(pieces, length) : Buffer.concat(pieces, length));
  };

  /** Back-pressure: the source waits until the client reads on. */
  #send(bytes: Uint8Array): void {
    if (this.#res.write(bytes) || this.#waitingForDrain) return;
    this.#waitingForDrain = true;
    this.#source.pause();
    if (this.#isLimited) this.#res.setTimeout(this.#readTimeout);
    this.#res.once('drain', () => {
      this.#waitingForDrain = false;
      if (this.#isLimited) this.#res.setTimeout(0);
      this.#source.resume();
    });
  }

  /** Sends what was verified, then closes the connection without an end of the body. */
  breakOff(): void {
    this.#flush();
    const { socket } = this.#res;
    if (socket === null) {
      // An earlier response on this connection is not sent completely: this one breaks when its turn comes.
      this.#res.once('socket', () => {
        process.nextTick(() => {
          this.breakOff();
        });
      });
      return;
    }
    socket.destroySoon();
    setTimeout(() => socket.destroy(), LINGER).unref();
  }

  /** The client has not taken a single byte for too long: it gives its place to others. */
  readonly #stopUnread = () => {
    this.#source.abandon(undefined, 'read_timeout');
    this.#res.socket?.destroy();
  };
}

/** Passes the backend's response on as it is. */
export class HttpSink implements ResponseSink<ClientError> {
  readonly #res: ServerResponse;
  readonly #cors: readonly string[];
  readonly #client: ClientStream;
  readonly #requestId: string;

  /**
   * @param cors the headers that let an allowed web page read the response: name, value, name, value ...
   * @param requestId for a response that does not have the backend's own
   * @param readTimeout in milliseconds
   */
  constructor(
    res: ServerResponse,
    source: ResponseSource,
    cors: readonly string[],
    requestId: string,
    readTimeout?: number,
  ) {
    this.#requestId = requestId;
    this.#res = res;
    this.#cors = cors;
    this.#client = new ClientStream(res, source, readTimeout);
  }

  start({ status, headers }: ResponseStart): void {
    this.#res.sendDate = false;
    const raw = replaceCorsHeaders(responseHeaders(headers), this.#cors);
    if (singleValue(raw, REQUEST_ID_HEADER) === undefined) raw.push(REQUEST_ID_HEADER, this.#requestId);
    this.#client.begin(status, raw, isEventStream(headers));
  }

  chunk(bytes: Uint8Array): void {
    this.#client.write(bytes);
  }

  end(): void {
    this.#client.end();
  }

  fail(error: ClientError): void {
    if (this.#res.headersSent) this.#client.breakOff();
    else sendError(this.#res, error, [...this.#cors, REQUEST_ID_HEADER, this.#requestId]);
  }
}
