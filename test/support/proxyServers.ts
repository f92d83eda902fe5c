// The proxy's own HTTP server in this process, with real connections and a backend that the test scripts.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { RequestFailure } from '../../src/proxy/backend/connectionReport.ts';
import { ModelLists } from '../../src/proxy/dialects/modelLists.ts';
import { Translator } from '../../src/proxy/dialects/translationThread.ts';
import { RequestLimits } from '../../src/proxy/relay/requestLimits.ts';
import { AccessKeys } from '../../src/proxy/server/accessKeys.ts';
import { Callers } from '../../src/proxy/server/callers.ts';
import { ClientLimits } from '../../src/proxy/server/clientLimits.ts';
import type { KeyLimits } from '../../src/proxy/server/clientLimits.ts';
import type { ServerOptions, ServerState } from '../../src/proxy/server/localRequest.ts';
import type { NotReady } from '../../src/proxy/server/readiness.ts';
import { createProxyServer } from '../../src/proxy/server/server.ts';
import type { ProxyServer } from '../../src/proxy/server/server.ts';
import { Shutdown } from '../../src/proxy/server/shutdown.ts';
import type { TlsIdentity } from '../../src/proxy/server/tls.ts';
import { ActivityLog } from '../../src/proxy/usage/activityLog.ts';
import { MAX_BODY } from '../../src/session/wire.ts';
import { accessKeyId } from '../../src/shared/accessKeys.ts';
import type { RequestRecord } from '../../src/shared/activity.ts';
import { BODY_LIMITS } from './bodyLimits.ts';
import { RawConnection } from './e2e/rawHttp.ts';
import type { RawResponse } from './e2e/rawHttp.ts';
import type { ResponseHalf } from './enclaveHalf.ts';
import { FakeBackend, RECORDS } from './exchanges.ts';
import type { FakeCall } from './fakeTransport.ts';
import { logAt } from './logs.ts';
import { aReport } from './reports.ts';
import { DEADLINE, eventually, withTimeout } from './withTimeout.ts';

export const API_KEY = 'sk-of-the-proxy';
export const ACCESS_KEY = `sealed-${'k'.repeat(43)}`;
export const ACCESS_KEY_ID = accessKeyId(ACCESS_KEY);

interface ServerChange {
  readonly state?: Partial<ServerState>;
  /** The limits of the access key. */
  readonly limits?: KeyLimits;
  readonly tls?: TlsIdentity;
  /** By default, one that has a session. */
  readonly backend?: FakeBackend;
}

/** What a client sends; by default a GET with the access key. */
interface ClientRequest {
  readonly method?: string;
  readonly path: string;
  /** Lines of the head. */
  readonly headers?: readonly string[];
  readonly key?: string | null;
  readonly body?: string;
}

export class ServerUnderTest {
  readonly secret = randomBytes(32);
  readonly backend: FakeBackend;
  readonly records: RequestRecord[] = [];
  readonly events: Parameters<ServerOptions['onEvent']>[0][] = [];
  readonly outcomes: (RequestFailure | null)[] = [];
  readonly usage: string[] = [];
  readonly shutdown = new Shutdown();
  readonly limits = new RequestLimits(10 * MAX_BODY);
  /** Each line that the proxy has written. */
  readonly lines: ReturnType<typeof logAt>['lines'];
  notReady: NotReady | null = null;
  readonly #local: ProxyServer;
  readonly #connections: RawConnection[] = [];

  private constructor(backend: FakeBackend, change: ServerChange) {
    this.backend = backend;
    const { log, lines } = logAt('debug');
    this.lines = lines;
    const keyLimits = new Map(change.limits === undefined ? [] : [[ACCESS_KEY_ID, change.limits]]);
    const clientNames = new Map([[ACCESS_KEY_ID, 'alice']]);
    const state: ServerState = {
      keys: new AccessKeys(API_KEY, [ACCESS_KEY], undefined, { clientNames, keyLimits }),
      cacheNamespaceRoot: new Uint8Array(32).fill(7),
      allowedHosts: ['proxy.example'],
      allowedOrigins: [(origin) => origin === 'https://app.example'],
      requestTimeout: 300_000,
      streamIdleTimeout: 300_000,
      capacityWait: 0,
      messagesModel: '',
      responsesModel: '',
      ownership: this.secret,
      ...change.state,
    };
    const options: ServerOptions = {
      tls: change.tls,
      boundTo: '127.0.0.1',
      exchange: backend,
      state: () => state,
      report: () => aReport(this.port),
      readiness: () => this.notReady,
      shutdown: this.shutdown,
      onOutcome: (failure) => this.outcomes.push(failure),
      onEvent: (event) => this.events.push(event),
      limits: this.limits,
      bodyLimits: BODY_LIMITS,
      callers: new Callers(),
      clientLimits: new ClientLimits(backend.clock),
      activity: new ActivityLog('instance', (record) => this.records.push(record)),
      clock: backend.clock,
      evidence: () => null,
      usage: { erase: () => this.usage.push('erase'), flush: () => this.usage.push('flush') },
      dialects: {
        models: new ModelLists(() => 0),
        translator: new Translator({ threadFile: '', memory: MAX_BODY }), // short requests need no thread
      },
      log,
    };
    this.#local = createProxyServer(options);
  }

  static async open(change: ServerChange = {}): Promise<ServerUnderTest> {
    const server = new ServerUnderTest(change.backend ?? (await FakeBackend.ready()), change);
    server.#local.server.listen(0, '127.0.0.1');
    await once(server.#local.server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#local.server.address() as AddressInfo).port;
  }

  async connect(options?: Parameters<typeof RawConnection.open>[1]): Promise<RawConnection> {
    const connection = await RawConnection.open(this.port, options);
    this.#connections.push(connection);
    return connection;
  }

  /** The head and the body of a request. */
  text({ method = 'GET', path, headers = [], key = ACCESS_KEY, body }: ClientRequest): string {
    const hasHost = headers.some((line) => line.toLowerCase().startsWith('host:'));
    const lines = [
      `${method} ${path} HTTP/1.1`,
      ...(hasHost ? [] : [`Host: 127.0.0.1:${this.port}`]),
      ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
      ...headers,
      ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ];
    return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
  }

  /** Sends a request on a new connection. */
  async send(request: ClientRequest): Promise<RawConnection> {
    const connection = await this.connect();
    connection.send(this.text(request));
    return connection;
  }

  /** Sends a request that the proxy itself answers, and returns its answer. */
  async ask(request: ClientRequest): Promise<RawResponse> {
    const connection = await this.send(request);
    const response = await connection.readResponse();
    connection.destroy();
    return response;
  }

  /** Sends a chat with this key, which the backend gets. */
  async chat(change: Partial<ClientRequest> = {}): Promise<{ connection: RawConnection; call: FakeCall }> {
    const body = '{"model":"m"}';
    const connection = await this.send({ method: 'POST', path: '/v1/chat/completions', body, ...change });
    return { connection, call: await this.backend.transport.next('the request') };
  }

  /** Waits until so many requests that need a key are over. */
  async recorded(count = 1): Promise<void> {
    await eventually('the end of the requests', () => this.records.length === count);
  }

  /** Begins to answer a call, and returns the sealer for the rest. */
  async begin(call: FakeCall, ...start: Parameters<ResponseHalf['start']>): Promise<ResponseHalf> {
    const response = await this.backend.respond(call);
    call.begin(200, RECORDS);
    call.handler.onData(response.start(...start));
    return response;
  }

  /** Answers a call completely. */
  async answer(call: FakeCall, status = 200, body = '{}'): Promise<void> {
    const response = await this.backend.respond(call);
    call.respond(200, RECORDS, response.start(status), response.chunk(body), response.end());
  }

  /** Stops listening, as a proxy that ends. Resolves when all its requests are over. */
  async stop(isShared = true): Promise<void> {
    await this.#local.close(isShared);
    await withTimeout('the end of all requests', DEADLINE, this.#local.ended());
  }

  /** Cuts off what is running. */
  cutOff(): void {
    this.#local.server.closeAllConnections();
  }

  setTls(identity: TlsIdentity): void {
    this.#local.setTls(identity);
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    if (this.#local.server.listening) await this.stop();
  }
}
