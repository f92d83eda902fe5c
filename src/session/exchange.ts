// One request and its response over the live session, with the one resend that transport v2 allows (section 3).
import type { RequestSealer } from './envelope.ts';
import { wipe } from '../shared/bytes.ts';
import { SessionError, asSessionError } from './errors.ts';
import type { BodyReader, ReplayableBody } from './replayableBody.ts';
import { RecordStream } from './recordStream.ts';
import type { Session } from './session.ts';
import type { SessionManager } from './sessionManager.ts';
import type { Transport, UpstreamCall, UpstreamHandler, UpstreamHead } from './transport.ts';
import {
  ERROR_CODE_HEADER,
  ERROR_CONTRACT_HEADER,
  RECORD_TYPE,
  REQUEST_PATH,
  RESEND_CODES,
  ROUTING_KEY_HEADER,
  SESSION_ID_HEADER,
} from './wire.ts';
import type { ResponseStart } from './wire.ts';

/** Where a response goes. After `end` or `fail` nothing comes. */
export interface ResponseSink {
  start(start: ResponseStart): void;
  chunk(bytes: Uint8Array): void;
  /** The response is whole, to its authenticated end. */
  end(): void;
  /** What came before, if anything, is authentic; the response is broken. */
  fail(error: SessionError): void;
}

export interface ExchangeContext<Evidence> {
  readonly sessions: SessionManager<Evidence>;
  readonly transport: Transport;
}

/** A body of at most this many bytes that is complete in time is sealed and sent as one piece. */
const WHOLE_BODY = 64 * 1024;
/** The event loop gets its turn after this many bytes of sealing. */
const SEALED_IN_ONE_TURN = 256 * 1024;

/** What an attempt reports to its exchange. */
interface AttemptOwner {
  readonly sink: ResponseSink;
  started(): void;
  finished(error?: SessionError): void;
  /** The enclave does not know the session, or could not open the request: said from outside, so never evidence. */
  sessionRefused(): void;
}

export class Exchange<Evidence> {
  readonly #context: ExchangeContext<Evidence>;
  readonly #metadata: Uint8Array;
  readonly #body: ReplayableBody;
  readonly #sink: ResponseSink;
  #attempt: Attempt | undefined;
  #attempts = 0;
  #done = false;

  /** @param metadata what `encodeMetadata` made; overwritten when the exchange is over */
  constructor(context: ExchangeContext<Evidence>, metadata: Uint8Array, body: ReplayableBody, sink: ResponseSink) {
    this.#context = context;
    this.#metadata = metadata;
    this.#body = body;
    this.#sink = sink;
  }

  /** Sends the request, as soon as there is a session. `body` may go on arriving. */
  begin(): void {
    const { sessions: sessions } = this.#context;
    const session = sessions.current();
    if (session !== undefined) {
      this.#send(session);
      return;
    }
    sessions.acquire().then(
      (fresh) => {
        this.#send(fresh);
      },
      (error: unknown) => {
        const failure = asSessionError(error);
        // A handshake that hangs is given up before most requests are: theirs is the clock that counts.
        if (failure.code === 'timeout' && !this.#done) this.begin();
        else this.#finish(failure);
      },
    );
  }

  /** Ends it at once with this error; the backend's side is cancelled. No effect when it is over. */
  abort(error: SessionError): void {
    this.#finish(error);
  }

  pause(): void {
    this.#attempt?.pause();
  }

  resume(): void {
    this.#attempt?.resume();
  }

  #send(session: Session<Evidence>): void {
    if (this.#done) return;
    this.#attempts++;
    const { sealer, opener } = session.beginCall();
    const owner: AttemptOwner = {
      sink: this.#sink,
      started: () => {
        this.#body.release();
      },
      finished: (error) => {
        this.#finish(error);
      },
      sessionRefused: () => {
        this.#resend(session);
      },
    };
    const attempt = new Attempt(owner, sealer, new RecordStream(opener, attemptSink(owner)));
    this.#attempt = attempt;
    const { record, reader } = sealBody(sealer, this.#metadata, this.#body);
    attempt.send(this.#context.transport, session, record, reader);
  }

  #resend(refused: Session<Evidence>): void {
    this.#attempt?.cancel();
    this.#context.sessions.reject(refused);
    if (this.#attempts > 1) {
      this.#finish(new SessionError('session_rejected', 'The enclave refused a fresh session as well'));
      return;
    }
    this.begin();
  }

  #finish(error?: SessionError): void {
    if (this.#done) return;
    this.#done = true;
    this.#attempt?.cancel();
    this.#body.discard();
    wipe(this.#metadata);
    if (error === undefined) this.#sink.end();
    else this.#sink.fail(error);
  }
}

function attemptSink(owner: AttemptOwner) {
  return {
    start: (start: ResponseStart) => {
      owner.started();
      owner.sink.start(start);
    },
    chunk: (bytes: Uint8Array) => {
      owner.sink.chunk(bytes);
    },
  };
}

/** The record to send: whole where the body is here and short, else sealed piece by piece as the connection draws it. */
function sealBody(
  sealer: RequestSealer,
  metadata: Uint8Array,
  body: ReplayableBody,
): { record: Uint8Array | AsyncIterable<Uint8Array>; reader?: BodyReader } {
  if (body.complete && body.length <= WHOLE_BODY) return { record: sealer.seal(metadata, body.pieces()) };
  const reader = body.read();
  return { record: sealPieces(sealer, metadata, reader), reader };
}

async function* sealPieces(
  sealer: RequestSealer,
  metadata: Uint8Array,
  reader: BodyReader,
): AsyncGenerator<Uint8Array, void> {
  yield sealer.begin(metadata);
  let sealed = 0;
  for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
    yield sealer.update(piece);
    sealed += piece.length;
    if (sealed >= SEALED_IN_ONE_TURN) {
      sealed = 0;
      await new Promise(setImmediate);
    }
  }
  yield sealer.final();
}

/** One record on its way to the enclave, and the response to it. */
class Attempt implements UpstreamHandler {
  readonly #owner: AttemptOwner;
  readonly #sealer: RequestSealer;
  readonly #records: RecordStream;
  #call: UpstreamCall | undefined;
  #reader: BodyReader | undefined;
  #over = false;

  constructor(owner: AttemptOwner, sealer: RequestSealer, records: RecordStream) {
    this.#owner = owner;
    this.#sealer = sealer;
    this.#records = records;
  }

  send(
    transport: Transport,
    { id, routingKey }: Session<unknown>,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    reader?: BodyReader,
  ): void {
    this.#reader = reader;
    const headers = ['content-type', RECORD_TYPE, SESSION_ID_HEADER, id, ROUTING_KEY_HEADER, routingKey];
    this.#call = transport.send({ method: 'POST', path: REQUEST_PATH, headers, body }, this);
  }

  onHead(head: UpstreamHead): void {
    if (this.#over) return;
    if (head.status === 400 && isMarkedRefusal(head)) {
      this.#owner.sessionRefused();
      return;
    }
    const types = head.values('content-type');
    if (head.status !== 200) {
      this.#fail(new SessionError('response_status', `The backend answered with outer status ${head.status}`));
    } else if (types.length !== 1 || types[0] !== RECORD_TYPE) {
      this.#fail(new SessionError('response_content_type', 'The response is not exactly application/octet-stream'));
    }
  }

  onData(piece: Uint8Array): void {
    if (this.#over) return;
    try {
      this.#records.push(piece);
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

/** The only outer answer that allows a resend: each header exactly once, and one of two codes. */
function isMarkedRefusal(head: UpstreamHead): boolean {
  const contract = head.values(ERROR_CONTRACT_HEADER);
  const codes = head.values(ERROR_CODE_HEADER);
  const [code] = codes;
  return (
    contract.length === 1 && contract[0] === '1' && codes.length === 1 && code !== undefined && RESEND_CODES.has(code)
  );
}
