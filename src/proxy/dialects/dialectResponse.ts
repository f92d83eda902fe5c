// The response to a request of a dialect: takes the backend's response from the relay, and writes its translation.
import type { ServerResponse } from 'node:http';
import { ChatReader } from '../../dialects/chatReader.ts';
import type { Dialect, Reply, ReplyIdentity, ReplyPlan } from '../../dialects/dialect.ts';
import { invalidResponse } from '../../dialects/dialectError.ts';
import type { DialectError } from '../../dialects/dialectError.ts';
import { EventStreamReader } from '../../dialects/eventStream.ts';
import { serviceTierOf } from '../../dialects/serviceTier.ts';
import type { ClientResponse } from '../http/clientResponse.ts';
import { sendJson } from '../http/errorResponses.ts';
import { isEventStreamType, singleValue } from '../http/headers.ts';
import type { ProxyError } from '../http/openaiErrors.ts';
import { LINGER } from '../relay/relay.ts';
import type { RequestEntry } from '../relay/requestLog.ts';
import { CollectedResponse, keptHeaders } from './collectedResponse.ts';
import type { Collected } from './collectedResponse.ts';
import { asDialectError, toDialectError } from './dialectErrors.ts';

/** The longest body that is translated when it is complete, in bytes. */
const MAX_COLLECTED = 4 * 1024 * 1024;
/** A stream says that it is alive after this many milliseconds without an event. */
export const PING_INTERVAL = 15_000;

export interface DialectResponseOptions {
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
  /** An error of the backend, or of the proxy: nothing has been sent to the client. */
  readonly onRefused: (response: Collected) => void;
  /** The backend's response cannot be translated. The receiver ends the exchange, and then this response. */
  readonly onInvalid: (error: DialectError) => void;
}

export class DialectResponse implements ClientResponse {
  sendDate = false;
  readonly #options: DialectResponseOptions;
  readonly #res: ServerResponse;
  readonly #reply: Reply;
  readonly #reader: ChatReader;
  /** Undefined: the response is read when it is complete. */
  #events: EventStreamReader | undefined;
  #collected: CollectedResponse | undefined;
  #headers: readonly string[] = [];
  #isInvalid = false;
  /** As the backend states it. */
  #serviceTier: string | undefined;
  /** Events that are not sent yet. */
  #text = '';
  #sent = 0;
  #ping: NodeJS.Timeout | undefined;

  constructor(options: DialectResponseOptions) {
    const { res, dialect, plan, identity } = options;
    this.#options = options;
    this.#res = res;
    this.#reply = dialect.createReply(plan, identity);
    this.#reader = new ChatReader((index) => `call_${identity.id}_${index}`);
  }

  get headersSent(): boolean {
    return this.#res.headersSent;
  }

  get socket(): ServerResponse['socket'] {
    return this.#res.socket;
  }

  /** May be called again while nothing was sent: an error replaces an incomplete response. */
  writeHead(status: number, headers: readonly string[]): void {
    const isError = status < 200 || status > 299;
    this.#headers = keptHeaders(headers);
    this.#events =
      !isError && isEventStreamType(singleValue(headers, 'content-type')) ? new EventStreamReader() : undefined;
    this.#collected = new CollectedResponse(MAX_COLLECTED, (collected) => {
      if (collected === undefined)
        this.#invalidate(invalidResponse('The response is too long. Ask for a shorter one.'));
      else if (isError) this.#options.onRefused(collected);
      else this.#complete(() => [collected.text]);
    });
    this.#collected.writeHead(status, headers);
    if (isError) return;
    this.#options.onAccepted();
    if (this.#options.plan.stream) this.#beginStream();
    else this.#attempt(() => void this.#reply.begin());
  }

  flushHeaders(): void {
    if (this.#res.headersSent) this.#res.flushHeaders();
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isInvalid) return true;
    const events = this.#events;
    if (events === undefined) return this.#collected?.write(bytes) ?? true;
    this.#attempt(() => {
      this.#read(events.push(bytes));
    });
    return this.#flush();
  }

  /** @param text the body, if this is an error of the proxy */
  end(text?: string): void {
    if (this.#isInvalid && text === undefined) return;
    const events = this.#events;
    if (events === undefined) this.#collected?.end(text);
    else this.#complete(() => events.end());
  }

  /** A stream ends with an event that says that it failed; without that event, it must not look complete. */
  endWithError(error: ProxyError): boolean {
    clearTimeout(this.#ping);
    const { plan, lingerTime = LINGER } = this.#options;
    const events = plan.stream ? this.#failure(error) : '';
    if (events === '') return false;
    this.#text += events;
    this.#flush();
    this.#res.end();
    const late = setTimeout(() => this.#res.socket?.destroy(), lingerTime).unref();
    this.#res.once('close', () => {
      clearTimeout(late);
    });
    return true;
  }

  on(event: 'timeout', listener: () => void): void {
    this.#res.on(event, listener);
  }

  once(event: 'drain' | 'socket', listener: () => void): void {
    this.#res.once(event, listener);
  }

  setTimeout(milliseconds: number): void {
    this.#res.setTimeout(milliseconds);
  }

  #failure(error: ProxyError): string {
    try {
      return this.#reply.fail(toDialectError(error));
    } catch {
      return '';
    }
  }

  #beginStream(): void {
    const { cors, pingInterval = PING_INTERVAL } = this.#options;
    this.#res.writeHead(200, [
      ...['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache'],
      ...this.#headers,
      ...cors,
    ]);
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
      this.#serviceTier ??= serviceTierOf(event);
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
      const outcome = { ...this.#reader.outcome, completedAt, serviceTier: this.#serviceTier };
      if (plan.stream) this.#text += this.#reply.end(outcome);
      else body = this.#reply.body(outcome);
    });
    if (this.#isInvalid) return;
    clearTimeout(this.#ping);
    if (plan.stream) {
      this.#flush();
      this.#res.end();
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
  #flush(): boolean {
    if (!this.#options.plan.stream) return true;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#sent += bytes.length;
    this.#options.entry.bytesOut = this.#sent; // the relay has counted what the backend sent
    if (bytes.length === 0) return true;
    this.#ping?.refresh();
    return this.#res.write(bytes);
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

  #invalidate(error: DialectError): void {
    if (this.#isInvalid) return;
    this.#isInvalid = true;
    clearTimeout(this.#ping);
    this.#options.onInvalid(error);
  }
}
