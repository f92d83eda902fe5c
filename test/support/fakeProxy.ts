// A fake proxy, with the responses that a test wants and, unless switched off, a valid proof.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proofFor } from '../../src/proxy/server/windowRequests.ts';
import { REQUEST_HEADERS, isRequest } from '../../src/shared/ownership.ts';
import type { ProxyReport } from '../../src/shared/ownership.ts';
import { EventQueue } from './e2e/eventQueue.ts';
import { aReport } from './reports.ts';

export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<Listening> {
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Models = (request: IncomingMessage, response: ServerResponse) => void;

/** Responds with this status and body. */
export const respondWith =
  (status: number, body = '', headers: Record<string, string> = {}): Models =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

export class FakeProxy {
  readonly port: number;
  readonly close: () => Promise<void>;
  /** Path and bearer token of each request. */
  readonly requests = new EventQueue<{ readonly path: string; readonly authorization: string | undefined }>();
  readonly #secret: Uint8Array;
  /** Responds to `GET /v1/models`. */
  models: Models = respondWith(200, '{"data":[{"id":"a"},{"id":"b"}]}');
  report: Partial<ProxyReport> = {};
  /** It has released its port, because a request with a valid code asked for it. */
  released = false;
  /** Another window's proxy takes the port as soon as this one has released it. */
  hasSuccessor = false;
  /** False: it sends no proof. */
  proves = true;
  /** True: it does not answer probes. */
  hangs = false;

  static async start(secret: Uint8Array, port = 0): Promise<FakeProxy> {
    const server = createServer();
    const fake = new FakeProxy(secret, await listen(server, port));
    server.on('request', (request, response) => {
      fake.#respond(request, response);
    });
    return fake;
  }

  private constructor(secret: Uint8Array, listening: Listening) {
    this.#secret = secret;
    this.port = listening.port;
    this.close = () => listening.close();
  }

  /** The number of requests for the models. */
  get modelRequests(): number {
    return this.requests.items.filter(({ path }) => path === '/v1/models').length;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = '', headers } = request;
    this.requests.add({ path, authorization: headers.authorization });
    if (path === '/v1/models') {
      this.models(request, response);
      return;
    }
    const release = headers[REQUEST_HEADERS.release];
    if (request.method === 'POST' && typeof release === 'string') {
      this.released = isRequest('release', this.#secret, aReport(this.port, this.report), release);
      if (this.hasSuccessor) this.report = { ...this.report, instance: 'successor' };
      response.writeHead(202).end('{}', () => void (this.hasSuccessor || this.close()));
      return;
    }
    if (this.hangs) return;
    const report = aReport(this.port, this.report);
    const [name, value] = proofFor(request.rawHeaders, { secret: this.#secret, report: () => report });
    if (this.proves && name !== undefined && value !== undefined) response.setHeader(name, value);
    response.end('{"service":"sealed-proxy"}');
  }
}
