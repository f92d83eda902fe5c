// A tiny chat request, sent as an assistant would send it: streamed, and in the assistant's own API.
import type { IncomingMessage } from 'node:http';
import type { DialectName } from '../dialects/dialect.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { VerifiedConnection } from '../supervisor/localProxy.ts';
import { toChatError } from './chatError.ts';
import { MAX_ERROR, readText } from './responseText.ts';
import { CHAT_COMPLETIONS, DIALECT_PROTOCOLS } from './testProtocols.ts';

export interface TestTarget {
  readonly model: string;
  /** Chat Completions if undefined. */
  readonly dialect?: DialectName | undefined;
}

export type TestRequestResult =
  | {
      readonly kind: 'answered';
      /** Milliseconds from the request to the first byte and to the end of the response. */
      readonly firstByte: number;
      readonly total: number;
      readonly chunks: number;
    }
  | RefusedRequest
  /** The response was not a complete event stream. */
  | { readonly kind: 'broken'; readonly chunks: number };

/** `message` is for the user. It leaves out the backend's own text, which may contain account names or the key. */
export interface RefusedRequest {
  readonly kind: 'refused';
  readonly status: number;
  /** The code or type of the OpenAI error; empty if unknown. */
  readonly code: string;
  readonly message: string;
}

/**
 * @param clock monotonic, in milliseconds
 * @throws Error if the connection fails before a response starts, or the signal aborts
 */
export async function sendTestRequest(
  connection: VerifiedConnection,
  accessKey: string,
  { model, dialect }: TestTarget,
  clock: () => number,
  signal: AbortSignal,
): Promise<TestRequestResult> {
  const { path, body, createReader } = dialect === undefined ? CHAT_COMPLETIONS : DIALECT_PROTOCOLS[dialect];
  const start = clock();
  const response = await connection.check(path, accessKey, JSON.stringify(body(model)), signal);
  if (response.statusCode !== 200) return readRefusal(response);
  let firstByte: number | undefined;
  let chunks = 0;
  const reader = createReader(() => chunks++);
  try {
    for await (const bytes of response) {
      firstByte ??= clock() - start;
      reader.push(bytes as Uint8Array);
    }
    reader.end();
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'broken', chunks }; // without the error's message, which may be the backend's own text
  }
  const total = clock() - start;
  return { kind: 'answered', firstByte: firstByte ?? total, total, chunks };
}

/** Reads a response with an error status. */
export async function readRefusal(response: IncomingMessage): Promise<RefusedRequest> {
  const { statusCode: status = 0, headers } = response;
  const body = await readText(response, MAX_ERROR);
  const { message } = toChatError(status, body, headers, false);
  return { kind: 'refused', status, code: errorCode(body), message };
}

/** The code or type of an OpenAI error, or empty. Only short identifiers: other text may contain secrets. */
function errorCode(body: string): string {
  const { code, type } = fieldsOf(fieldsOf(parseJson(body))['error']);
  const isIdentifier = (value: unknown): value is string => typeof value === 'string' && /^[a-z_]{1,40}$/.test(value);
  return [code, type].find(isIdentifier) ?? '';
}
