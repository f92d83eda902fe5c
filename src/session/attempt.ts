// One attempt of an exchange: sends one record to the enclave and reads the response.
import type { RequestSealer, SealedBody } from './envelope.ts';
import { SessionError, asSessionError } from './errors.ts';
import type { RecordStream } from './recordStream.ts';
import type { BodyReader } from './replayableBody.ts';
import type { Session } from './session.ts';
import type { SessionUse } from './sessionManager.ts';
import type { Transport, UpstreamCall, UpstreamHandler, UpstreamHead } from './transport.ts';
import {
  ERROR_CODE_HEADER,
  ERROR_CONTRACT_HEADER,
  RECORD_MEDIA_TYPE,
  REQUEST_PATH,
  RESEND_CODES,
  ROUTING_KEY_HEADER,
  SESSION_ID_HEADER,
} from './wire.ts';

/** Receives the outcome of an attempt. */
export interface AttemptOwner {
  finished(error?: SessionError): void;
  /** The reply allows a resend. It is not authenticated: it may come from anyone on the network. */
  sessionRejected(): void;
}

export class Attempt implements UpstreamHandler {
  readonly session: Session;
  readonly use: SessionUse;
  /** Whether the head of an answer has arrived, which anyone on the network may have sent. */
  answered = false;
  /** It has failed, and certainly sent nothing. */
  isUnsent = false;
  readonly #owner: AttemptOwner;
  readonly #sealer: RequestSealer;
  readonly #records: RecordStream;
  #call: UpstreamCall | undefined;
  #reader: BodyReader | undefined;
  #over = false;

  constructor(owner: AttemptOwner, session: Session, use: SessionUse, sealer: RequestSealer, records: RecordStream) {
    this.#owner = owner;
    this.session = session;
    this.use = use;
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

  onError(error: unknown, isUnsent = false): void {
    this.isUnsent = isUnsent;
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
    this.use.end();
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
