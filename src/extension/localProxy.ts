// Asking the program on a port: whether it is a proxy of ours, and what the backend says through it. No key is ever sent
// to a port that has not proved to be ours on the same connection's port just before.
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CHALLENGE_HEADER, PROOF_HEADER, checkProof, makeChallenge } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';

const HOST = '127.0.0.1';
const HEALTH_LIMIT = 3000;

export type Probe =
  | { readonly kind: 'free' }
  | { readonly kind: 'ours'; readonly report: ProxyReport }
  /** Somebody listens who is not ours, or does not answer. */
  | { readonly kind: 'stranger' };

/** Asks the port whose it is. The request carries a random challenge and nothing else. */
export async function probe(port: number, secret: Uint8Array, agent?: Agent): Promise<Probe> {
  const challenge = makeChallenge();
  try {
    const { headers } = await ask(port, '/health', { [CHALLENGE_HEADER]: challenge }, HEALTH_LIMIT, agent);
    const proof = headers[PROOF_HEADER];
    const report = typeof proof === 'string' ? checkProof(secret, challenge, port, proof) : undefined;
    return report === undefined ? { kind: 'stranger' } : { kind: 'ours', report };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? { kind: 'free' } : { kind: 'stranger' };
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `GET /v1/models` with an access key. The caller has just seen a proof of the port. */
export function askModels(port: number, accessKey: string, limit: number): Promise<Answer> {
  return ask(port, '/v1/models', { authorization: `Bearer ${accessKey}` }, limit);
}

/** The ids in a model list, or undefined for what is none. */
export function modelIds(body: string): string[] | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    return data.map((model: { id?: unknown }) => model.id).filter((id) => typeof id === 'string');
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

function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  limit: number,
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: HOST, port, path, headers, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      response.on('error', reject);
    });
    const timer = setTimeout(() => asking.destroy(new Error('No answer in time')), limit);
    asking.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    asking.end();
  });
}
