// Asks a handler without sockets and without encryption.
import { setImmediate } from 'node:timers/promises';
import type { LogicalHandler, LogicalRequest, LogicalResponseWriter } from '../../../src/devEnclave/model/logical.ts';
import type { ResponseStart } from '../../../src/session/wire.ts';
import { DEADLINE, withTimeout } from '../withTimeout.ts';

export interface HandlerAnswer extends ResponseStart {
  readonly body: Buffer;
  readonly pieces: readonly string[];
  /** The code of `fail`; undefined for an answer with an end. */
  readonly failure: string | undefined;
  header(name: string): readonly string[];
  json(): unknown;
}

export const CHAT_PATH = '/v1/chat/completions';

/** A request with a JSON body, or with none. */
export function logicalRequest(target: string, body: unknown, change: Partial<LogicalRequest> = {}): LogicalRequest {
  return {
    credential: 'dev-test',
    method: body === undefined ? 'GET' : 'POST',
    target,
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    ...change,
  };
}

/** The whole answer of a handler, which must wait behind every piece. */
export async function ask(
  handler: LogicalHandler,
  request: LogicalRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<HandlerAnswer> {
  let start: ResponseStart = { status: 0, headers: [] };
  let failure: string | undefined;
  const pieces: Uint8Array[] = [];
  let full = false;
  const writer: LogicalResponseWriter = {
    signal,
    start: (value) => {
      start = value;
    },
    write: (piece) => {
      if (full) throw new Error('written to while it was full');
      pieces.push(piece);
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
  const body = Buffer.concat(pieces);
  return {
    status,
    headers,
    body,
    pieces: pieces.map((piece) => Buffer.from(piece).toString()),
    failure,
    header: (name) => headers.filter((field) => field.name === name).map(({ value }) => value),
    json: () => JSON.parse(body.toString()) as unknown,
  };
}

/** The data of the events in a stream, parsed; `[DONE]` stays text. */
export function events(stream: string): unknown[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as unknown)));
}
