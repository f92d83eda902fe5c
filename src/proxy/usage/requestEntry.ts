import type { Clock } from '../../session/transport.ts';
import type { ResponseStart } from '../../session/wire.ts';
import type { RequestRecord } from '../../shared/activity.ts';
import { asPlain } from '../../shared/escape.ts';
import type { Outcome } from '../../shared/usage.ts';
import { isEventStream } from '../http/headers.ts';
import { MODEL_NOT_ALLOWED } from '../http/openaiErrors.ts';
import { systemClock } from '../process/clock.ts';
import type { Log, LogFields } from '../process/log.ts';
import { JsonFields } from './jsonFields.ts';
import { createTokenObserver, parseModel } from './tokenObserver.ts';
import type { TokenObserver } from './tokenObserver.ts';

/** Backends answer so to a model that they do not offer: 404, or 400 for an outdated one. */
const MAY_BLAME_MODEL: readonly number[] = [400, 404];
/** How requests can end without a response although the backend has got them. */
const MAY_BE_SERVED: readonly string[] = ['client-gone', 'timeout', 'shutdown'];
export const SEE_MODELS = 'GET /v1/models lists the models that the backend offers.';
/** The usual names of models. */
const SHOWN = /^[!-~]+$/;
const MODEL = [Buffer.from('model')];
/** The model is not looked for in longer bodies, in bytes: that would delay other requests. */
const MAX_SEARCHED = 4 * 1024 * 1024;

/** About how many bytes a token takes in text, and as an event of a stream. */
const TEXT_PER_TOKEN = 4;
const EVENT_PER_TOKEN = 200;

/**
 * What is known of one request, for its line in the log and its record: times, sizes, tokens and the models that the
 * client and the backend name, and nothing else of its content.
 */
export class RequestEntry {
  readonly method: string;
  /** As the log shows it. */
  readonly path: string;
  /** What the client is told, so that a user can find the line; null: nothing. */
  readonly requestId: string | null;
  status = 0;
  bytesIn = 0;
  bytesOut = 0;
  /** `complete`, `client-gone`, or the code of the error that ended the request. */
  end = 'complete';
  /** It has failed, and certainly nothing of it was sent. */
  isUnsent = false;
  /** The code of the error's cause, if it is known. */
  detail: string | null = null;
  /** Who sent it: a client's name, the id of an access key, `DIRECT`, or `none`: without a key that is accepted. */
  client = 'none';
  /** Why the key was refused. */
  reason: string | null = null;
  /** True for checks of windows and probes, which come every few seconds: logged at `debug` only. */
  routine = false;
  /** True for a check of a window: not a use of the key. */
  isCheck = false;
  /** Whether a text contains a key. Some users put one into the place of the model. */
  hasKey: (text: string) => boolean = () => false;
  #answerPerToken = TEXT_PER_TOKEN;
  readonly #clocks: Pick<Clock, 'wall' | 'monotonic'>;
  readonly #at: number;
  readonly #begin: number;
  /** Milliseconds from the beginning to the start of the response, and to the first byte of the backend's body. */
  #start: number | undefined;
  #firstByte: number | undefined;
  /** How long the request waited for capacity, in milliseconds. */
  #waited = 0;
  #result: Outcome = 'broken';
  #observer: TokenObserver | undefined;
  /** Of the client's body. */
  #fields: JsonFields | undefined;

  constructor(
    method: string,
    path: string,
    requestId: string | null = null,
    clocks: Pick<Clock, 'wall' | 'monotonic'> = systemClock,
  ) {
    this.method = method;
    this.path = path;
    this.requestId = requestId;
    this.#clocks = clocks;
    this.#at = clocks.wall();
    this.#begin = clocks.monotonic();
  }

  /** A chunk of the client's body. */
  received(bytes: Uint8Array): void {
    this.bytesIn += bytes.length;
    if (this.bytesIn > MAX_SEARCHED) return;
    this.#fields ??= new JsonFields(MODEL);
    this.#fields.push(bytes);
  }

  /** A response starts with this status. */
  started(status: number): void {
    this.status = status;
    this.#start ??= this.#elapsed();
  }

  /** The response that starts is the backend's. */
  startedByBackend({ status, headers }: ResponseStart): void {
    this.started(status);
    this.#result = status < 400 ? 'answered' : 'failed';
    if (this.#result !== 'answered') return;
    this.#observer = createTokenObserver(headers);
    if (isEventStream(headers)) this.#answerPerToken = EVENT_PER_TOKEN;
  }

  /** A chunk of the backend's response body, which has been sent to the client already. */
  chunk(bytes: Uint8Array): void {
    if (this.#result === 'answered') this.#firstByte ??= this.#elapsed();
    this.#observer?.push(bytes);
  }

  /** The proxy itself answers, instead of the backend. */
  refuse(): void {
    this.#result = 'refused';
  }

  /** The request waited this many milliseconds, and is sent again: another response starts. */
  waited(milliseconds: number): void {
    this.#waited += milliseconds;
    this.#start = undefined;
  }

  /** It was sent before: the backend had no capacity. */
  get isResent(): boolean {
    return this.#waited > 0;
  }

  /** An estimate if the backend has not reported them, as for a stream that the client has cut off; 0 for a failure. */
  get spentTokens(): number {
    const tokens = this.#observer?.tokens;
    if (tokens !== undefined) return tokens.input + tokens.output;
    if (this.#result === 'failed' || this.#result === 'refused') return 0;
    if (this.#result === 'broken' && !MAY_BE_SERVED.includes(this.end)) return 0;
    return Math.ceil(this.bytesIn / TEXT_PER_TOKEN + this.bytesOut / this.#answerPerToken);
  }

  /** True if the backend's response is an event stream that the observer can read. */
  get isStream(): boolean {
    return this.#observer?.isStream ?? false;
  }

  /** How the request ended, once it is over. */
  get outcome(): Outcome {
    if (this.end === 'client-gone') return 'cancelled';
    return this.end === 'complete' || this.#result === 'refused' ? this.#result : 'broken';
  }

  /**
   * What a window is told of the request.
   * @param id increases with each request of the process
   * @param caller the id of an access key, `DIRECT` or `UNKNOWN`
   */
  record(id: number, caller: string, isOver: boolean): RequestRecord {
    const tokens = this.#observer?.tokens;
    // Not composed of other objects: this is done for each request.
    return {
      id,
      at: this.#at,
      caller,
      method: this.method,
      path: this.path,
      model: this.#observer?.model ?? null,
      isCheck: this.isCheck,
      requestedModel: this.#requestedModel,
      status: this.status,
      firstByteMs: this.#firstByte === undefined ? null : tenths(this.#firstByte),
      durationMs: tenths(this.#elapsed()),
      tokensIn: tokens?.input ?? null,
      tokensOut: tokens?.output ?? null,
      tokensCached: tokens?.cached ?? null,
      outcome: isOver ? this.outcome : null,
      end: isOver ? this.end : '',
      isUnsent: this.isUnsent,
      detail: isOver ? (this.detail ?? this.reason) : null,
    };
  }

  /** Writes one line, when the request is over. */
  write(log: Log): void {
    const level = this.end !== 'complete' && this.end !== 'client-gone' ? 'warn' : this.routine ? 'debug' : 'info';
    if (!log.enabled(level)) return;
    const { method, path, requestId, client, status, reason, bytesIn, bytesOut, end, detail } = this;
    const tokens = this.#observer?.tokens;
    const model = this.#observer?.model;
    log[level]('request', {
      method,
      path,
      ...(requestId === null ? {} : { requestId }),
      client,
      status,
      ...(reason === null ? {} : { reason }),
      ...(model === undefined ? {} : { model: SHOWN.test(model) ? model : asPlain(model) }),
      ...(tokens && { tokensIn: tokens.input, tokensOut: tokens.output, tokensCached: tokens.cached }),
      bytesIn,
      bytesOut,
      startMs: this.#start === undefined ? null : tenths(this.#start),
      endMs: tenths(this.#elapsed()),
      end,
      ...(detail === null ? {} : { detail }),
      ...this.#modelInLog,
      ...(this.#waited === 0 ? {} : { waitedMs: tenths(this.#waited) }),
    });
  }

  get #requestedModel(): string | null {
    const model = parseModel(this.#fields?.value(0));
    return model === undefined || this.hasKey(model) ? null : model;
  }

  /** Only of a failure for which it may be the reason: it is text of the client. */
  get #modelInLog(): LogFields {
    const isRefused = this.end === MODEL_NOT_ALLOWED;
    const model = isRefused || MAY_BLAME_MODEL.includes(this.status) ? this.#requestedModel : null;
    if (model === null) return {};
    return { requestedModel: asPlain(model), ...(isRefused ? {} : { note: SEE_MODELS }) };
  }

  #elapsed(): number {
    return this.#clocks.monotonic() - this.#begin;
  }
}

/** To a tenth of a millisecond. */
function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
