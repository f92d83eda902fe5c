// Relays one request of a local client: its body goes into an exchange, the records of the response go to a sink, the time
// limits run, and each side learns when the other one ends.
import { SessionError } from '../../session/errors.ts';
import { Exchange } from '../../session/exchange.ts';
import type { ExchangeContext, ResponseSink } from '../../session/exchange.ts';
import { ReplayableBody } from '../../session/replayableBody.ts';
import type { ResponseStart } from '../../session/wire.ts';
import type { RequestFailure } from '../backend/connectionReport.ts';
import { describeError } from '../backend/describeError.ts';
import { errorOfExchange } from '../http/backendErrors.ts';
import { isEventStream } from '../http/headers.ts';
import { MODEL_NOT_ALLOWED } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import type { RequestEntry } from '../usage/requestEntry.ts';
import type { ModelRule } from './modelRule.ts';
import { Upload } from './upload.ts';
import type { UploadOptions } from './upload.ts';

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
  /** Receives null for a success, or a failure that other requests may have too. */
  readonly onOutcome: (failure: RequestFailure | null) => void;
}

/** What a sink may ask of the relay that writes to it. */
export interface ResponseSource {
  /** The client does not read on: the backend waits, and the idle timeout does not run meanwhile. */
  pause(): void;
  resume(): void;
  /**
   * Ends the exchange: the sink fails with this error, which takes the place of the backend's response or of the rest of
   * it. Without an error, the sink has ended already.
   * @param end for the log
   */
  abandon(error: ClientError | undefined, end: string): void;
}

export interface RelayedRequest {
  /** The result of `encodeMetadata`. */
  readonly metadata: Uint8Array;
  /** True if the request uses the proxy's API key, false if the client sent its own. */
  readonly withApiKey: boolean;
  readonly entry: RequestEntry;
  /** If the client may use only some models: nothing is sent before the body is complete and names one of them. */
  readonly modelRule?: ModelRule | undefined;
  readonly openSink: (source: ResponseSource) => ResponseSink<ClientError>;
  /** The backend's response starts: the body is not kept any longer. */
  readonly onStart?: () => void;
  /** The exchange is over. An error is written after it. */
  readonly onEnd?: () => void;
}

const KEY_REFUSED: RequestFailure = { code: 'key_refused', detail: null, message: 'The backend refused the API key' };

export class Relay implements ResponseSink, ResponseSource {
  readonly #context: RelayContext;
  readonly #request: RelayedRequest;
  readonly #sink: ResponseSink<ClientError>;
  readonly #entry: RequestEntry;
  readonly #body = new ReplayableBody();
  readonly #exchange: Exchange;
  #upload: Upload | undefined;
  #exchangeBegun = false;
  #responseBegun = false;
  #concluded = false;
  /** True for an event stream, which the idle timeout limits. */
  #idleLimited = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: RelayContext, request: RelayedRequest) {
    this.#context = context;
    this.#request = request;
    this.#sink = request.openSink(this);
    this.#entry = request.entry;
    this.#exchange = new Exchange(context.exchange, request.metadata, this.#body, this);
  }

  /** Reads the body of a client's request, and sends it; the exchange begins with its first chunk. */
  receive(body: Pick<UploadOptions, 'req' | 'place' | 'bodyLength' | 'limit'>): void {
    const { withApiKey, modelRule } = this.#request;
    const idleTimeout = this.#context.timeouts.streamIdleTimeout;
    this.#body.announce(body.bodyLength);
    this.#upload = new Upload(
      { ...body, entry: this.#entry, withApiKey, idleTimeout },
      {
        chunk: (bytes) => {
          this.#body.push(bytes);
          modelRule?.push(bytes);
          if (modelRule === undefined && this.#entry.bytesIn !== body.bodyLength) this.#beginExchange();
        },
        complete: () => {
          const refusal = modelRule?.refusal;
          if (refusal === undefined) this.#completeBody();
          else this.#refuse(refusal, MODEL_NOT_ALLOWED);
        },
        refuse: (error, end) => {
          this.#refuse(error, end);
        },
      },
    );
    this.#upload.begin();
  }

  #refuse(error: ClientError, end: string): void {
    this.#entry.refuse();
    this.abandon(error, end);
  }

  /** Sends this body. */
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
    const { withApiKey, onStart } = this.#request;
    this.#responseBegun = true;
    onStart?.();
    this.#entry.startedByBackend(start);
    if (status < 400) this.#context.onOutcome(null);
    else if (status === 401 && withApiKey) this.#context.onOutcome(KEY_REFUSED);
    if (isEventStream(headers)) {
      this.#idleLimited = true;
      this.#upload?.endTimeout();
      this.#limit(this.#context.timeouts.streamIdleTimeout);
    }
    this.#sink.start(start);
  }

  chunk(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#entry.bytesOut += bytes.length;
    if (this.#idleLimited) this.#timer?.refresh();
    this.#sink.chunk(bytes);
    this.#entry.chunk(bytes);
  }

  end(): void {
    this.#sink.end();
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
    this.#conclude(errorOfExchange(failure, this.#isUnsent));
  }

  pause(): void {
    this.#exchange.pause();
    if (this.#idleLimited) clearTimeout(this.#timer);
  }

  resume(): void {
    if (this.#concluded) return;
    if (this.#idleLimited) this.#limit(this.#context.timeouts.streamIdleTimeout);
    this.#exchange.resume();
  }

  abandon(error: ClientError | undefined, end: string): void {
    if (this.#concluded) return;
    this.#entry.end = end;
    this.#conclude(error);
    this.#exchange.abort(new SessionError('cancelled', 'The proxy ended the request'));
  }

  /** Whether it is certain that nothing of the request was ever sent. */
  get #isUnsent(): boolean {
    return this.#exchange.isUnsent && !this.#entry.isResent;
  }

  /** Ends the relay, once. */
  #conclude(error?: ClientError): void {
    this.#concluded = true;
    this.#request.onEnd?.();
    this.#upload?.stop();
    clearTimeout(this.#timer);
    if (error === undefined) return;
    this.#entry.isUnsent = this.#isUnsent;
    if (!this.#responseBegun) this.#entry.started(error.status);
    this.#sink.fail(error);
  }

  /** The request timeout starts here. */
  #completeBody(): void {
    this.#body.finish();
    if (this.#concluded) return;
    if (!this.#idleLimited) this.#limit(this.#context.timeouts.requestTimeout);
    this.#beginExchange();
  }

  #beginExchange(): void {
    if (this.#exchangeBegun) return;
    this.#exchangeBegun = true;
    this.#exchange.begin();
  }

  #limit(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#expire, milliseconds);
  }

  readonly #expire = () => {
    const awaitsConsent = this.#exchange.isAcquiring && this.#context.exchange.awaitsConsent?.() === true;
    const code = awaitsConsent ? 'image_unconfirmed' : 'timeout';
    this.#exchange.abort(new SessionError(code, 'The backend did not answer in time'));
  };
}
