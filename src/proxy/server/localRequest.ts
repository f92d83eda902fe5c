// One request of a local client: the guard, the routes, and the answers that need no backend.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeMetadata, isCredential, isTarget } from '../../session/envelope.ts';
import { SessionError } from '../../session/errors.ts';
import type { ExchangeContext } from '../../session/exchange.ts';
import type { AttestationResult } from '../../session/handshake.ts';
import { MAX_BODY, MAX_REQUEST_HEADERS, MAX_TARGET } from '../../session/wire.ts';
import type { OriginPattern } from '../../settings/origins.ts';
import type { ProxyReport } from '../../shared/ownership.ts';
import { DIRECT, UNKNOWN } from '../../shared/usage.ts';
import { VERSION } from '../../shared/version.ts';
import type { AccessKeys, Credential } from './accessKeys.ts';
import { sendError, sendJson } from '../http/errorResponses.ts';
import type { RequestFailure } from '../backend/connectionReport.ts';
import { bearerToken, corsHeaders, isOwnHost, judgeOrigin, preflightHeaders } from './guard.ts';
import { requestHeaders, singleValue } from '../http/headers.ts';
import type { RequestLimits } from '../relay/requestLimits.ts';
import type { Log } from '../log.ts';
import { PROXY_ERRORS, methodNotAllowed } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';
import { proofFor, windowRequest } from './windowRequests.ts';
import type { Ownership } from './windowRequests.ts';
import { Relay } from '../relay/relay.ts';
import type { Timeouts } from '../relay/relay.ts';
import { RequestEntry } from '../relay/requestLog.ts';
import type { RequestMeter, UsageTally } from '../usage/usageTally.ts';

/** What the server asks for anew with each request, so that it can change while it runs. */
export interface ServerState extends Timeouts {
  readonly keys: AccessKeys;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly OriginPattern[];
  /** Shared with the windows that may ask whose proxy this is; null where nobody may. */
  readonly ownership: Uint8Array | null;
}

export interface ServerOptions {
  readonly boundTo: string;
  readonly cacheNamespaceRoot: Uint8Array;
  readonly exchange: ExchangeContext<AttestationResult>;
  readonly state: () => ServerState;
  /** What the proxy says of itself to those who share its secret. */
  readonly report: () => ProxyReport;
  /** How relayed requests went: null = well. */
  readonly onOutcome: (failure: RequestFailure | null) => void;
  /** Another window of the same person asks for the port. */
  readonly onRelease: () => void;
  /** A chat with the access key of this id was answered whole. */
  readonly onChatAnswered: (id: string) => void;
  readonly usage: UsageTally;
  readonly log: Log;
}

/** What the `expect` header asks for before the body is sent (RFC 9110 section 10.1.1). */
export type Expectation = 'nothing' | 'continue' | 'unknown';

type Route = { readonly kind: 'health' | 'relayed'; readonly allow: string };

const CHAT_COMPLETIONS = '/v1/chat/completions';
const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { kind: 'health', allow: 'GET, HEAD' }],
  ['/health', { kind: 'health', allow: 'GET, HEAD' }],
  ['/v1/models', { kind: 'relayed', allow: 'GET' }],
  [CHAT_COMPLETIONS, { kind: 'relayed', allow: 'POST' }],
  ['/v1/embeddings', { kind: 'relayed', allow: 'POST' }],
]);
const HEALTH = JSON.stringify({ status: 'ok', service: 'sealed-proxy', version: VERSION });

/** What the log says in the place of a path that is not served: people mistype, and paste keys into the wrong place. */
export const OTHER_PATH = 'other';
/** How long the rest of an upload is read and dropped after its answer, so that the client gets to read it. */
const DRAIN_MS = 10_000;

/** One request, judged in the order: host, origin, path, method, key, size. */
export class LocalRequest {
  readonly #options: ServerOptions;
  readonly #load: RequestLimits;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #expects: Expectation;
  readonly #state: ServerState;
  readonly #path: string;
  readonly #entry: RequestEntry;
  #cors: readonly string[] = [];
  #relay: Relay | undefined;
  #meter: RequestMeter | undefined;
  /** The id of its access key. */
  #accessKeyId: string | undefined;

  constructor(
    options: ServerOptions,
    load: RequestLimits,
    req: IncomingMessage,
    res: ServerResponse,
    expects: Expectation,
  ) {
    this.#options = options;
    this.#load = load;
    this.#req = req;
    this.#res = res;
    this.#expects = expects;
    this.#state = options.state();
    const target = req.url ?? '';
    const queryAt = target.indexOf('?');
    this.#path = queryAt === -1 ? target : target.slice(0, queryAt);
    this.#entry = new RequestEntry(req.method ?? '', ROUTES.has(this.#path) ? this.#path : OTHER_PATH);
  }

  handle(): void {
    const res = this.#res;
    res.on('close', () => {
      if (res.writableFinished) this.#drain();
      else if (this.#relay === undefined) this.#entry.end = 'client-gone';
      else this.#relay.clientGone();
      this.#entry.write(this.#options.log);
      this.#finish();
    });
    res.on('error', () => undefined); // a write that raced with the client's leaving; `close` follows
    const refusal = this.#serve();
    if (refusal !== undefined) this.#refuse(refusal);
  }

  #finish(): void {
    const isAnswered = this.#meter?.finish(this.#entry) === 'answered';
    if (!isAnswered || this.#path !== CHAT_COMPLETIONS || this.#accessKeyId === undefined) return;
    this.#options.onChatAnswered(this.#accessKeyId);
  }

  /** Serves the request, or says why not. */
  #serve(): ProxyError | undefined {
    const { rawHeaders: raw, method = '' } = this.#req;
    const { boundTo } = this.#options;
    const { allowedHosts, allowedOrigins } = this.#state;
    if (!isOwnHost(raw, { boundTo, allowed: allowedHosts })) return PROXY_ERRORS.foreignHost;
    const origin = judgeOrigin(raw, allowedOrigins);
    if (origin.kind === 'refused') return PROXY_ERRORS.foreignOrigin;
    if (origin.kind === 'allowed') this.#cors = corsHeaders(origin.origin);
    if (this.#expects === 'unknown') return PROXY_ERRORS.expectation;
    const route = ROUTES.get(this.#path);
    if (route === undefined) {
      return this.#path.startsWith('/v1/models/') ? PROXY_ERRORS.noSuchModelRoute : PROXY_ERRORS.noSuchPath;
    }
    if (origin.kind === 'allowed' && method === 'OPTIONS') {
      this.#entry.started(204);
      this.#res.writeHead(204, [...this.#cors, ...preflightHeaders(raw, route.allow)]).end();
      return undefined;
    }
    if (route.kind === 'health' && this.#answersWindow(method)) return undefined;
    if (!route.allow.split(', ').includes(method)) return methodNotAllowed(route.allow);
    if (route.kind === 'relayed') return this.#relayRequest(method);
    const proof = proofFor(raw, this.#ownership);
    this.#entry.routine = proof.length > 0;
    this.#entry.started(200);
    sendJson(this.#res, 200, HEALTH, [...this.#cors, ...proof]);
    return undefined;
  }

  get #ownership(): Ownership {
    return { secret: this.#state.ownership, report: this.#options.report };
  }

  /** Answers the request of a window of ours; false if it is none. */
  #answersWindow(method: string): boolean {
    switch (windowRequest(method, this.#req.rawHeaders, this.#ownership)) {
      case 'release':
        this.#entry.started(202);
        sendJson(this.#res, 202, '{}', ['connection', 'close']);
        this.#options.onRelease();
        return true;
      case 'usage':
        this.#entry.routine = true;
        this.#entry.started(200);
        sendJson(this.#res, 200, JSON.stringify(this.#options.usage.report()));
        return true;
      case undefined:
        return false;
    }
  }

  #relayRequest(method: string): ProxyError | undefined {
    const { rawHeaders: raw, url: target = '' } = this.#req;
    if (this.#req.httpVersion !== '1.1') return PROXY_ERRORS.httpVersion;
    const credential = this.#credential(raw);
    const isKnown = 'kind' in credential;
    this.#accessKeyId = isKnown ? (credential.accessKeyId ?? undefined) : undefined;
    const meter = this.#options.usage.begin(isKnown ? (credential.accessKeyId ?? DIRECT) : UNKNOWN);
    this.#meter = meter;
    if (!isKnown) return credential;
    if (target.length > MAX_TARGET) return PROXY_ERRORS.targetTooLong;
    if (!isTarget(target)) return PROXY_ERRORS.badTarget;
    const headers = requestHeaders(raw);
    if (headers.length > MAX_REQUEST_HEADERS) return PROXY_ERRORS.tooManyHeaders;
    const announced = singleValue(raw, 'content-length');
    const coding = singleValue(raw, 'transfer-encoding');
    const chunked = coding !== undefined;
    if (chunked && coding?.toLowerCase() !== 'chunked') return PROXY_ERRORS.badRequest; // its body would stay encoded
    const bodyLength = chunked ? undefined : Number(announced ?? 0);
    if (bodyLength !== undefined && bodyLength > MAX_BODY) return PROXY_ERRORS.bodyTooLarge;
    const root = this.#path === CHAT_COMPLETIONS ? this.#options.cacheNamespaceRoot : null;
    const bodyPresent = chunked || announced !== undefined;
    let metadata: Uint8Array;
    try {
      metadata = encodeMetadata({
        credential: credential.value,
        cacheNamespaceRoot: root,
        method,
        target,
        headers,
        bodyPresent,
      });
    } catch (error) {
      if (error instanceof SessionError) return PROXY_ERRORS.tooManyHeaders;
      throw error;
    }
    if (this.#load.full) return PROXY_ERRORS.busy;
    if (this.#expects === 'continue') this.#res.writeContinue();
    const { exchange, onOutcome } = this.#options;
    const [req, res, cors, entry] = [this.#req, this.#res, this.#cors, this.#entry];
    this.#relay = new Relay(
      { exchange, load: this.#load, timeouts: this.#state, onOutcome },
      { req, res, metadata, bodyLength, withApiKey: credential.accessKeyId !== null, cors, entry, meter },
    );
    this.#relay.begin();
    return undefined;
  }

  /** The key that the request travels with, or the refusal. */
  #credential(raw: readonly string[]): Extract<Credential, { kind: 'upstream-key' }> | ProxyError {
    const bearer = bearerToken(raw);
    if (bearer === undefined) return PROXY_ERRORS.noKey;
    if (!isCredential(bearer)) return PROXY_ERRORS.badKey;
    const resolved = this.#state.keys.resolve(bearer);
    switch (resolved.kind) {
      case 'upstream-key':
        return resolved;
      case 'unknown-access-key':
        return PROXY_ERRORS.unknownAccessKey;
      case 'no-api-key':
        return PROXY_ERRORS.noApiKey;
    }
  }

  #refuse(error: ProxyError): void {
    this.#meter?.refuse();
    this.#entry.started(error.status);
    // A client that waits for "100 Continue" sends no body now, and one more request behind it could not be told apart.
    sendError(this.#res, error, this.#expects === 'nothing' ? this.#cors : [...this.#cors, 'connection', 'close']);
  }

  /** What is left of an upload that was answered before its end is read and dropped, for a while. */
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
