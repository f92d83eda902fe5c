// One request and its response over the live session, with the one resend that transport V2 allows (section 3).
import { wipe } from '../shared/bytes.ts';
import { Attempt } from './attempt.ts';
import type { AttemptOwner } from './attempt.ts';
import { sealBody } from './envelope.ts';
import { SessionError, asSessionError } from './errors.ts';
import type { SessionErrorCode } from './errors.ts';
import { RecordStream } from './recordStream.ts';
import type { ReplayableBody } from './replayableBody.ts';
import type { Session } from './session.ts';
import type { SessionManager } from './sessionManager.ts';
import type { Transport } from './transport.ts';
import type { ResponseStart } from './wire.ts';

/** Receives a response. `end` or `fail` is the last call. */
export interface ResponseSink<Failure = SessionError> {
  start(start: ResponseStart): void;
  chunk(bytes: Uint8Array): void;
  /** The response is complete: its End record was authentic. */
  end(): void;
  /** The response is missing or incomplete. Everything passed on before is authentic. */
  fail(error: Failure): void;
}

export interface ExchangeContext {
  readonly sessions: SessionManager;
  readonly transport: Transport;
}

/** Failures of a response that say nothing about its session. */
const KEEP_SESSION: ReadonlySet<SessionErrorCode> = new Set(['enclave_error', 'cancelled', 'request_too_large']);
/** Failures outside the records, after which a session may still answer other requests. With any other one, it is retired. */
const OUTER_FAILURES: ReadonlySet<SessionErrorCode> = new Set([
  'response_status',
  'response_content_type',
  'network',
  'truncated',
  'timeout',
  'session_rejected',
]);

export class Exchange {
  readonly #context: ExchangeContext;
  readonly #metadata: Uint8Array;
  readonly #body: ReplayableBody;
  readonly #sink: ResponseSink;
  #attempt: Attempt | undefined;
  #attempts = 0;
  #rejected: Session | undefined;
  #done = false;
  /** True while it waits for a session. */
  isAcquiring = false;

  /** @param metadata from `encodeMetadata`; overwritten when the exchange ends */
  constructor(context: ExchangeContext, metadata: Uint8Array, body: ReplayableBody, sink: ResponseSink) {
    this.#context = context;
    this.#metadata = metadata;
    this.#body = body;
    this.#sink = sink;
  }

  /** Whether it is certain that no part of the request was sent. */
  get isUnsent(): boolean {
    return this.#attempts === 0 || (this.#attempts === 1 && this.#attempt?.isUnsent === true);
  }

  /** Sends the request as soon as there is a session. The body may still be arriving. */
  begin(): void {
    const { sessions } = this.#context;
    const session = sessions.take(this.#rejected);
    if (session !== undefined) {
      this.#send(session);
      return;
    }
    this.isAcquiring = true;
    sessions.acquire(this.#rejected).then(
      (fresh) => {
        this.isAcquiring = false;
        this.#send(fresh);
      },
      (error: unknown) => {
        const failure = asSessionError(error);
        // A handshake times out sooner than most requests. Only the request's own timeout may end the exchange.
        if (failure.code === 'timeout' && !this.#done) this.begin();
        else this.#finish(failure);
      },
    );
  }

  /** Fails the exchange with this error and cancels the request to the backend. No effect after the end. */
  abort(error: SessionError): void {
    this.#finish(error);
  }

  pause(): void {
    this.#attempt?.pause();
  }

  resume(): void {
    this.#attempt?.resume();
  }

  #send(session: Session): void {
    if (this.#done) return;
    this.#attempts++;
    const { sealer, opener } = session.beginCall();
    const use = this.#context.sessions.begin(session);
    const records = new RecordStream(opener, {
      start: (start) => {
        use.answered();
        this.#body.release();
        this.#sink.start(start);
      },
      chunk: (bytes) => {
        use.answered();
        this.#sink.chunk(bytes);
      },
    });
    const owner: AttemptOwner = {
      finished: (error) => {
        this.#finish(error);
      },
      sessionRejected: () => {
        this.#resend(session);
      },
    };
    const attempt = new Attempt(owner, session, use, sealer, records);
    this.#attempt = attempt;
    attempt.send(this.#context.transport, sealBody(sealer, this.#metadata, this.#body));
  }

  #resend(rejected: Session): void {
    this.#attempt?.cancel();
    this.#attempt?.use.failed('rejected');
    this.#rejected = rejected;
    if (this.#attempts > 1) {
      this.#finish(new SessionError('session_rejected', 'The enclave also rejected a fresh session'));
      return;
    }
    this.begin();
  }

  #finish(error?: SessionError): void {
    if (this.#done) return;
    this.#done = true;
    this.#attempt?.cancel();
    if (error !== undefined) this.#judgeSession(error);
    this.#body.discard();
    wipe(this.#metadata);
    if (error === undefined) this.#sink.end();
    else this.#sink.fail(error);
  }

  /** A failure before any answer may be the network's; after it began, it is that of the session (section 3). */
  #judgeSession({ code }: SessionError): void {
    const attempt = this.#attempt;
    if (attempt?.answered !== true || KEEP_SESSION.has(code)) return;
    if (OUTER_FAILURES.has(code)) attempt.use.failed('bad_response');
    else this.#context.sessions.retire(attempt.session, 'bad_response');
  }
}
