// Talks to the program on a local port: finds out whether it is one of our own proxies, and only then sends it a key,
// over the connection that the proof came from.
import type { Agent, ClientRequestArgs, IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parseActivity } from '../shared/activity.ts';
import type { ActivityReport } from '../shared/activity.ts';
import { parseEvidence } from '../shared/evidence.ts';
import type { Evidence } from '../shared/evidence.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import { CHALLENGE_HEADER, REPORT_HEADER, REQUEST_HEADERS, WINDOW_HEADER } from '../shared/ownership.ts';
import { authenticateChallenge, makeChallenge, makeRequest, openReport } from '../shared/ownership.ts';
import type { ProxyReport, WindowRequest } from '../shared/ownership.ts';
import { SingleSocketAgent, fetchLocal, openResponse } from './localHttp.ts';
import type { LocalResponse } from './localHttp.ts';
import type { PortHolder } from './portHold.ts';

const HEALTH_LIMIT = 3000;
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS = 100;

type ModelPath = '/v1/chat/completions' | '/v1/embeddings' | '/anthropic/v1/messages' | '/responses/v1/responses';

/** What is on a port. */
export type Probe =
  /** Nothing listens. */
  | { readonly kind: 'free' }
  /** A proxy with our ownership secret. */
  | { readonly kind: 'own'; readonly report: ProxyReport }
  /** It accepts connections and does not respond: another program, or an own proxy that is suspended. */
  | { readonly kind: 'unresponsive' }
  /**
   * It responds without a valid proof. `isSealedProxy`: it says that it is a Sealed Proxy, of another editor or computer.
   * Any program can say so: only the text for the user depends on it.
   */
  | { readonly kind: 'foreign'; readonly isSealedProxy: boolean }
  /** Nothing listens, and a proxy cannot listen either: see portHold.ts. */
  | { readonly kind: 'held'; readonly by: PortHolder };

const FOREIGN: Probe = { kind: 'foreign', isSealedProxy: false };

/**
 * Finds out what is on the port. The request contains a random challenge, its authentication code and no secret.
 * @param secret the ownership secret
 */
export async function probe(port: number, secret: Uint8Array, agent?: Agent): Promise<Probe> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probeOnce(port, secret, agent);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return { kind: 'free' };
      if (code === 'ETIMEDOUT') return { kind: 'unresponsive' };
      // A proxy that is ending resets connections it has not accepted yet: try again.
      if (code !== 'ECONNRESET' || attempt === ATTEMPTS) return FOREIGN;
      await setTimeout(BETWEEN_ATTEMPTS);
    }
  }
}

async function probeOnce(port: number, secret: Uint8Array, agent: Agent | undefined): Promise<Probe> {
  const challenge = makeChallenge();
  const headers = {
    [CHALLENGE_HEADER]: challenge,
    [WINDOW_HEADER]: authenticateChallenge(secret, challenge, port),
  };
  const { headers: answer, body } = await fetchLocal({ port, path: '/health', headers, agent }, HEALTH_LIMIT);
  const sealed = answer[REPORT_HEADER];
  const report = typeof sealed === 'string' ? openReport(secret, challenge, port, sealed) : undefined;
  if (report !== undefined) return { kind: 'own', report };
  return { kind: 'foreign', isSealedProxy: fieldsOf(parseJson(body))['service'] === 'sealed-proxy' };
}

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
   * `GET /v1/models` with an access key.
   * @param limit milliseconds
   * @throws Error with the code `ETIMEDOUT` after `limit`
   */
  async askModels(accessKey: string, limit: number, signal: AbortSignal): Promise<LocalResponse> {
    this.#requireReport();
    const headers = { authorization: `Bearer ${accessKey}` };
    return this.#fetch({ path: '/v1/models', headers, signal }, limit);
  }

  /** `POST` with an access key. Resolves with the head of the response; the caller reads the body. */
  async post(path: ModelPath, accessKey: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    this.#requireReport();
    const headers = { authorization: `Bearer ${accessKey}`, 'content-type': 'application/json' };
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
   * @throws Error also if the response is not evidence, for example from an older proxy
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

/** Whether this response to a request for the models refuses the key. */
export function isKeyRefusal({ status }: Pick<LocalResponse, 'status'>): boolean {
  return status === 401 || status === 403;
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
