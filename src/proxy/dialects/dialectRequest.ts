// One request of a dialect: its body is read, translated, and relayed as a Chat Completions request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '../../dialects/dialect.ts';
import type { Dialect, DialectName, ReplyIdentity, ReplyPlan } from '../../dialects/dialect.ts';
import { DialectError } from '../../dialects/dialectError.ts';
import { parseExactJson } from '../../dialects/exactJson.ts';
import { encodeMetadata } from '../../session/envelope.ts';
import { ReplayableBody } from '../../session/replayableBody.ts';
import { DIRECT } from '../../shared/usage.ts';
import { sendJson } from '../http/errorResponses.ts';
import { MODEL_NOT_ALLOWED, busyError, modelNotAllowed } from '../http/openaiErrors.ts';
import type { BodyLimits, ClientError } from '../http/openaiErrors.ts';
import { Relay } from '../relay/relay.ts';
import type { RelayContext } from '../relay/relay.ts';
import type { Place } from '../relay/requestLimits.ts';
import { Upload } from '../relay/upload.ts';
import { CHAT_COMPLETIONS } from '../relay/upstream.ts';
import type { UpstreamKey } from '../relay/upstream.ts';
import type { RequestEntry } from '../usage/requestEntry.ts';
import { CapacityWait, wait } from './capacityWait.ts';
import { keptHeaders } from './collectSink.ts';
import type { Collected } from './collectSink.ts';
import { asDialectError, errorOf, toDialectError } from './dialectErrors.ts';
import { DIALECTS } from './dialects.ts';
import { DialectSink } from './dialectSink.ts';
import { ModelListFailure } from './modelLists.ts';
import type { ModelLists } from './modelLists.ts';
import { reasoningKey, seal } from './reasoningSeal.ts';
import type { TranslationJob } from './translation.ts';
import type { Translator } from './translationThread.ts';

/** What a request of a dialect asks for. */
export type DialectTask =
  { readonly name: 'reply' | 'count' | 'listModels' } | { readonly name: 'describeModel'; readonly model: string };

export interface DialectContext extends RelayContext {
  readonly cacheNamespaceRoot: Uint8Array;
  readonly bodyLimits: BodyLimits;
  readonly models: ModelLists;
  readonly translator: Translator;
  /** The model for names that the backend does not offer; undefined: such a request is an error. */
  readonly replacementModel: string | undefined;
  /** How long a request may wait for capacity, in milliseconds; 0: not at all. */
  readonly capacityWait: number;
}

export interface DialectRequestOptions {
  /** 32 random hex digits. */
  readonly id: string;
  readonly dialect: DialectName;
  readonly task: DialectTask;
  readonly key: UpstreamKey;
  /** The models that the client may use; undefined: all of them. */
  readonly allowedModels: readonly string[] | undefined;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Ended by the request. */
  readonly place: Place;
  /** The length that the client announced, in bytes; undefined for a chunked body; 0 for no body. */
  readonly bodyLength: number | undefined;
  /** The headers that let an allowed web page read the response: name, value, name, value ... */
  readonly cors: readonly string[];
  readonly entry: RequestEntry;
}

const NO_BODY: Uint8Array = new Uint8Array(0);
const HEADERS = [{ name: 'content-type', value: 'application/json' }];
/** Tells clients that the numbers of tokens are not exact. A further field of the body could break strict clients. */
const ESTIMATE = ['x-sealed-proxy-estimate', 'true'];
/** The body is sealed in steps of this many bytes, between which other requests proceed. */
const STEP = 256 * 1024;

export class DialectRequest {
  readonly #context: DialectContext;
  readonly #request: DialectRequestOptions;
  readonly #dialect: Dialect;
  readonly #withApiKey: boolean;
  readonly #capacity: CapacityWait;
  readonly #cancelled = new AbortController();
  #upload: Upload | undefined;
  #relay: Relay | undefined;
  #isOver = false;
  /** Of the Chat Completions request, which may have to be sent again. */
  #body = NO_BODY;
  /** Of what the reply must know of the request, as JSON text. */
  #planLength = 0;
  /** When the wait began after which the request is sent again; undefined: it does not wait. */
  #waitBegin: number | undefined;

  constructor(context: DialectContext, request: DialectRequestOptions) {
    this.#context = context;
    this.#request = request;
    this.#dialect = DIALECTS[request.dialect];
    this.#withApiKey = request.key.accessKeyId !== null;
    this.#capacity = new CapacityWait(context.capacityWait, () => Date.now());
  }

  begin(): void {
    const { task } = this.#request;
    if (task.name === 'listModels') this.#run(this.#listModels());
    else if (task.name === 'describeModel') this.#run(this.#describeModel(task.model));
    else this.#receive(task.name);
  }

  /** The client closed its connection. No effect once the response is complete. */
  clientGone(): void {
    if (this.#isOver) return;
    this.#request.entry.end = 'client-gone';
    this.#upload?.stop();
    this.#endWait();
    this.#cancelled.abort();
    this.#relay?.clientGone();
    this.#finish();
  }

  /** Gives the place back. */
  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#request.place.end();
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!this.#isOver) this.#fail(error);
    });
  }

  #fail(error: unknown): void {
    const { entry, task } = this.#request;
    if (error instanceof ModelListFailure) {
      const { response, end, detail } = error;
      if (end === 'complete') entry.startedByBackend({ status: response.status, headers: [] });
      // A prompt is sent only once the list is there.
      const isUnsent = task.name !== 'listModels' && task.name !== 'describeModel';
      Object.assign(entry, { end, detail, isUnsent });
      this.#sendError(errorOf(response), response.headers);
      return;
    }
    entry.refuse();
    this.#sendError(asDialectError(error));
  }

  async #listModels(): Promise<void> {
    this.#sendJson(this.#dialect.listModels(await this.#reloadModels()));
  }

  async #describeModel(id: string): Promise<void> {
    this.#sendJson(this.#dialect.describeModel(await this.#reloadModels(), id));
  }

  #reloadModels(): Promise<unknown> {
    return this.#context.models.reload(this.#request.key, this.#context, this.#cancelled.signal);
  }

  #receive(purpose: TranslationJob['purpose']): void {
    const received = new ReplayableBody(); // many small chunks take little more memory than their bytes
    const { req, place, entry, bodyLength } = this.#request;
    const { bodyLimits, timeouts } = this.#context;
    this.#upload = new Upload(
      {
        req,
        place,
        entry,
        bodyLength,
        withApiKey: this.#withApiKey,
        limit: bodyLimits.translated,
        idleTimeout: timeouts.streamIdleTimeout,
      },
      {
        chunk: (bytes) => {
          received.push(bytes);
        },
        complete: () => {
          const body = Buffer.concat(received.chunks());
          received.discard();
          this.#run(this.#translate(body, purpose));
        },
        refuse: (error, end) => {
          this.#refuse(error, end);
        },
      },
    );
    this.#upload.begin();
  }

  async #translate(body: Uint8Array, purpose: TranslationJob['purpose']): Promise<void> {
    const { dialect, key, place, allowedModels } = this.#request;
    const { models, translator, replacementModel, bodyLimits } = this.#context;
    const { signal } = this.#cancelled;
    const modelList = await models.get(key, this.#context, signal);
    signal.throwIfAborted();
    const context = { modelList, replacementModel };
    const caller = key.accessKeyId ?? DIRECT;
    const sealKey = reasoningKey(this.#context.cacheNamespaceRoot, key);
    const job = { dialect, purpose, body, context, limit: bodyLimits.relayed, allowedModels, reasoningKey: sealKey };
    const translation = await translator.translate(job, caller, signal);
    signal.throwIfAborted();
    if (translation.kind === 'error') throw new DialectError(translation.message, translation);
    if (translation.kind === 'modelRefused') {
      this.#refuse(modelNotAllowed(allowedModels ?? []), MODEL_NOT_ALLOWED);
      return;
    }
    if (translation.kind === 'count') {
      this.#sendJson(translation.json, ESTIMATE);
      return;
    }
    place.releaseBody();
    if (!place.keep(translation.body.length)) {
      this.#refuse(busyError(this.#withApiKey), 'busy');
      return;
    }
    this.#body = translation.body;
    this.#planLength = translation.plan.length;
    const plan = parseExactJson(translation.plan) as ReplyPlan;
    this.#send(plan, {
      id: this.#request.id,
      createdAt: Math.floor(Date.now() / 1000),
      seal: (text) => seal(sealKey, text),
    });
  }

  #send(plan: ReplyPlan, identity: ReplyIdentity): void {
    const body = this.#body;
    const { res, cors, entry, key, place } = this.#request;
    const metadata = encodeMetadata({
      credential: key.value,
      cacheNamespaceRoot: this.#context.cacheNamespaceRoot,
      method: 'POST',
      target: CHAT_COMPLETIONS,
      headers: HEADERS,
      bodyPresent: true,
    });
    const relay = new Relay(this.#context, {
      metadata,
      withApiKey: this.#withApiKey,
      entry,
      openSink: (source) =>
        new DialectSink(
          {
            res,
            dialect: this.#dialect,
            plan,
            identity,
            entry,
            cors,
            onAccepted: () => {
              this.#body = NO_BODY;
              place.releaseBody();
              place.keep(this.#planLength); // until the end of the response; it is less than what was released
            },
            onRefused: (refusal) => {
              this.#retry(refusal, plan, identity);
            },
            onFailed: (error) => {
              this.#sendError(toDialectError(error), error.headers);
            },
          },
          source,
        ),
      onEnd: () => {
        if (this.#waitBegin === undefined) this.#finish();
      },
    });
    this.#relay = relay;
    relay.send(inSteps(body));
  }

  /** Sends the request again when the backend has capacity, or answers with its error. */
  #retry(refusal: Collected, plan: ReplyPlan, identity: ReplyIdentity): void {
    const wait = this.#capacity.next(refusal);
    if (wait === undefined) {
      this.#sendError(errorOf(refusal), refusal.headers);
      return;
    }
    this.#waitBegin = performance.now();
    this.#run(this.#sendLater(wait, plan, identity));
  }

  async #sendLater(milliseconds: number, plan: ReplyPlan, identity: ReplyIdentity): Promise<void> {
    await wait(milliseconds, this.#cancelled.signal);
    this.#cancelled.signal.throwIfAborted();
    this.#endWait();
    this.#send(plan, identity);
  }

  /** For the log, also if the client has gone. */
  #endWait(): void {
    if (this.#waitBegin === undefined) return;
    const waited = performance.now() - this.#waitBegin;
    this.#waitBegin = undefined;
    this.#request.entry.waited(waited);
  }

  #sendJson(json: string, headers: readonly string[] = []): void {
    const { res, cors, entry } = this.#request;
    if (this.#isOver) return;
    entry.startedByBackend({ status: 200, headers: [] });
    entry.bytesOut = Buffer.byteLength(json);
    sendJson(res, 200, json, [...headers, ...cors]);
    this.#finish();
  }

  #refuse(error: ClientError, end: string): void {
    this.#request.entry.end = end;
    this.#request.entry.refuse();
    this.#sendError(toDialectError(error), error.headers);
  }

  #sendError(error: DialectError, headers: readonly string[] = []): void {
    const { id, res, cors, entry } = this.#request;
    const json = this.#dialect.errorBody(error, requestIdOf(id));
    entry.started(error.status);
    entry.bytesOut = Buffer.byteLength(json);
    sendJson(res, error.status, json, [...keptHeaders(headers), ...cors]);
    this.#finish();
  }
}

function inSteps(body: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(body.length / STEP) }, (_, index) =>
    body.subarray(index * STEP, (index + 1) * STEP),
  );
}
