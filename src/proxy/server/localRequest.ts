// One request of a local client, in the order of its checks: host, origin, path, method, key, size.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '../../dialects/dialect.ts';
import type { Clock } from '../../session/transport.ts';
import type { OriginPattern } from '../../settings/origins.ts';
import type { Evidence } from '../../shared/evidence.ts';
import { REPORT_HEADER } from '../../shared/ownership.ts';
import type { ProxyReport } from '../../shared/ownership.ts';
import { DIRECT, UNKNOWN } from '../../shared/usage.ts';
import { VERSION } from '../../shared/version.ts';
import type { RequestFailure } from '../backend/connectionReport.ts';
import { errorFormat } from '../dialects/dialectErrors.ts';
import { DialectRequest } from '../dialects/dialectRequest.ts';
import type { DialectContext, DialectRequestOptions } from '../dialects/dialectRequest.ts';
import { DIALECTS } from '../dialects/dialects.ts';
import { REQUEST_ID_HEADER, sendError, sendJson } from '../http/errorResponses.ts';
import { PROXY_ERRORS, allowHeader, busyError, errorBody, methodNotAllowed } from '../http/openaiErrors.ts';
import type { BodyLimits, ClientError } from '../http/openaiErrors.ts';
import type { Log } from '../process/log.ts';
import { HttpSink } from '../relay/httpSink.ts';
import { ModelRule, refusalOfHead } from '../relay/modelRule.ts';
import { Relay } from '../relay/relay.ts';
import type { RelayContext, Timeouts } from '../relay/relay.ts';
import type { RequestLimits } from '../relay/requestLimits.ts';
import type { UpstreamKey } from '../relay/upstream.ts';
import type { ActivityLog } from '../usage/activityLog.ts';
import { RequestEntry } from '../usage/requestEntry.ts';
import type { UsageCollector } from '../usage/usageCollector.ts';
import type { AccessKeys } from './accessKeys.ts';
import type { Callers } from './callers.ts';
import type { ClientLimits, KeyLimits } from './clientLimits.ts';
import type { ClientConnection } from './connections.ts';
import { bearerToken, checkOrigin, corsHeaders, dialectKey, isOwnHost, preflightHeaders } from './guard.ts';
import { readyResponse } from './readiness.ts';
import type { NotReady } from './readiness.ts';
import { readDialectHead, readRequestHead } from './requestHead.ts';
import { readHost, readTarget } from './requestTarget.ts';
import type { RequestTarget } from './requestTarget.ts';
import { findRoute } from './routes.ts';
import type { Destination, DialectRoute, KeyRoute } from './routes.ts';
import type { Shutdown } from './shutdown.ts';
import type { TlsIdentity } from './tls.ts';
import { answerWindow, isCheck, proofFor, windowRequest } from './windowRequests.ts';
import type { Ownership } from './windowRequests.ts';

/** What may change while the server runs; read once for each request. */
export interface ServerState extends Timeouts {
  readonly keys: AccessKeys;
  readonly cacheNamespaceRoot: Uint8Array;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly OriginPattern[];
  /** In milliseconds. */
  readonly capacityWait: number;
  /** The models for names that the backend does not offer; empty: such a request is an error. */
  readonly messagesModel: string;
  readonly responsesModel: string;
  /** The secret that the user's windows share with the proxy; null: the proxy does not identify itself. */
  readonly ownership: Uint8Array | null;
}

export interface ServerOptions {
  /** Left out: clients use plain HTTP. */
  readonly tls?: TlsIdentity | undefined;
  /** The address that the server listens on. */
  readonly boundTo: string;
  readonly exchange: RelayContext['exchange'];
  readonly state: () => ServerState;
  /** What the proxy reports to the windows that share its secret. */
  readonly report: () => ProxyReport;
  /** Why the proxy is not ready to serve; null: it is ready. */
  readonly readiness: () => NotReady | null;
  readonly shutdown: Shutdown;
  /** Receives the outcome of each relayed request: null for a success. */
  readonly onOutcome: (failure: RequestFailure | null) => void;
  readonly onEvent: (event: { type: 'releaseRequested' } | { type: 'chatAnswered'; id: string }) => void;
  readonly limits: RequestLimits;
  readonly bodyLimits: BodyLimits;
  readonly callers: Callers;
  readonly clientLimits: ClientLimits;
  readonly activity: ActivityLog;
  readonly clock: Clock;
  /** The evidence of the live session; without one, that of the last handshake that got a document; null if none did. */
  readonly evidence: () => Evidence | null;
  /** The sums that were not sent to the extension yet; undefined without an extension. */
  readonly usage: Pick<UsageCollector, 'erase' | 'flush'> | undefined;
  readonly dialects: Pick<DialectContext, 'models' | 'translator'>;
  readonly log: Log;
}

/** What the `Expect` header asks for before the body is sent (RFC 9110 section 10.1.1). */
export type Expectation = 'nothing' | 'continue' | 'unknown';

const HEALTH = JSON.stringify({ status: 'ok', service: 'sealed-proxy', version: VERSION });
/** The caller of the connections on which windows ask for a proof. */
const WINDOW = 'window';
/** How long the rest of an upload is read and dropped after an early response, so that the client can read it, in ms. */
const DRAIN_MS = 10_000;

/** A request to the backend. */
interface RunningRequest {
  begin(): void;
  clientGone(): void;
}

/** Creates what serves an accepted request. */
type Create = (
  context: RelayContext,
  request: Pick<DialectRequestOptions, 'req' | 'res' | 'place' | 'cors' | 'entry'>,
) => RunningRequest;

export class LocalRequest {
  readonly #options: ServerOptions;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #connection: ClientConnection;
  readonly #expects: Expectation;
  readonly #state: ServerState;
  /** Undefined: it is not valid. */
  readonly #target: RequestTarget | undefined;
  readonly #destination: Destination;
  /** Node keeps random bytes for the next ones of these. */
  readonly #id = createId();
  readonly #requestId = requestIdOf(this.#id);
  readonly #entry: RequestEntry;
  #cors: readonly string[] = [];
  #running: RunningRequest | undefined;
  /** A complete response means that the model has answered. */
  #isChat = false;
  /** The id of the access key that the request came with. */
  #accessKeyId: string | null = null;
  #keyLimits: KeyLimits | undefined;
  /** True for a request that a model answers. */
  #takesTokens = false;

  constructor(
    options: ServerOptions,
    connection: ClientConnection,
    req: IncomingMessage,
    res: ServerResponse,
    expects: Expectation,
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#req = req;
    this.#res = res;
    this.#expects = expects;
    this.#state = options.state();
    this.#target = readTarget(req.method ?? '', req.url ?? '', options.tls === undefined ? 'http' : 'https');
    this.#destination = findRoute(this.#target?.target ?? '');
    const { dialect, label } = this.#destination;
    this.#entry = new RequestEntry(req.method ?? '', label, this.#requestId, options.clock);
    this.#entry.hasKey = (text) => this.#state.keys.hasKey(text);
    // Elsewhere the header is written with the others, because Node writes a list of headers faster than single ones.
    if (dialect !== undefined) res.setHeader(REQUEST_ID_HEADER, this.#requestId);
    if (dialect === 'messages') res.setHeader('request-id', this.#requestId);
  }

  handle(): void {
    const res = this.#res;
    res.prependOnceListener('finish', () => {
      drain(this.#req); // before Node closes the connection, if the response is the last one
    });
    // Once, because Node 24 emits it for pipelined responses, as the server does for the sake of Node 22.
    res.once('close', () => {
      if (!res.writableFinished) {
        if (this.#running === undefined) this.#entry.end = 'client-gone';
        else this.#running.clientGone();
      }
      if (this.#running !== undefined) this.#entry.end = this.#options.shutdown.ended(this.#entry.end);
      this.#entry.write(this.#options.log);
      this.#finish();
    });
    res.on('error', () => undefined); // a write after the client has disconnected; `close` follows
    const refusal = this.#serve();
    if (refusal !== undefined) this.#refuse(refusal);
  }

  #finish(): void {
    if (this.#keyLimits !== undefined && this.#takesTokens)
      this.#options.clientLimits.spend(this.#entry.client, this.#keyLimits, this.#entry.spentTokens);
    const isAnswered = this.#options.activity.finish(this.#entry) === 'answered';
    if (!isAnswered || !this.#isChat || this.#accessKeyId === null || this.#entry.isCheck) return;
    this.#options.onEvent({ type: 'chatAnswered', id: this.#accessKeyId });
  }

  /** Serves the request, or returns the error to refuse it with. */
  #serve(): ClientError | undefined {
    const { rawHeaders: raw, method = '' } = this.#req;
    const { allowedHosts, allowedOrigins } = this.#state;
    if (this.#target === undefined) return PROXY_ERRORS.badTarget;
    const host = readHost(raw, this.#target.authority);
    if (host === undefined) return PROXY_ERRORS.badHost;
    if (!isOwnHost(host, { boundTo: this.#options.boundTo, allowed: allowedHosts })) return PROXY_ERRORS.foreignHost;
    const origin = checkOrigin(raw, allowedOrigins);
    if (origin.kind === 'refused') return PROXY_ERRORS.foreignOrigin;
    if (origin.kind === 'allowed') this.#cors = corsHeaders(origin.origin);
    if (this.#expects === 'unknown') return PROXY_ERRORS.expectation;
    const { route, dialect } = this.#destination;
    if ('status' in route) return route;
    if (method === 'OPTIONS') {
      const preflight = origin.kind === 'allowed' ? [...this.#cors, ...preflightHeaders(raw, route.allow)] : [];
      this.#entry.started(204);
      this.#res.writeHead(204, [...allowHeader(route.allow), ...preflight, REQUEST_ID_HEADER, this.#requestId]).end();
      return undefined;
    }
    if (route.kind === 'health' && this.#answersWindow(method)) return undefined;
    if (!route.allow.split(', ').includes(method)) return methodNotAllowed(route.allow, dialect);
    if (route.kind === 'ready') {
      this.#entry.routine = true;
      this.#sendJson(...readyResponse(this.#options.readiness()), this.#cors);
      return undefined;
    }
    if (route.kind !== 'health') return this.#relayRequest(route);
    const proof = proofFor(raw, this.#ownership);
    this.#entry.routine = true;
    if (proof[0] === REPORT_HEADER) this.#connection.usedBy(WINDOW); // it shares the secret
    this.#sendJson(200, HEALTH, [...this.#cors, ...proof]);
    return undefined;
  }

  get #ownership(): Ownership {
    return { secret: this.#state.ownership, report: this.#options.report };
  }

  /** Answers the request of a window of the same user; false for any other request. */
  #answersWindow(method: string): boolean {
    const request = windowRequest(method, this.#req.rawHeaders, this.#ownership);
    if (request === undefined) return false;
    this.#entry.routine = request === 'activity' || request === 'evidence';
    this.#sendJson(...answerWindow(request, this.#options, this.#target?.target ?? ''));
    return true;
  }

  #relayRequest(route: KeyRoute): ClientError | undefined {
    const req = this.#req;
    const res = this.#res;
    const entry = this.#entry;
    const raw = req.rawHeaders;
    if (req.httpVersion !== '1.1') return PROXY_ERRORS.httpVersion;
    const { exchange, limits, callers, clientLimits, activity } = this.#options;
    const { keys } = this.#state;
    entry.isCheck = isCheck(raw, this.#ownership);
    const key = keys.resolve(route.kind === 'dialect' ? dialectKey(raw) : bearerToken(raw), entry.isCheck);
    const isRefused = 'status' in key;
    this.#accessKeyId = isRefused ? null : key.accessKeyId;
    activity.begin(isRefused ? UNKNOWN : (this.#accessKeyId ?? DIRECT), entry);
    if (isRefused) return key;
    if (key.accessKeyId === null) {
      entry.client = DIRECT;
    } else {
      entry.client = keys.nameOf(key.accessKeyId);
      const keyLimits = keys.limitsOf(key.accessKeyId);
      const refusal = keyLimits && clientLimits.admit(entry.client, keyLimits);
      if (refusal !== undefined) return refusal;
      this.#keyLimits = keyLimits;
    }
    this.#isChat = route.isChat;
    this.#takesTokens = route.isChat || (route.kind === 'relayed' && req.method === 'POST');
    const create = route.kind === 'dialect' ? this.#prepareDialect(route, key) : this.#prepareRelay(key);
    if ('status' in create) return create;
    const caller = callers.pathOf(key, !keys.isEmpty);
    const place = limits.admit(caller, () => {
      this.#connection.endRelay();
    });
    if (place === undefined) return busyError(this.#accessKeyId !== null);
    this.#connection.beginRelay(caller.at(-1) ?? UNKNOWN);
    if (this.#expects === 'continue') res.writeContinue();
    const onOutcome = (failure: RequestFailure | null) => {
      if (failure === null) callers.accept(key);
      this.#options.onOutcome(failure);
    };
    const context = { exchange, timeouts: this.#state, onOutcome };
    this.#running = create(context, { req, res, place, cors: this.#cors, entry });
    this.#running.begin();
    return undefined;
  }

  #prepareRelay(key: UpstreamKey): Create | ClientError {
    const { method = '', rawHeaders } = this.#req;
    const { bodyLimits } = this.#options;
    const head = readRequestHead(
      { method, target: this.#target?.target ?? '', rawHeaders, keys: this.#state.keys, limits: bodyLimits },
      key.value,
      this.#isChat ? this.#state.cacheNamespaceRoot : null,
    );
    if ('status' in head) return head;
    const { metadata, bodyLength } = head;
    const models = method === 'POST' ? this.#keyLimits?.models : undefined;
    const refusal = models && refusalOfHead(this.#target?.target ?? '', rawHeaders);
    if (refusal !== undefined) return refusal;
    return (context, { req, res, place, cors, entry }) => {
      const relay = new Relay(context, {
        metadata,
        withApiKey: key.accessKeyId !== null,
        entry,
        modelRule: models && new ModelRule(models),
        openSink: (source) => new HttpSink(res, source, cors, this.#requestId),
        onStart: () => {
          place.releaseBody();
        },
        onEnd: () => {
          place.end();
        },
      });
      return {
        begin: () => {
          relay.receive({ req, place, bodyLength, limit: bodyLimits.relayed });
        },
        clientGone: () => {
          relay.clientGone();
        },
      };
    };
  }

  #prepareDialect({ dialect, task }: DialectRoute, key: UpstreamKey): Create | ClientError {
    const { dialects, bodyLimits } = this.#options;
    const head = readDialectHead({ rawHeaders: this.#req.rawHeaders, limits: bodyLimits });
    if ('status' in head) return head;
    const { cacheNamespaceRoot, capacityWait, messagesModel, responsesModel } = this.#state;
    const model = { messages: messagesModel, responses: responsesModel }[dialect];
    const settings = {
      cacheNamespaceRoot,
      bodyLimits,
      capacityWait,
      replacementModel: model === '' ? undefined : model,
    };
    return (context, request) =>
      new DialectRequest(
        { ...context, ...dialects, ...settings },
        {
          ...request,
          id: this.#id,
          dialect,
          task,
          key,
          allowedModels: this.#keyLimits?.models,
          bodyLength: head.bodyLength,
        },
      );
  }

  #refuse(error: ClientError): void {
    this.#entry.refuse();
    this.#entry.reason = error.reason ?? null;
    this.#entry.started(error.status);
    // A client that waits for "100 Continue" now sends no body, and the proxy could not tell a next request from one.
    const own = [...this.#cors, REQUEST_ID_HEADER, this.#requestId];
    const headers = this.#expects === 'nothing' ? own : [...own, 'connection', 'close'];
    const { dialect } = this.#destination;
    const format = dialect === undefined ? errorBody : errorFormat(DIALECTS[dialect], this.#requestId);
    sendError(this.#res, error, headers, format);
  }

  #sendJson(status: number, json: string, headers: readonly string[] = []): void {
    this.#entry.started(status);
    sendJson(this.#res, status, json, [...headers, REQUEST_ID_HEADER, this.#requestId]);
  }
}

/**
 * Reads and drops the rest of an upload that got its response early, for a limited time. Meanwhile only the proxy's half of
 * the connection can be closed (RFC 9112 section 9.6): a reset would discard what the client has not read yet.
 */
function drain(req: IncomingMessage): void {
  if (req.complete) return;
  const { socket } = req;
  const stop = setTimeout(() => socket.destroy(), DRAIN_MS);
  stop.unref();
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => socket.end();
  req.once('close', () => {
    clearTimeout(stop);
    socket.destroySoon = destroySoon;
    if (socket.writableEnded) destroySoon();
  });
}

/** 32 hex digits, of which 30 are random. */
function createId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The ID of a request that Node's HTTP parser could not read. */
export function createRequestId(): string {
  return requestIdOf(createId());
}
