// One request of a local client, in the order of its checks: host, origin, path, method, key, size.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '../../dialects/dialect.ts';
import type { DialectName } from '../../dialects/dialect.ts';
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
import { sendError, sendJson } from '../http/errorResponses.ts';
import { PROXY_ERRORS, allowHeader, busyError, errorBody, methodNotAllowed } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';
import type { Log } from '../log.ts';
import { Relay } from '../relay/relay.ts';
import type { RelayContext, Timeouts } from '../relay/relay.ts';
import type { RequestLimits } from '../relay/requestLimits.ts';
import { RequestEntry } from '../relay/requestLog.ts';
import type { ActivityLog } from '../usage/activityLog.ts';
import type { RequestMeter } from '../usage/requestMeter.ts';
import type { AccessKeys, UpstreamKey } from './accessKeys.ts';
import type { Callers } from './callers.ts';
import type { ClientConnection } from './connections.ts';
import { bearerToken, checkOrigin, corsHeaders, dialectKey, isOwnHost, preflightHeaders } from './guard.ts';
import { readDialectHead, readRequestHead } from './requestHead.ts';
import { readHost, readTarget } from './requestTarget.ts';
import type { RequestTarget } from './requestTarget.ts';
import { CHAT_COMPLETIONS, findDialect, findRoute, loggedPath, pathOf } from './routes.ts';
import type { DialectRoute, Route } from './routes.ts';
import { proofFor, windowRequest } from './windowRequests.ts';
import type { Ownership } from './windowRequests.ts';

/** What may change while the server runs; read once for each request. */
export interface ServerState extends Timeouts {
  readonly keys: AccessKeys;
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
  /** The address that the server listens on. */
  readonly boundTo: string;
  readonly cacheNamespaceRoot: Uint8Array;
  readonly exchange: RelayContext['exchange'];
  readonly state: () => ServerState;
  /** What the proxy reports to the windows that share its secret. */
  readonly report: () => ProxyReport;
  /** Receives the outcome of each relayed request: null for a success. */
  readonly onOutcome: (failure: RequestFailure | null) => void;
  readonly onEvent: (event: { type: 'releaseRequested' } | { type: 'chatAnswered'; id: string }) => void;
  readonly limits: RequestLimits;
  readonly callers: Callers;
  readonly activity: ActivityLog;
  /** The evidence of the live session; without one, that of the last handshake that got a document; null if none did. */
  readonly evidence: () => Evidence | null;
  /** Forgets the sums that were not sent to the extension yet. */
  readonly eraseUsage: () => void;
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

/** Creates what serves an accepted request. */
type Create = (
  context: RelayContext,
  request: Pick<DialectRequestOptions, 'req' | 'res' | 'place' | 'cors' | 'entry' | 'meter'>,
) => Relay | DialectRequest;

export class LocalRequest {
  readonly #options: ServerOptions;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #connection: ClientConnection;
  readonly #expects: Expectation;
  readonly #state: ServerState;
  /** Undefined: it is not valid. */
  readonly #target: RequestTarget | undefined;
  readonly #path: string;
  /** The dialect in which the client expects errors. */
  readonly #dialect: DialectName | undefined;
  /** 32 random hex digits. */
  readonly #id = randomBytes(16).toString('hex');
  readonly #entry: RequestEntry;
  #cors: readonly string[] = [];
  #relay: Pick<Relay, 'clientGone'> | undefined;
  /** A complete response means that the model has answered. */
  #isChat = false;
  #meter: RequestMeter | undefined;
  /** The id of the access key that the request came with. */
  #accessKeyId: string | null = null;

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
    this.#target = readTarget(req.method ?? '', req.url ?? '');
    this.#path = pathOf(this.#target?.target ?? '');
    this.#dialect = findDialect(this.#path);
    const requestId = this.#dialect === undefined ? null : requestIdOf(this.#id);
    this.#entry = new RequestEntry(req.method ?? '', loggedPath(this.#path), requestId);
    if (this.#dialect === 'messages' && requestId !== null) res.setHeader('request-id', requestId);
  }

  handle(): void {
    const res = this.#res;
    // Once, because Node 24 emits it for pipelined responses, as the server does for the sake of Node 22.
    res.once('close', () => {
      if (res.writableFinished) this.#drain();
      else if (this.#relay === undefined) this.#entry.end = 'client-gone';
      else this.#relay.clientGone();
      this.#entry.write(this.#options.log);
      this.#finish();
    });
    res.on('error', () => undefined); // a write after the client has disconnected; `close` follows
    const refusal = this.#serve();
    if (refusal !== undefined) this.#refuse(refusal);
  }

  #finish(): void {
    const isAnswered = this.#meter?.finish() === 'answered';
    if (!isAnswered || !this.#isChat || this.#accessKeyId === null) return;
    this.#options.onEvent({ type: 'chatAnswered', id: this.#accessKeyId });
  }

  /** Serves the request, or returns the error to refuse it with. */
  #serve(): ProxyError | undefined {
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
    const route = findRoute(this.#path);
    if ('status' in route) return route;
    if (method === 'OPTIONS') {
      const preflight = origin.kind === 'allowed' ? [...this.#cors, ...preflightHeaders(raw, route.allow)] : [];
      this.#entry.started(204);
      this.#res.writeHead(204, [...allowHeader(route.allow), ...preflight]).end();
      return undefined;
    }
    if (route.kind === 'health' && this.#answersWindow(method)) return undefined;
    if (!route.allow.split(', ').includes(method)) return methodNotAllowed(route.allow, this.#dialect);
    if (route.kind !== 'health') return this.#relayRequest(route);
    const proof = proofFor(raw, this.#ownership);
    this.#entry.routine = proof.length > 0;
    if (proof[0] === REPORT_HEADER) this.#connection.usedBy(WINDOW); // it shares the secret
    this.#sendJson(200, HEALTH, [...this.#cors, ...proof]);
    return undefined;
  }

  get #ownership(): Ownership {
    return { secret: this.#state.ownership, report: this.#options.report };
  }

  /** Answers the request of a window of the same user; false for any other request. */
  #answersWindow(method: string): boolean {
    switch (windowRequest(method, this.#req.rawHeaders, this.#ownership)) {
      case 'release':
        this.#sendJson(202, '{}', ['connection', 'close']);
        this.#options.onEvent({ type: 'releaseRequested' });
        return true;
      case 'activity':
        this.#entry.routine = true;
        this.#sendJson(200, JSON.stringify(this.#options.activity.report(cursorOf(this.#target?.target ?? ''))));
        return true;
      case 'evidence':
        this.#entry.routine = true;
        this.#sendJson(200, JSON.stringify(this.#options.evidence()));
        return true;
      case 'eraseUsage':
        this.#options.eraseUsage();
        this.#sendJson(202, '{}');
        return true;
      case undefined:
        return false;
    }
  }

  #relayRequest(route: Exclude<Route, { kind: 'health' }>): ProxyError | undefined {
    const [req, res, cors, entry] = [this.#req, this.#res, this.#cors, this.#entry];
    const raw = req.rawHeaders;
    if (req.httpVersion !== '1.1') return PROXY_ERRORS.httpVersion;
    const { exchange, limits, callers, activity } = this.#options;
    const { keys } = this.#state;
    const key = keys.resolve(route.kind === 'dialect' ? dialectKey(raw) : bearerToken(raw));
    const isRefused = 'status' in key;
    this.#accessKeyId = isRefused ? null : key.accessKeyId;
    const meter = activity.begin(isRefused ? UNKNOWN : (this.#accessKeyId ?? DIRECT), entry);
    this.#meter = meter;
    if (isRefused) return key;
    this.#isChat = route.kind === 'dialect' ? route.task.name === 'reply' : this.#path === CHAT_COMPLETIONS;
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
    const relay = create({ exchange, timeouts: this.#state, onOutcome }, { req, res, place, cors, entry, meter });
    this.#relay = relay;
    relay.begin();
    return undefined;
  }

  #prepareRelay(key: UpstreamKey): Create | ProxyError {
    const { method = '', rawHeaders } = this.#req;
    const head = readRequestHead(
      { method, target: this.#target?.target ?? '', rawHeaders, keys: this.#state.keys },
      key.value,
      this.#isChat ? this.#options.cacheNamespaceRoot : null,
    );
    if ('status' in head) return head;
    const withApiKey = key.accessKeyId !== null;
    return (context, request) => new Relay(context, { ...head, ...request, withApiKey });
  }

  #prepareDialect({ dialect, task }: DialectRoute, key: UpstreamKey): Create | ProxyError {
    const head = readDialectHead(this.#req);
    if ('status' in head) return head;
    const { dialects, cacheNamespaceRoot } = this.#options;
    const { capacityWait, messagesModel, responsesModel } = this.#state;
    const model = { messages: messagesModel, responses: responsesModel }[dialect];
    const settings = { cacheNamespaceRoot, capacityWait, replacementModel: model === '' ? undefined : model };
    return (context, request) =>
      new DialectRequest(
        { ...context, ...dialects, ...settings },
        { ...request, id: this.#id, dialect, task, key, bodyLength: head.bodyLength },
      );
  }

  #refuse(error: ProxyError): void {
    this.#meter?.refuse();
    this.#entry.started(error.status);
    // A client that waits for "100 Continue" now sends no body, and the proxy could not tell a next request from one.
    const headers = this.#expects === 'nothing' ? this.#cors : [...this.#cors, 'connection', 'close'];
    const dialect = this.#dialect;
    const format = dialect === undefined ? errorBody : errorFormat(DIALECTS[dialect], requestIdOf(this.#id));
    sendError(this.#res, error, headers, format);
  }

  #sendJson(status: number, json: string, headers: readonly string[] = []): void {
    this.#entry.started(status);
    sendJson(this.#res, status, json, headers);
  }

  /** Reads and drops the rest of an upload that got its response early, for a limited time. */
  #drain(): void {
    if (this.#req.complete) return;
    const { socket } = this.#req;
    const stop = setTimeout(() => socket.destroy(), DRAIN_MS);
    stop.unref();
    this.#req.once('close', () => {
      clearTimeout(stop);
    });
  }
}

/** The number in `/health?after=NUMBER`; 0 for any other URL. */
function cursorOf(url: string): number {
  return Number(/^[^?]*\?after=(\d{1,15})$/.exec(url)?.[1] ?? 0);
}
