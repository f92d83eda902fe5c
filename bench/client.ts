// The client of the measured programs.
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { Target } from './processes/target.ts';

/** A way to ask for a chat response. */
export interface Api {
  readonly path: string;
  /** The JSON body with these user messages. */
  readonly body: (prompts: readonly string[], stream: boolean) => string;
}

const model = 'glm-5-2';
const toMessages = (prompts: readonly string[]) => prompts.map((content) => ({ role: 'user', content }));

export const CHAT: Api = {
  path: '/v1/chat/completions',
  body: (prompts, stream) => JSON.stringify({ model, messages: toMessages(prompts), stream }),
};
export const MESSAGES: Api = {
  path: '/anthropic/v1/messages',
  body: (prompts, stream) => JSON.stringify({ model, messages: toMessages(prompts), max_tokens: 4096, stream }),
};
export const RESPONSES: Api = {
  path: '/responses/v1/responses',
  body: (prompts, stream) => JSON.stringify({ model, input: toMessages(prompts), stream }),
};

export interface Measured {
  readonly url: string;
  readonly api: Api;
  /** Undefined for the backend itself. */
  readonly process: Target | undefined;
}

/** Of a small request. */
export const PROMPT = 'word '.repeat(40);
/** A conversation of 8 MiB. */
export const LARGE = Array.from({ length: 4096 }, () => 'word '.repeat(410));
const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer dev-bench' };

export function connect({ url }: Pick<Measured, 'url'>, connections = 16): Pool {
  return new Pool(url, { connections, headersTimeout: 0, bodyTimeout: 0 });
}

export function post(path: string, body: string | Buffer): Dispatcher.RequestOptions {
  return { path, method: 'POST', headers: HEADERS, body };
}

/** @returns the length of the response, in bytes */
export async function sendRequest(
  pool: Pool,
  path: string,
  body: string | Buffer,
  signal: AbortSignal | null = null,
): Promise<number> {
  const { statusCode, body: response } = await pool.request({ ...post(path, body), signal });
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length;
  if (statusCode !== 200) throw new Error(`Status ${statusCode}`);
  return length;
}

export function chat(pool: Pool, { api }: Measured): Promise<number> {
  return sendRequest(pool, api.path, api.body([PROMPT], false));
}
