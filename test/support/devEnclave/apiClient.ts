// Calls an API handler without sockets and encryption.
import { setImmediate } from 'node:timers/promises';
import type { ApiHandler, ApiRequest, ApiResponseWriter } from '../../../src/devEnclave/model/apiHandler.ts';
import type { ResponseStart } from '../../../src/session/wire.ts';
import { DEADLINE, withTimeout } from '../withTimeout.ts';

export interface HandlerAnswer extends ResponseStart {
  readonly body: Buffer;
  readonly chunks: readonly string[];
  /** The code passed to `fail`; undefined for a complete response. */
  readonly failure: string | undefined;
  header(name: string): readonly string[];
  json(): unknown;
}

export const CHAT_PATH = '/v1/chat/completions';

/** A request with or without a JSON body. */
export function apiRequest(target: string, body: unknown, change: Partial<ApiRequest> = {}): ApiRequest {
  return {
    credential: 'dev-test',
    method: body === undefined ? 'GET' : 'POST',
    target,
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    ...change,
  };
}

/** Returns the complete response of a handler, which must await `drained` after every chunk. */
export async function ask(
  handler: ApiHandler,
  request: ApiRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<HandlerAnswer> {
  let start: ResponseStart = { status: 0, headers: [] };
  let failure: string | undefined;
  const chunks: Uint8Array[] = [];
  let full = false;
  const writer: ApiResponseWriter = {
    signal,
    start: (value) => {
      start = value;
    },
    write: (chunk) => {
      if (full) throw new Error('The handler did not await drained()');
      chunks.push(chunk);
      full = true;
      return false;
    },
    drained: async () => {
      await setImmediate(undefined, { signal });
      full = false;
    },
    end: () => undefined,
    fail: (code) => {
      failure = code;
    },
  };
  await withTimeout(`the answer to ${request.target}`, DEADLINE, handler(request, writer));
  const { status, headers } = start;
  const body = Buffer.concat(chunks);
  return {
    status,
    headers,
    body,
    chunks: chunks.map((chunk) => Buffer.from(chunk).toString()),
    failure,
    header: (name) => headers.filter((field) => field.name === name).map(({ value }) => value),
    json: () => JSON.parse(body.toString()) as unknown,
  };
}

/** The parsed data of the events in a stream, and `[DONE]` as text. */
export function events(stream: string): unknown[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as unknown)));
}
