// Asking the program on a port: whether it is a proxy of ours, and what the backend says through it. A key goes only to
// where a proof came from: over the same connection.
import { Agent, ClientRequest } from 'node:http';
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { CHALLENGE_HEADER, PROOF_HEADER, RELEASE_HEADER, USAGE_HEADER } from '../shared/ownership.ts';
import { checkProof, makeChallenge, makeRelease, makeUsageRequest } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import { parseUsage } from '../shared/usage.ts';
import type { UsageReport } from '../shared/usage.ts';

const HOST = '127.0.0.1';
const HEALTH_LIMIT = 3000;
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS = 100;
/** The proof holds the attestation document, twice encoded. In bytes. */
const MAX_HEAD = 128 * 1024;
/** In characters. Whoever is on the port could send for ever. */
const MAX_BODY = 4 * 1024 * 1024;

export type Probe =
  | { readonly kind: 'free' }
  | { readonly kind: 'ours'; readonly report: ProxyReport }
  /** Somebody accepts connections and says nothing: a stranger, or one of ours that is stopped. */
  | { readonly kind: 'silent' }
  /** Somebody answers who is not ours. */
  | { readonly kind: 'stranger' };

/** Asks the port whose it is. The request carries a random challenge and nothing else. */
export async function probe(port: number, secret: Uint8Array, agent?: Agent): Promise<Probe> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probeOnce(port, secret, agent);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return { kind: 'free' };
      if (code === 'ETIMEDOUT') return { kind: 'silent' };
      // A proxy that is just ending cuts off what has not been accepted yet: the next look tells.
      if (code !== 'ECONNRESET' || attempt === ATTEMPTS) return { kind: 'stranger' };
      await setTimeout(BETWEEN_ATTEMPTS);
    }
  }
}

async function probeOnce(port: number, secret: Uint8Array, agent: Agent | undefined): Promise<Probe> {
  const challenge = makeChallenge();
  const headers = { [CHALLENGE_HEADER]: challenge };
  const answer = await ask({ port, path: '/health', headers, limit: HEALTH_LIMIT, ...(agent && { agent }) });
  const proof = answer.headers[PROOF_HEADER];
  const report = typeof proof === 'string' ? checkProof(secret, challenge, port, proof) : undefined;
  return report === undefined ? { kind: 'stranger' } : { kind: 'ours', report };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Complete = (error: Error | null, connection: Duplex) => void;

/** Makes one connection, and no other when that one is gone. */
class SingleSocketAgent extends Agent {
  #made = false;

  constructor() {
    super({ keepAlive: true, maxSockets: 1 });
  }

  override createConnection(options: ClientRequestArgs, complete?: Complete): Duplex | null | undefined {
    if (!this.#made) {
      this.#made = true;
      return super.createConnection(options, complete);
    }
    const error = Object.assign(new Error('The connection has ended'), { code: 'ECONNRESET' });
    complete?.(error, undefined as unknown as Duplex); // Node's own callers look at the error alone
    return undefined;
  }
}

/** One connection to a port. Whoever has proved on it to be ours may be told a key: nobody else can be at its end. */
export class VerifiedConnection {
  readonly #agent = new SingleSocketAgent();
  readonly #port: number;
  readonly #secret: Uint8Array;
  #report: ProxyReport | undefined;

  constructor(port: number, secret: Uint8Array) {
    this.#port = port;
    this.#secret = secret;
  }

  async probe(): Promise<Probe> {
    const found = await probe(this.#port, this.#secret, this.#agent);
    this.#report = found.kind === 'ours' ? found.report : undefined;
    return found;
  }

  /**
   * `GET /v1/models` with an access key.
   * @param limit milliseconds; rejects with the code `ETIMEDOUT` after that
   * @throws Error if no proof has come before
   */
  async askModels(accessKey: string, limit: number, signal: AbortSignal): Promise<Answer> {
    this.#proven();
    const headers = { authorization: `Bearer ${accessKey}` };
    return ask({ port: this.#port, path: '/v1/models', headers, limit, signal, agent: this.#agent });
  }

  /**
   * `POST /v1/chat/completions` with an access key. Resolves with the head of the answer; its body is for the caller.
   * @throws Error if no proof has come before
   */
  async chat(accessKey: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#post('/v1/chat/completions', accessKey, body, signal);
  }

  /** The same for `POST /v1/embeddings`. */
  async embed(accessKey: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    return this.#post('/v1/embeddings', accessKey, body, signal);
  }

  async #post(path: string, accessKey: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    this.#proven();
    const headers = {
      authorization: `Bearer ${accessKey}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const place = { host: HOST, port: this.#port, method: 'POST', path };
    return new Promise((resolve, reject) => {
      const asking = new ClientRequest({ ...place, headers, signal, agent: this.#agent }, resolve);
      asking.on('error', reject);
      asking.end(body);
    });
  }

  /**
   * Asks the proxy to give up its port, as its own window would.
   * @throws Error if no proof has come before
   */
  async askForPort(): Promise<void> {
    const headers = { [RELEASE_HEADER]: makeRelease(this.#secret, this.#proven()) };
    await ask({ port: this.#port, method: 'POST', path: '/health', headers, limit: HEALTH_LIMIT, agent: this.#agent });
  }

  /**
   * What the clients of the proxy have used.
   * @throws Error if no proof has come before, or what comes is no report
   */
  async usage(): Promise<UsageReport> {
    const headers = { [USAGE_HEADER]: makeUsageRequest(this.#secret, this.#proven()) };
    const answer = await ask({ port: this.#port, path: '/health', headers, limit: HEALTH_LIMIT, agent: this.#agent });
    const usage = parseUsage(answer.body);
    if (usage === undefined) throw new Error('The proxy does not say what was used');
    return usage;
  }

  end(): void {
    this.#agent.destroy();
  }

  #proven(): ProxyReport {
    if (this.#report === undefined) throw new Error('Whose proxy it is has not been proved');
    return this.#report;
  }
}

/** The ids in a model list, or undefined for what is none. */
export function modelIds(body: string): string[] | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    return data.map((model: { id?: unknown } | null) => model?.id).filter((id) => typeof id === 'string');
  } catch {
    return undefined;
  }
}

/** Keeps one idle connection to a proxy of another window and tells when it ends: the moment its owner goes. */
export class OwnerWatch {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #onGone: () => void;
  #watched: Socket | undefined;
  #over = false;

  constructor(onGone: () => void) {
    this.#onGone = onGone;
    this.#agent.on('free', (socket: Socket) => {
      this.#watch(socket);
    });
  }

  /** Asks once more, over the watched connection. */
  probe(port: number, secret: Uint8Array): Promise<Probe> {
    return probe(port, secret, this.#agent);
  }

  end(): void {
    this.#over = true;
    this.#agent.destroy();
  }

  #watch(socket: Socket): void {
    if (this.#watched === socket) return;
    this.#watched = socket;
    socket.once('close', () => {
      if (!this.#over) this.#onGone();
    });
  }
}

interface Question {
  readonly port: number;
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In milliseconds. */
  readonly limit: number;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

function ask({ limit, agent, ...question }: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let reason: Error | undefined;
    const fail = (error: Error) => {
      reject(reason ?? error);
    };
    const giveUp = (message: string, code: string) => {
      reason = Object.assign(new Error(message), { code });
      asking.destroy(reason);
    };
    // Not http.request: the editor replaces it, agents and all, with one that follows its proxy settings.
    const options = { ...question, host: HOST, agent: agent ?? false, maxHeaderSize: MAX_HEAD };
    const asking = new ClientRequest(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        body += piece;
        if (body.length > MAX_BODY) giveUp('The answer has no end', 'EMSGSIZE');
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      response.on('error', fail);
    });
    const timer = globalThis.setTimeout(() => {
      giveUp('No answer in time', 'ETIMEDOUT');
    }, limit);
    asking.on('error', fail);
    asking.once('close', () => {
      clearTimeout(timer);
      fail(new Error('The connection has ended')); // of no effect where there was an answer or an error
    });
    asking.end();
  });
}
