// One request of a local client, relayed: its body into the exchange, the response's records back, the clocks, and the
// end of either side told to the other.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SessionError } from '../../session/errors.ts';
import { Exchange } from '../../session/exchange.ts';
import type { ExchangeContext, ResponseSink } from '../../session/exchange.ts';
import type { AttestationResult } from '../../session/handshake.ts';
import { ReplayableBody } from '../../session/replayableBody.ts';
import { MAX_BODY } from '../../session/wire.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { sendError } from '../http/errorResponses.ts';
import type { RequestFailure } from '../backend/connectionReport.ts';
import { describeError } from '../backend/describeError.ts';
import { responseHeaders } from '../http/headers.ts';
import type { RequestLimits } from './requestLimits.ts';
import { PROXY_ERRORS, errorOfExchange } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';
import type { RequestEntry } from './requestLog.ts';
import { isEventStream } from '../usage/tokenObserver.ts';
import type { RequestMeter } from '../usage/usageTally.ts';

/** In milliseconds. */
export interface Timeouts {
  readonly requestTimeout: number;
  readonly streamIdleTimeout: number;
}

export interface RelayContext {
  readonly exchange: ExchangeContext<AttestationResult>;
  readonly load: RequestLimits;
  readonly timeouts: Timeouts;
  /** How it went, where any other request might fare alike: null = well. */
  readonly onOutcome: (failure: RequestFailure | null) => void;
}

export interface RelayedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What `encodeMetadata` made. */
  readonly metadata: Uint8Array;
  /** The length that the client announced; undefined if it sends chunks; 0 if there is no body. */
  readonly bodyLength: number | undefined;
  /** It travels with the API key of the proxy, and not with one that the client has sent. */
  readonly withApiKey: boolean;
  /** The fields that let an allowed web page read the answer. */
  readonly cors: readonly string[];
  readonly entry: RequestEntry;
  readonly meter: RequestMeter;
}

/** How long a client whose response broke may take to read what came before, in milliseconds. */
const LINGER = 10_000;
const KEY_REFUSED: RequestFailure = { code: 'key_refused', detail: null, message: 'The backend refused the API key' };

export class Relay implements ResponseSink {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #cors: readonly string[];
  readonly #entry: RequestEntry;
  readonly #meter: RequestMeter;
  readonly #timeouts: Timeouts;
  readonly #bodyLength: number | undefined;
  readonly #body = new ReplayableBody();
  readonly #exchange: Exchange<AttestationResult>;
  readonly #load: RequestLimits;
  readonly #withApiKey: boolean;
  readonly #onOutcome: (failure: RequestFailure | null) => void;
  /** Bytes of the body that count as kept, until the response starts. */
  #kept = 0;
  #begun = false;
  #over = false;
  #started = false;
  #headPending = false;
  #idleLimited = false;
  #waitingForDrain = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: RelayContext, request: RelayedRequest) {
    const { req, res, metadata, bodyLength, withApiKey, cors, entry, meter } = request;
    this.#req = req;
    this.#res = res;
    this.#withApiKey = withApiKey;
    this.#onOutcome = context.onOutcome;
    this.#cors = cors;
    this.#entry = entry;
    this.#meter = meter;
    this.#timeouts = context.timeouts;
    this.#bodyLength = bodyLength;
    this.#load = context.load;
    this.#load.requests++;
    this.#exchange = new Exchange(context.exchange, metadata, this.#body, this);
  }

  /** Takes the body as it comes; with what has come, the exchange begins. */
  begin(): void {
    if (this.#bodyLength === 0) {
      this.#completeBody();
      return;
    }
    this.#limit(this.#timeouts.streamIdleTimeout, () => {
      this.#refuse(PROXY_ERRORS.uploadTimeout, 'upload_timeout');
    });
    this.#req.on('data', (piece: Buffer) => {
      this.#take(piece);
    });
    this.#req.on('end', () => {
      if (!this.#body.complete) this.#completeBody();
    });
  }

  /** The client's connection closed. No effect when the response is whole. */
  clientGone(): void {
    this.#exchange.abort(new SessionError('cancelled', 'The client went away'));
  }

  start(start: ResponseStart): void {
    const { status, headers } = start;
    this.#started = true;
    this.#headPending = true;
    this.#detach();
    this.#entry.started(status);
    this.#meter.start(start);
    if (status < 400) this.#onOutcome(null);
    else if (status === 401 && this.#withApiKey) this.#onOutcome(KEY_REFUSED);
    if (isEventStream(headers)) {
      this.#idleLimited = true;
      this.#limit(this.#timeouts.streamIdleTimeout, this.#expire);
    }
    this.#res.sendDate = false;
    this.#res.writeHead(status, this.#withCors(responseHeaders(headers)));
    // The head travels with the first chunk where both came in one read, and alone where the chunk is not here yet.
    process.nextTick(this.#flushHead);
  }

  chunk(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#headPending = false;
    this.#entry.bytesOut += bytes.length;
    if (this.#idleLimited) this.#timer?.refresh();
    if (!this.#res.write(bytes) && !this.#waitingForDrain) this.#waitForClient();
    this.#meter.chunk(bytes);
  }

  end(): void {
    this.#headPending = false;
    this.#finish();
    this.#res.end();
  }

  fail(error: SessionError): void {
    this.#finish();
    if (error.code === 'cancelled') {
      this.#entry.end = 'client-gone';
      return;
    }
    const described = describeError(error);
    if (error.code !== 'request_too_large') this.#onOutcome(described);
    this.#entry.end = described.code;
    this.#entry.detail = described.detail;
    if (this.#started) this.#breakOff();
    else this.#answer(errorOfExchange(error.code));
  }

  #take(piece: Buffer): void {
    if (this.#over) return; // the rest of an upload that was answered before its end
    this.#entry.bytesIn += piece.length;
    if (this.#entry.bytesIn > MAX_BODY) {
      this.#refuse(PROXY_ERRORS.bodyTooLarge, 'body_too_large');
      return;
    }
    if (!this.#load.keep(piece.length)) {
      this.#refuse(PROXY_ERRORS.busy, 'busy');
      return;
    }
    this.#kept += piece.length;
    this.#body.push(piece);
    if (this.#entry.bytesIn === this.#bodyLength) {
      this.#completeBody();
    } else {
      if (!this.#idleLimited) this.#timer?.refresh();
      this.#beginExchange();
    }
  }

  /** The request clock starts here. */
  #completeBody(): void {
    this.#body.finish();
    if (this.#over) return;
    if (!this.#idleLimited) this.#limit(this.#timeouts.requestTimeout, this.#expire);
    this.#beginExchange();
  }

  #beginExchange(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#exchange.begin();
  }

  readonly #flushHead = () => {
    if (!this.#headPending) return;
    this.#headPending = false;
    this.#res.flushHeaders();
  };

  readonly #expire = () => {
    this.#exchange.abort(new SessionError('timeout', 'The backend did not answer in time'));
  };

  #limit(milliseconds: number, callback: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(callback, milliseconds);
  }

  /** Back-pressure: the backend waits while the client does not read, and that time is not the backend's. */
  #waitForClient(): void {
    this.#waitingForDrain = true;
    this.#exchange.pause();
    if (this.#idleLimited) clearTimeout(this.#timer);
    this.#res.once('drain', () => {
      this.#waitingForDrain = false;
      if (this.#over) return;
      if (this.#idleLimited) this.#limit(this.#timeouts.streamIdleTimeout, this.#expire);
      this.#exchange.resume();
    });
  }

  /** Answers in the backend's place, and tells the backend that nothing more will come. */
  #refuse(error: ProxyError, end: string): void {
    this.#exchange.abort(new SessionError('cancelled', 'The request was refused'));
    this.#entry.end = end;
    this.#meter.refuse();
    if (this.#started) this.#breakOff();
    else this.#answer(error);
  }

  #answer(error: ProxyError): void {
    this.#entry.started(error.status);
    sendError(this.#res, error, this.#cors);
  }

  /** Ends the connection without an end of the body. What was verified is sent before. */
  #breakOff(): void {
    this.#flushHead();
    const { socket } = this.#res;
    if (socket === null) {
      // The answer to an earlier request on this connection is still on its way: this one breaks when it has had its turn.
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

  #detach(): void {
    this.#load.release(this.#kept);
    this.#kept = 0;
  }

  #finish(): void {
    this.#over = true;
    this.#load.requests--;
    this.#detach();
    clearTimeout(this.#timer);
  }

  #withCors(raw: string[]): string[] {
    if (this.#cors.length === 0) return raw;
    const kept: string[] = [];
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index] ?? '';
      if (!name.toLowerCase().startsWith('access-control-')) kept.push(name, raw[index + 1] ?? '');
    }
    return [...kept, ...this.#cors];
  }
}
