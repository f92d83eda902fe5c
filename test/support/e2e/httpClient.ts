// One request by Node's own client, on a separate connection, and the complete response.
import { request } from 'node:http';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { request as requestEncrypted } from 'node:https';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { ACCESS_KEY } from './scope.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  /** In addition to `authorization` and, for POST, `content-type`. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The bearer token, by default an access key; null sends none. */
  readonly key?: string | null;
  readonly body?: string | Uint8Array;
  /** For connections that several requests use; by default, each has its own. For https, the one that knows the authority. */
  readonly agent?: Agent;
}

export interface ClientResponse {
  readonly status: number;
  /** Name, value, name, value … as received. */
  readonly rawHeaders: readonly string[];
  readonly headers: NodeJS.Dict<string[]>;
  readonly body: Buffer;
  /** The body ended early. */
  readonly broken: boolean;
  json(): unknown;
}

/** Sends a request and reads the response until it ends or breaks. Rejects if no response starts. */
export async function sendRequest(url: string, request: RequestOptions = {}): Promise<ClientResponse> {
  return readResponse(await openResponse(url, request));
}

/** `GET /v1/models`, by default with the access key that proxies in tests have. */
export function listModels(url: string, key?: string): Promise<ClientResponse> {
  return sendRequest(url, { method: 'GET', path: '/v1/models', ...(key !== undefined && { key }) });
}

/** Sends a request; resolves as soon as the response starts. */
export function openResponse(url: string, request: RequestOptions = {}): Promise<IncomingMessage> {
  const sent = openRequest(url, request);
  const response = responseTo(sent);
  sent.end(request.body);
  return response;
}

/** Opens a request whose body the caller writes. */
export function openRequest(
  url: string,
  { method = 'POST', path, headers = {}, key = ACCESS_KEY, agent }: RequestOptions,
): ClientRequest {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  const open = url.startsWith('https:') ? requestEncrypted : request;
  return open(url + (path ?? '/v1/chat/completions'), {
    method,
    agent: agent ?? false,
    headers: { ...authorization, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}), ...headers },
  });
}

/** Resolves when the response to a request starts, even while the body is still being sent. */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
  return withTimeout(`a response to ${sent.method} ${sent.path}`, DEADLINE, response);
}

/** Reads the rest of a response that has started. */
export async function readResponse(message: IncomingMessage): Promise<ClientResponse> {
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<boolean>((resolve) => {
    message.once('end', () => {
      resolve(true);
    });
    message.on('error', () => {
      resolve(false);
    });
  });
  const complete = await withTimeout('the end of a response', DEADLINE, ended);
  const body = Buffer.concat(chunks);
  return {
    status: message.statusCode ?? 0,
    rawHeaders: message.rawHeaders,
    headers: message.headersDistinct,
    body,
    broken: !complete,
    json: () => JSON.parse(body.toString()) as unknown,
  };
}
