// The response to a request of a dialect: takes the backend's response from the relay, and writes its translation.
import type { ServerResponse } from 'node:http';
import { ChatReader } from '../../dialects/chatReader.ts';
import type { Dialect, Reply, ReplyIdentity, ReplyPlan } from '../../dialects/dialect.ts';
import { invalidResponse } from '../../dialects/dialectError.ts';
import type { DialectError } from '../../dialects/dialectError.ts';
import { EventStreamReader } from '../../dialects/eventStream.ts';
import type { ResponseSink } from '../../session/exchange.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { sendJson } from '../http/errorResponses.ts';
import { isEventStream, responseHeaders } from '../http/headers.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import { ClientStream, LINGER } from '../relay/httpSink.ts';
import type { ResponseSource } from '../relay/relay.ts';
import type { RequestEntry } from '../usage/requestEntry.ts';
import { CollectSink, keptHeaders } from './collectSink.ts';
import type { Collected } from './collectSink.ts';
import { asDialectError, toDialectError } from './dialectErrors.ts';

/** The longest body that is translated when it is complete, in bytes. */
const MAX_COLLECTED = 4 * 1024 * 1024;
/** A stream says that it is alive after this many milliseconds without an event. */
export const PING_INTERVAL = 15_000;

export interface DialectSinkOptions {
  readonly res: ServerResponse;
  readonly dialect: Dialect;
  readonly plan: ReplyPlan;
  readonly identity: ReplyIdentity;
  readonly entry: RequestEntry;
  /** The headers that let an allowed web page read the response: name, value, name, value ... */
  readonly cors: readonly string[];
  /** In milliseconds. */
  readonly pingInterval?: number;
  /** How long the client may take to read a failed stream, in milliseconds. */
  readonly lingerTime?: number;
  /** The backend accepted the request: its response is being translated. */
  readonly onAccepted: () => void;
  /** The backend responded with an error: nothing has been sent to the client. */
  readonly onRefused: (response: Collected) => void;
  /** There is an error in place of a translation: nothing has been sent to the client. */
  readonly onFailed: (error: ClientError) => void;
}

export class DialectSink implements ResponseSink<ClientError> {
  readonly #options: DialectSinkOptions;
  readonly #res: ServerResponse;
  readonly #source: ResponseSource;
  readonly #client: ClientStream;
  readonly #reply: Reply;
  readonly #reader: ChatReader;
  /** Undefined: the response is read when it is complete. */
  #events: EventStreamReader | undefined;
  #collected: CollectSink | undefined;
  #headers: readonly string[] = [];
  #isInvalid = false;
  /** Events that are not sent yet. */
  #text = '';
  #sent = 0;
  #ping: NodeJS.Timeout | undefined;

  constructor(options: DialectSinkOptions, source: ResponseSource) {
    const { res, dialect, plan, identity } = options;
    this.#options = options;
    this.#res = res;
    this.#source = source;
    this.#client = new ClientStream(res, source);
    this.#reply = dialect.createReply(plan, identity);
    this.#reader = new ChatReader((index) => `call_${identity.id}_${index}`);
  }

  start(start: ResponseStart): void {
    const isError = start.status < 200 || start.status > 299;
    this.#headers = keptHeaders(responseHeaders(start.headers));
    if (!isError && isEventStream(start.headers)) {
      this.#events = new EventStreamReader();
    } else {
      this.#collected = new CollectSink(MAX_COLLECTED, (collected) => {
        if (collected === undefined)
          this.#invalidate(invalidResponse('The response is too long. Ask for a shorter one.'));
        else if (isError) this.#options.onRefused(collected);
        else this.#complete(() => [collected.text]);
      });
      this.#collected.start(start);
    }
    if (isError) return;
    this.#options.onAccepted();
    if (this.#options.plan.stream) this.#beginStream();
    else this.#attempt(() => void this.#reply.begin());
  }

  chunk(bytes: Uint8Array): void {
    if (this.#isInvalid) return;
    this.#collected?.chunk(bytes);
    const events = this.#events;
    if (events === undefined) return;
    this.#attempt(() => {
      this.#read(events.push(bytes));
    });
    this.#flush();
  }

  end(): void {
    if (this.#isInvalid) return;
    this.#collected?.end();
    const events = this.#events;
    if (events !== undefined) this.#complete(() => events.end());
  }

  /** A stream ends with an event that says that it failed; without that event, it must not look complete. */
  fail(error: ClientError): void {
    clearTimeout(this.#ping);
    if (!this.#res.headersSent) {
      this.#options.onFailed(error);
      return;
    }
    const events = this.#failure(error);
    if (events === '') {
      this.#client.breakOff();
      return;
    }
    this.#text += events;
    this.#client.end(this.#takeEvents());
    const late = setTimeout(() => this.#res.socket?.destroy(), this.#options.lingerTime ?? LINGER).unref();
    this.#res.once('close', () => {
      clearTimeout(late);
    });
  }

  #failure(error: ClientError): string {
    try {
      return this.#reply.fail(toDialectError(error));
    } catch {
      return '';
    }
  }

  #beginStream(): void {
    const { cors, pingInterval = PING_INTERVAL } = this.#options;
    const type = ['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache'];
    this.#client.begin(200, [...type, ...this.#headers, ...cors], true);
    this.#ping = setTimeout(() => {
      // To a client that does not read, the connection is not silent.
      if (!this.#res.writableNeedDrain) this.#sendEvents(() => this.#reply.ping());
      this.#ping?.refresh();
    }, pingInterval).unref();
    this.#res.once('close', () => {
      clearTimeout(this.#ping);
    });
    this.#sendEvents(() => this.#reply.begin());
  }

  #read(events: readonly string[]): void {
    for (const event of events) {
      for (const delta of this.#reader.read(event)) this.#text += this.#reply.delta(delta);
    }
  }

  #complete(lastEvents: () => readonly string[]): void {
    const { plan, cors, entry } = this.#options;
    let body = '';
    this.#attempt(() => {
      this.#read(lastEvents());
      if (this.#reader.outcome === undefined) {
        throw invalidResponse('The response of the backend is incomplete. Try again.');
      }
      const completedAt = Math.floor(Date.now() / 1000);
      const outcome = { ...this.#reader.outcome, completedAt };
      if (plan.stream) this.#text += this.#reply.end(outcome);
      else body = this.#reply.body(outcome);
    });
    if (this.#isInvalid) return;
    clearTimeout(this.#ping);
    if (plan.stream) {
      this.#client.end(this.#takeEvents());
    } else {
      entry.bytesOut = Buffer.byteLength(body);
      sendJson(this.#res, 200, body, [...this.#headers, ...cors]);
    }
  }

  #sendEvents(write: () => string): void {
    this.#attempt(() => {
      this.#text += write();
    });
    this.#flush();
  }

  /** Sends the events; a response that is not streamed has none. */
  #flush(): void {
    if (!this.#options.plan.stream) return;
    const bytes = this.#takeEvents();
    if (bytes.length === 0) return;
    this.#ping?.refresh();
    this.#client.write(bytes);
  }

  /** The events that are not sent yet, as bytes that will be sent. */
  #takeEvents(): Uint8Array {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#sent += bytes.length;
    this.#options.entry.bytesOut = this.#sent; // the relay has counted what the backend sent
    return bytes;
  }

  /** An error makes the response invalid; the client gets the events before it. */
  #attempt(translate: () => void): void {
    try {
      translate();
    } catch (error) {
      this.#flush();
      this.#invalidate(asDialectError(error));
    }
  }

  #invalidate({ status, message, code }: DialectError): void {
    if (this.#isInvalid) return;
    this.#isInvalid = true;
    clearTimeout(this.#ping);
    const end = status === 500 ? 'translation_failed' : 'invalid_response';
    this.#source.abandon({ type: 'server_error', status, message, code }, end);
  }
}
