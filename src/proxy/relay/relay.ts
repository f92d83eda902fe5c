// Relays one request of a local client: its body goes into an exchange, the records of the response come back, the time
// limits run, and each side learns when the other one ends.
import type { IncomingMessage } from 'node:http';
import { SessionError } from '../../session/errors.ts';
import { Exchange } from '../../session/exchange.ts';
import type { ExchangeContext, ResponseSink } from '../../session/exchange.ts';
import { ReplayableBody } from '../../session/replayableBody.ts';
import type { ResponseStart } from '../../session/wire.ts';
import type { RequestFailure } from '../backend/connectionReport.ts';
import { describeError } from '../backend/describeError.ts';
import type { ClientResponse } from '../http/clientResponse.ts';
import { sendError } from '../http/errorResponses.ts';
import { replaceCorsHeaders, responseHeaders } from '../http/headers.ts';
import { BODY_LIMIT, errorOfExchange } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';
import type { RequestMeter } from '../usage/requestMeter.ts';
import { isEventStream } from '../usage/tokenObserver.ts';
import type { Place } from './requestLimits.ts';
import type { RequestEntry } from './requestLog.ts';
import { Upload } from './upload.ts';

/** In milliseconds. */
export interface Timeouts {
  /** From the end of the upload to the start of a stream, or to the end of any other response. */
  readonly requestTimeout: number;
  /** Between two chunks of a stream, or of an upload. */
  readonly streamIdleTimeout: number;
}

export interface RelayContext {
  readonly exchange: ExchangeContext & {
    /** Whether the next session waits for the user's consent to an image. */
    readonly awaitsConsent?: () => boolean;
  };
  readonly timeouts: Timeouts;
  /** The socket's timeout while a client does not read a stream, in milliseconds. */
  readonly readTimeout?: number;
  /** Receives null for a success, or a failure that other requests may have too. */
  readonly onOutcome: (failure: RequestFailure | null) => void;
}

export interface RelayedRequest {
  /** Null if the body is given to `send`. */
  readonly req: IncomingMessage | null;
  readonly res: ClientResponse;
  /** Ended by the relay. */
  readonly place: Pick<Place, 'keep' | 'releaseBody' | 'end'>;
  /** The result of `encodeMetadata`. */
  readonly metadata: Uint8Array;
  /** The length that the client announced, in bytes; undefined for a chunked body; 0 for no body. */
  readonly bodyLength: number | undefined;
  /** True if the request uses the proxy's API key, false if the client sent its own. */
  readonly withApiKey: boolean;
  /** The headers that let an allowed web page read the response: name, value, name, value ... */
  readonly cors: readonly string[];
  readonly entry: RequestEntry;
  readonly meter: Pick<RequestMeter, 'start' | 'chunk' | 'refuse'>;
}

/**
 * How long a client may take nothing of a stream, in milliseconds: long enough for one that waits for its user. Node
 * compares the bytes left to send at the end of each such interval, so the stream breaks after one to two of them. The
 * system's own buffers hide smaller steps than about a megabyte.
 */
const READ_TIMEOUT = 600_000;
/** How long a client may take to read what was sent of a broken response, in milliseconds. */
export const LINGER = 10_000;
const KEY_REFUSED: RequestFailure = { code: 'key_refused', detail: null, message: 'The backend refused the API key' };

export class Relay implements ResponseSink {
  readonly #context: RelayContext;
  readonly #request: RelayedRequest;
  readonly #res: ClientResponse;
  readonly #entry: RequestEntry;
  readonly #body = new ReplayableBody();
  readonly #exchange: Exchange;
  #upload: Upload | undefined;
  #exchangeBegun = false;
  #concluded = false;
  #headPending = false;
  /** True for an event stream, which the idle timeout limits. */
  #idleLimited = false;
  #waitingForDrain = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: RelayContext, request: RelayedRequest) {
    this.#context = context;
    this.#request = request;
    this.#res = request.res;
    this.#entry = request.entry;
    this.#exchange = new Exchange(context.exchange, request.metadata, this.#body, this);
  }

  /** Reads the body; the exchange begins with its first chunk. */
  begin(): void {
    const { req, bodyLength } = this.#request;
    if (req === null) throw new RangeError('There is no body to read');
    this.#body.announce(bodyLength);
    const { streamIdleTimeout: idleTimeout } = this.#context.timeouts;
    this.#upload = new Upload(
      { ...this.#request, req, limit: BODY_LIMIT, idleTimeout },
      {
        chunk: (bytes) => {
          this.#body.push(bytes);
          if (this.#entry.bytesIn !== bodyLength) this.#beginExchange();
        },
        complete: () => {
          this.#completeBody();
        },
        refuse: (error, end) => {
          this.#request.meter.refuse();
          this.abandon(error, end);
        },
      },
    );
    this.#upload.begin();
  }

  /** Sends this body, in place of `begin`. */
  send(body: readonly Uint8Array[]): void {
    for (const chunk of body) this.#body.push(chunk);
    this.#completeBody();
  }

  /** The client closed its connection. No effect once the response is complete. */
  clientGone(): void {
    this.#exchange.abort(new SessionError('cancelled', 'The client closed its connection'));
  }

  start(start: ResponseStart): void {
    const { status, headers } = start;
    const { meter, withApiKey, cors } = this.#request;
    this.#headPending = true;
    this.#request.place.releaseBody();
    this.#entry.started(status);
    meter.start(start);
    if (status < 400) this.#context.onOutcome(null);
    else if (status === 401 && withApiKey) this.#context.onOutcome(KEY_REFUSED);
    if (isEventStream(headers)) {
      this.#idleLimited = true;
      this.#res.on('timeout', this.#stopUnread);
      this.#upload?.endTimeout();
      this.#limit(this.#context.timeouts.streamIdleTimeout, this.#expire);
    }
    this.#res.sendDate = false;
    this.#res.writeHead(status, replaceCorsHeaders(responseHeaders(headers), cors));
    // If one read brought both, the head is sent together with the first chunk; otherwise it is sent alone.
    process.nextTick(this.#flushHead);
  }

  chunk(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#headPending = false;
    this.#entry.bytesOut += bytes.length;
    if (this.#idleLimited) this.#timer?.refresh();
    if (!this.#res.write(bytes) && !this.#waitingForDrain) this.#waitForClient();
    this.#request.meter.chunk(bytes);
  }

  end(): void {
    this.#headPending = false;
    this.#res.end();
    if (!this.#concluded) this.#conclude();
  }

  fail(error: SessionError): void {
    if (this.#concluded) return; // `abandon` has recorded the reason and aborted the exchange
    if (error.code === 'cancelled') {
      this.#entry.end = 'client-gone';
      this.#conclude();
      return;
    }
    const failure = describeError(error);
    if (error.code !== 'request_too_large') this.#context.onOutcome(failure);
    this.#entry.end = failure.code;
    this.#entry.detail = failure.detail;
    this.#conclude(errorOfExchange(error.code));
  }

  /**
   * Ends the exchange: answers instead of the backend, or breaks the response off.
   * @param end for the log
   */
  abandon(error: ProxyError | undefined, end: string): void {
    if (this.#concluded) return;
    this.#entry.end = end;
    this.#conclude(error);
    this.#exchange.abort(new SessionError('cancelled', 'The proxy ended the request'));
  }

  /**
   * Ends the relay, once.
   * @param error for a client that still waits; if a response has started that cannot end with an error, it breaks
   */
  #conclude(error?: ProxyError): void {
    this.#concluded = true;
    this.#request.place.end();
    this.#upload?.stop();
    clearTimeout(this.#timer);
    if (error === undefined) return;
    if (this.#res.headersSent) {
      if (this.#res.endWithError?.(error) !== true) this.#breakOff();
    } else {
      this.#entry.started(error.status);
      sendError(this.#res, error, this.#request.cors);
    }
  }

  /** The request timeout starts here. */
  #completeBody(): void {
    this.#body.finish();
    if (this.#concluded) return;
    if (!this.#idleLimited) this.#limit(this.#context.timeouts.requestTimeout, this.#expire);
    this.#beginExchange();
  }

  #beginExchange(): void {
    if (this.#exchangeBegun) return;
    this.#exchangeBegun = true;
    this.#exchange.begin();
  }

  readonly #flushHead = () => {
    if (!this.#headPending) return;
    this.#headPending = false;
    this.#res.flushHeaders();
  };

  readonly #expire = () => {
    const awaitsConsent = this.#exchange.isAcquiring && this.#context.exchange.awaitsConsent?.() === true;
    const code = awaitsConsent ? 'image_unconfirmed' : 'timeout';
    this.#exchange.abort(new SessionError(code, 'The backend did not answer in time'));
  };

  #limit(milliseconds: number, callback: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(callback, milliseconds);
  }

  /** Back-pressure: the backend waits until the client reads on, and the idle timeout does not run meanwhile. */
  #waitForClient(): void {
    this.#waitingForDrain = true;
    this.#exchange.pause();
    if (this.#idleLimited) {
      clearTimeout(this.#timer);
      this.#res.setTimeout(this.#context.readTimeout ?? READ_TIMEOUT);
    }
    this.#res.once('drain', () => {
      this.#waitingForDrain = false;
      if (this.#idleLimited) this.#res.setTimeout(0);
      if (this.#concluded) return;
      if (this.#idleLimited) this.#limit(this.#context.timeouts.streamIdleTimeout, this.#expire);
      this.#exchange.resume();
    });
  }

  /** The client has not taken a single byte for too long: it gives its place to others. */
  readonly #stopUnread = () => {
    this.abandon(undefined, 'read_timeout');
    this.#res.socket?.destroy();
  };

  /** Sends what was verified, then closes the connection without an end of the body. */
  #breakOff(): void {
    this.#flushHead();
    const { socket } = this.#res;
    if (socket === null) {
      // An earlier response on this connection is not sent completely: this one breaks when its turn comes.
      this.#res.once('socket', () => {
        process.nextTick(() => {
          this.#breakOff();
        });
      });
      return;
    }
    socket.destroySoon();
    setTimeout(() => socket.destroy(), LINGER).unref();
  }
}
