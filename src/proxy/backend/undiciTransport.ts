// The connections to the backend: undici over HTTP/1.1, without its own time limits, redirects or retries.
import './informationalResponses.ts';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, EnvHttpProxyAgent, Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type {
  Transport,
  UpstreamCall,
  UpstreamHandler,
  UpstreamHead,
  UpstreamRequest,
} from '../../session/transport.ts';
import { readProxyUrl } from '../../settings/proxyConfig.ts';
import type { Backend } from '../../settings/rules.ts';
import type { NetworkSettings } from '../../shared/messages.ts';

type Controller = Dispatcher.DispatchController;
type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** The relay sets the time limits, not the library. */
const NO_LIMITS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
  pipelining: 1,
  // Long enough for the pauses of a conversation, and shorter than the idle timeout of servers: a request that meets a
  // closing connection must not be sent again.
  keepAliveTimeout: 20_000,
} as const;

/**
 * The time limit for opening a connection, in milliseconds, also if no request waits for it any more. Longer than a
 * handshake may take, so that an unresponsive backend is a timeout and not a network error.
 */
const CONNECT_LIMIT = 35_000;

/**
 * The connections to one origin, or to any origin if `origin` is null. They use the HTTP proxy that the settings or the
 * environment name, but never for an address of this computer.
 * @throws ConfigError for an HTTP proxy with an unusable address
 */
export function createDispatcher(origin: string | null, loopback: boolean, network: NetworkSettings = {}): Dispatcher {
  const { noProxy } = network;
  const httpsProxy = readProxyUrl(network, process.env);
  const connect = { timeout: CONNECT_LIMIT, ...tlsOptions(network) };
  const options = { ...NO_LIMITS, connect };
  if (loopback || httpsProxy === '') return origin === null ? new Agent(options) : new Pool(origin, options);
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (proxy, more) => new Pool(proxy, { ...more, headersTimeout: CONNECT_LIMIT }), // for CONNECT requests
    httpProxy: httpsProxy,
    httpsProxy,
    ...(noProxy === undefined ? {} : { noProxy }),
  });
}

function tlsOptions({ strictTls = true, certificates = [], systemCertificates = false }: NetworkSettings) {
  if (certificates.length === 0 && !systemCertificates) return { rejectUnauthorized: strictTls };
  const system = systemCertificates ? getCACertificates('system') : [];
  const ca = [...getCACertificates('default'), ...system, ...certificates];
  return { rejectUnauthorized: strictTls, secureContext: createSecureContext({ ca }) };
}

export class UndiciTransport implements Transport {
  readonly #backend: Backend;
  readonly #network: NetworkSettings;
  #dispatcher: Dispatcher;

  constructor(backend: Backend, network: NetworkSettings = {}) {
    this.#backend = backend;
    this.#network = network;
    this.#dispatcher = this.#connect();
  }

  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall {
    const call = new DispatchedCall(handler);
    const { origin, basePath } = this.#backend;
    const { method, body, length } = request;
    // undici compares the body with this length, and breaks the connection if they differ.
    const headers =
      length === undefined ? [...request.headers] : [...request.headers, 'content-length', String(length)];
    const options = { origin, path: basePath + request.path, method, headers };
    try {
      // undici accepts async iterables; its documentation says so, but its types do not.
      this.#dispatcher.dispatch({ ...options, body: body as Uint8Array }, call);
    } catch (error) {
      call.onResponseError(undefined, error);
    }
    return call;
  }

  /** Opens new connections for further requests; running requests keep theirs. */
  renew(): void {
    const previous = this.#dispatcher;
    this.#dispatcher = this.#connect();
    previous.close().catch(() => undefined); // each request reports its own error
  }

  /** Ends every connection at once. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  #connect(): Dispatcher {
    return createDispatcher(this.#backend.origin, this.#backend.loopback, this.#network);
  }
}

const CANCELLED = new Error('cancelled');

class DispatchedCall implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #handler: UpstreamHandler;
  #controller: Controller | undefined;
  #cancelled = false;
  #paused = false;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#controller?.abort(CANCELLED);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#controller?.resume();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#cancelled) controller.abort(CANCELLED);
    else if (this.#paused) controller.pause();
  }

  onResponseStart(_controller: Controller, status: number, headers: RawHeaders): void {
    if (this.#cancelled || status < 200) return; // informational responses precede the final one
    this.#handler.onHead(toHead(status, headers));
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (!this.#cancelled) this.#handler.onData(chunk);
  }

  onResponseEnd(): void {
    if (!this.#cancelled) this.#handler.onEnd();
  }

  onResponseError(_controller: Controller | undefined, error: unknown): void {
    if (this.#controller !== undefined) {
      this.#fail(error);
    } else {
      // undici may report this before `dispatch` has returned.
      queueMicrotask(() => {
        this.#fail(error);
      });
    }
  }

  #fail(error: unknown): void {
    if (!this.#cancelled) this.#handler.onError(error);
  }
}

function toHead(status: number, headers: RawHeaders): UpstreamHead {
  return {
    status,
    values(name) {
      const value = headers[name] ?? [];
      return typeof value === 'string' ? [value] : value;
    },
  };
}
