// HTTP requests to a program on a port of this computer, with limits on time and size.
import { Agent, ClientRequest } from 'node:http';
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** In bytes. The proof in a header contains the attestation document, Base64-encoded twice. */
const MAX_HEADER_SIZE = 128 * 1024;
/** In characters. */
const MAX_BODY = 4 * 1024 * 1024;

/** To `port` of this computer. */
type LocalRequest = ClientRequestArgs & { readonly port: number; readonly body?: string };

export interface LocalResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Resolves with the head of the response; the caller reads the body. Without an agent, the connection closes after it. */
export function openResponse({ body, agent, ...request }: LocalRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Not http.request: VS Code replaces it, agents included, with a version that follows its own proxy settings.
    const options = { ...request, host: '127.0.0.1', agent: agent ?? false, maxHeaderSize: MAX_HEADER_SIZE };
    const sent = new ClientRequest(options, resolve);
    sent.on('error', reject);
    sent.once('close', () => {
      reject(new Error('The connection has ended')); // for example, because the server switched protocols
    });
    sent.end(body);
  });
}

/**
 * Reads the complete response.
 * @param limit milliseconds
 * @throws Error with the code `ETIMEDOUT` after `limit`, or `EMSGSIZE` if the body is longer than 4 Mi characters
 */
export async function fetchLocal(request: LocalRequest, limit: number): Promise<LocalResponse> {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, limit);
  try {
    const signal = AbortSignal.any([timeout.signal, request.signal ?? timeout.signal]);
    const response = await openResponse({ ...request, signal });
    let body = '';
    for await (const chunk of response.setEncoding('utf8')) {
      body += chunk as string;
      if (body.length > MAX_BODY) throw Object.assign(new Error('The response is too long'), { code: 'EMSGSIZE' });
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body };
  } catch (error) {
    if (!timeout.signal.aborted) throw error;
    throw Object.assign(new Error('No response in time'), { code: 'ETIMEDOUT', cause: error });
  } finally {
    clearTimeout(timer);
  }
}

type OnConnected = (error: Error | null, connection: Duplex) => void;

/** Opens a single connection, and never another one after that has ended. */
export class SingleSocketAgent extends Agent {
  #isUsed = false;

  constructor() {
    super({ keepAlive: true, maxSockets: 1 });
  }

  override createConnection(options: ClientRequestArgs, onConnected?: OnConnected): Duplex | null | undefined {
    if (!this.#isUsed) {
      this.#isUsed = true;
      return super.createConnection(options, onConnected);
    }
    const error = Object.assign(new Error('The connection has ended'), { code: 'ECONNRESET' });
    onConnected?.(error, undefined as unknown as Duplex); // Node ignores the connection if there is an error
    return undefined;
  }
}
