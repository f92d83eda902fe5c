// Talks to one of our own proxies: sends it a key only over the connection that its proof came from.
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import { parseActivity } from '../shared/activity.ts';
import type { ActivityReport } from '../shared/activity.ts';
import { parseEvidence } from '../shared/evidence.ts';
import type { Evidence } from '../shared/evidence.ts';
import { parseJson } from '../shared/json.ts';
import { REQUEST_HEADERS, makeRequest } from '../shared/ownership.ts';
import type { ProxyReport, WindowRequest } from '../shared/ownership.ts';
import { SingleSocketAgent, fetchLocal, openResponse } from './localHttp.ts';
import type { LocalResponse } from './localHttp.ts';
import { HEALTH_LIMIT, probe } from './portProbe.ts';
import type { Probe } from './portProbe.ts';

type ModelPath = '/v1/chat/completions' | '/v1/embeddings' | '/anthropic/v1/messages' | '/responses/v1/responses';

/**
 * A single connection to a port. After a successful `probe`, the program at its other end is an own proxy, and can be
 * sent a key. All other methods throw an error if no successful `probe` came before them.
 */
export class VerifiedConnection {
  readonly #agent = new SingleSocketAgent();
  readonly #port: number;
  readonly #secret: Uint8Array;
  #report: ProxyReport | undefined;

  /** @param secret the ownership secret */
  constructor(port: number, secret: Uint8Array) {
    this.#port = port;
    this.#secret = secret;
  }

  async probe(): Promise<Probe> {
    const found = await probe(this.#port, this.#secret, this.#agent);
    this.#report = found.kind === 'own' ? found.report : undefined;
    return found;
  }

  /**
   * `GET /v1/models` as a check, with an access key or an API key.
   * @param limit milliseconds
   * @throws Error with the code `ETIMEDOUT` after `limit`
   */
  async askModels(key: string, limit: number, signal: AbortSignal): Promise<LocalResponse> {
    const headers = { authorization: `Bearer ${key}`, ...this.#headersFor('check') };
    return this.#fetch({ path: '/v1/models', headers, signal }, limit);
  }

  /** `POST` with an access key. Resolves with the head of the response; the caller reads the body. */
  async post(path: ModelPath, accessKey: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    this.#requireReport();
    return this.#open(path, accessKey, body, signal);
  }

  /** The same as a check, which is not a use of the key. */
  async check(path: ModelPath, accessKey: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#open(path, accessKey, body, signal, this.#headersFor('check'));
  }

  #open(path: ModelPath, accessKey: string, body: string, signal: AbortSignal, more = {}): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${accessKey}`, 'content-type': 'application/json', ...more };
    return openResponse({ port: this.#port, method: 'POST', path, headers, body, signal, agent: this.#agent });
  }

  /** Asks the proxy to release its port, as its own window would. */
  async askForPort(): Promise<void> {
    const headers = this.#headersFor('release');
    await this.#fetch({ method: 'POST', path: '/health', headers });
  }

  /**
   * The proxy's requests.
   * @param cursor of the previous report; 0 for all that the proxy keeps
   * @throws Error also if the response is not such a report, for example from an older proxy
   */
  async activity(cursor: number): Promise<ActivityReport> {
    const headers = this.#headersFor('activity');
    const { body } = await this.#fetch({ path: `/health?after=${cursor}`, headers });
    const activity = parseActivity(body);
    if (activity === undefined) throw new Error('The proxy did not send its requests');
    return activity;
  }

  /**
   * The evidence of the live session, or of the last handshake that got a document; null if none did.
   * @throws Error also if the response is not evidence
   */
  async evidence(): Promise<Evidence | null> {
    const headers = this.#headersFor('evidence');
    const value = parseJson((await this.#fetch({ path: '/health', headers })).body);
    if (value === null) return null;
    const evidence = parseEvidence(value);
    if (evidence === undefined) throw new Error('The proxy did not send evidence');
    return evidence;
  }

  /** The proxy forgets the sums that it has not sent to its window yet. */
  async eraseUsage(): Promise<void> {
    const headers = this.#headersFor('eraseUsage');
    await this.#fetch({ method: 'POST', path: '/health', headers });
  }

  end(): void {
    this.#agent.destroy();
  }

  async #fetch(request: ClientRequestArgs, limit = HEALTH_LIMIT): Promise<LocalResponse> {
    return fetchLocal({ ...request, port: this.#port, agent: this.#agent }, limit);
  }

  /**
   * The header which proves that this request comes from a window that shares the secret.
   * @throws Error before the proxy was authenticated
   */
  #headersFor(request: WindowRequest): Readonly<Record<string, string>> {
    return { [REQUEST_HEADERS[request]]: makeRequest(request, this.#secret, this.#requireReport()) };
  }

  #requireReport(): ProxyReport {
    if (this.#report === undefined) throw new Error('The proxy has not been authenticated');
    return this.#report;
  }
}

/** Calls `act` with a connection to the own proxy on the port. Rejects if none responds. */
export async function withConnection<Result>(
  port: number,
  secret: Uint8Array,
  act: (connection: VerifiedConnection) => Promise<Result>,
): Promise<Result> {
  const connection = new VerifiedConnection(port, secret);
  try {
    if ((await connection.probe()).kind !== 'own') throw new Error('The proxy does not respond');
    return await act(connection);
  } finally {
    connection.end();
  }
}

/** Whether a refusal is the proxy's own: it names itself when it refuses a key. Otherwise the backend has refused one. */
export function isFromProxy({ headers }: Pick<LocalResponse, 'headers'>): boolean {
  return headers['www-authenticate']?.includes('sealed-proxy') === true;
}

/** The ids in a model list, or undefined if `body` is not one. */
export function modelIds(body: string): string[] | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    return data.map((model: { id?: unknown } | null) => model?.id).filter((id) => typeof id === 'string');
  } catch {
    return undefined;
  }
}
