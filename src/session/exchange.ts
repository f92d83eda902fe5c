// One request and its response over the live session, with the one resend that transport V2 allows (section 3).
import { wipe } from '../shared/bytes.ts';
import type { RequestSealer } from './envelope.ts';
import { SessionError, asSessionError } from './errors.ts';
import type { SessionErrorCode } from './errors.ts';
import { RecordStream } from './recordStream.ts';
import type { BodyReader, ReplayableBody } from './replayableBody.ts';
import type { Session } from './session.ts';
import type { SessionManager } from './sessionManager.ts';
import type { Transport, UpstreamCall, UpstreamHandler, UpstreamHead, UpstreamRequest } from './transport.ts';
import {
  ERROR_CODE_HEADER,
  ERROR_CONTRACT_HEADER,
  RECORD_MEDIA_TYPE,
  REQUEST_PATH,
  RESEND_CODES,
  ROUTING_KEY_HEADER,
  SESSION_ID_HEADER,
  recordLength,
} from './wire.ts';
import type { ResponseStart } from './wire.ts';

/** Receives a response. `end` or `fail` is the last call. */
export interface ResponseSink {
  start(start: ResponseStart): void;
  chunk(bytes: Uint8Array): void;
  /** The response is complete: its End record was authentic. */
  end(): void;
  /** The response is incomplete. Everything passed on before is authentic. */
  fail(error: SessionError): void;
}

export interface ExchangeContext<Attestation> {
  readonly sessions: SessionManager<Attestation>;
  readonly transport: Transport;
}

/** A complete body of at most this many bytes is sealed and sent as one buffer. */
const MAX_BUFFERED_BODY = 64 * 1024;
/** Sealing yields to the event loop after this many bytes. */
const SEALED_PER_TURN = 256 * 1024;

/** Failures of a response that say nothing about its session. With any other one, the session is retired. */
const KEEP_SESSION: ReadonlySet<SessionErrorCode> = new Set(['enclave_error', 'cancelled', 'request_too_large']);

/** Receives the outcome of an attempt. */
interface AttemptOwner {
  finished(error?: SessionError): void;
  /** The reply allows a resend. It is not authenticated: it may come from anyone on the network. */
  sessionRejected(): void;
}

export class Exchange<Attestation> {
  readonly #context: ExchangeContext<Attestation>;
  readonly #metadata: Uint8Array;
  readonly #body: ReplayableBody;
  readonly #sink: ResponseSink;
  #attempt: Attempt<Attestation> | undefined;
  #attempts = 0;
  #done = false;
  /** True while it waits for a session. */
  isAcquiring = false;

  /** @param metadata from `encodeMetadata`; overwritten when the exchange ends */
  constructor(context: ExchangeContext<Attestation>, metadata: Uint8Array, body: ReplayableBody, sink: ResponseSink) {
    this.#context = context;
    this.#metadata = metadata;
    this.#body = body;
    this.#sink = sink;
  }

  /** Sends the request as soon as there is a session. The body may still be arriving. */
  begin(): void {
    const { sessions } = this.#context;
    const session = sessions.current();
    if (session !== undefined) {
      this.#send(session);
      return;
    }
    this.isAcquiring = true;
    sessions.acquire().then(
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

  #send(session: Session<Attestation>): void {
    if (this.#done) return;
    this.#attempts++;
    const { sealer, opener } = session.beginCall();
    const records = new RecordStream(opener, {
      start: (start) => {
        this.#body.release();
        this.#sink.start(start);
      },
      chunk: (bytes) => {
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
    const attempt = new Attempt(owner, session, sealer, records);
    this.#attempt = attempt;
    attempt.send(this.#context.transport, sealBody(sealer, this.#metadata, this.#body));
  }

  #resend(rejected: Session<Attestation>): void {
    this.#attempt?.cancel();
    this.#context.sessions.retire(rejected, 'rejected');
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

  /** A failure before any answer may be the network's; after it began, the session is retired (section 3). */
  #judgeSession({ code }: SessionError): void {
    const attempt = this.#attempt;
    if (attempt?.answered !== true || KEEP_SESSION.has(code)) return;
    this.#context.sessions.retire(attempt.session, 'bad_response');
  }
}

type SealedBody = Pick<UpstreamRequest, 'body' | 'length'> & { readonly reader?: BodyReader };

/** The record to send: one buffer for a short, complete body, else chunks that are sealed as the connection reads them. */
function sealBody(sealer: RequestSealer, metadata: Uint8Array, body: ReplayableBody): SealedBody {
  if (body.complete && body.length <= MAX_BUFFERED_BODY) return { body: sealer.seal(metadata, body.chunks()) };
  const reader = body.read();
  const { finalLength } = body;
  const length = finalLength === undefined ? undefined : recordLength(metadata.length + finalLength);
  return { body: sealChunks(sealer, metadata, reader, finalLength), length, reader };
}

/** @param bodyLength how many bytes the reader must return together, if that is known */
async function* sealChunks(
  sealer: RequestSealer,
  metadata: Uint8Array,
  reader: BodyReader,
  bodyLength: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  yield sealer.begin(metadata);
  let [sealed, sealedInTurn] = [0, 0];
  for (let chunk = await reader.next(); chunk !== undefined; chunk = await reader.next()) {
    yield sealer.update(chunk);
    sealed += chunk.length;
    sealedInTurn += chunk.length;
    if (sealedInTurn >= SEALED_PER_TURN) {
      sealedInTurn = 0;
      await new Promise(setImmediate);
    }
  }
  // Without its tag, the record cannot pass for a complete one.
  if (sealed !== (bodyLength ?? sealed)) throw new RangeError('The body does not have the announced length');
  yield sealer.final();
}

/** Sends one record to the enclave and reads the response. */
class Attempt<Attestation> implements UpstreamHandler {
  readonly session: Session<Attestation>;
  /** Whether the head of an answer has arrived, which anyone on the network may have sent. */
  answered = false;
  readonly #owner: AttemptOwner;
  readonly #sealer: RequestSealer;
  readonly #records: RecordStream;
  #call: UpstreamCall | undefined;
  #reader: BodyReader | undefined;
  #over = false;

  constructor(owner: AttemptOwner, session: Session<Attestation>, sealer: RequestSealer, records: RecordStream) {
    this.#owner = owner;
    this.session = session;
    this.#sealer = sealer;
    this.#records = records;
  }

  send(transport: Transport, { body, length, reader }: SealedBody): void {
    const { id, routingKey } = this.session;
    this.#reader = reader;
    const headers = ['content-type', RECORD_MEDIA_TYPE, SESSION_ID_HEADER, id, ROUTING_KEY_HEADER, routingKey];
    this.#call = transport.send({ method: 'POST', path: REQUEST_PATH, headers, body, length }, this);
  }

  onHead(head: UpstreamHead): void {
    if (this.#over) return;
    this.answered = true;
    if (head.status === 400 && allowsResend(head)) {
      this.#owner.sessionRejected();
      return;
    }
    const types = head.values('content-type');
    if (head.status !== 200) {
      this.#fail(new SessionError('response_status', `The backend answered with outer status ${head.status}`));
    } else if (types.length !== 1 || types[0] !== RECORD_MEDIA_TYPE) {
      this.#fail(new SessionError('response_content_type', 'The response is not exactly application/octet-stream'));
    }
  }

  onData(chunk: Uint8Array): void {
    if (this.#over) return;
    try {
      this.#records.push(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  onEnd(): void {
    if (this.#over) return;
    try {
      this.#records.finish();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#close();
    this.#owner.finished();
  }

  onError(error: unknown): void {
    this.#fail(error);
  }

  cancel(): void {
    if (this.#over) return;
    this.#close();
    this.#call?.cancel();
  }

  pause(): void {
    if (!this.#over) this.#call?.pause();
  }

  resume(): void {
    if (!this.#over) this.#call?.resume();
  }

  #close(): void {
    this.#over = true;
    this.#reader?.close();
    this.#sealer.destroy();
    this.#records.close();
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.cancel();
    this.#owner.finished(asSessionError(error));
  }
}

/** Whether the headers of a 400 allow the one resend (section 3): each header exactly once, and one of two codes. */
function allowsResend(head: UpstreamHead): boolean {
  const contract = head.values(ERROR_CONTRACT_HEADER);
  const codes = head.values(ERROR_CODE_HEADER);
  const [code] = codes;
  return (
    contract.length === 1 && contract[0] === '1' && codes.length === 1 && code !== undefined && RESEND_CODES.has(code)
  );
}
