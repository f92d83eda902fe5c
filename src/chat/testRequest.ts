// One tiny request, sent as an assistant would send it: streamed, with its usage asked for.
import type { IncomingMessage } from 'node:http';
import { fieldsOf, parseJson } from '../shared/json.ts';
import type { VerifiedConnection } from '../supervisor/localProxy.ts';
import { AnswerReader } from './answer.ts';
import { describeFailure } from './failure.ts';

export type TestRequestResult =
  /** Times in milliseconds since the request; tokens where the answer says them. */
  | {
      readonly kind: 'answered';
      readonly firstByte: number;
      readonly whole: number;
      readonly pieces: number;
      readonly tokens: { readonly input: number; readonly output: number } | undefined;
    }
  /** `message` is a sentence for people, without the backend's own: it may name the account, or cite the key. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string }
  | { readonly kind: 'broken'; readonly pieces: number };

/** An error answer longer than this is cut, in characters. */
export const MAX_ERROR = 64 * 1024;

/**
 * @param line one that has proved to be ours
 * @param clock milliseconds of any clock that never jumps
 * @throws Error where the connection fails before an answer begins, or the signal ends it
 */
export async function tryChat(
  line: VerifiedConnection,
  accessKey: string,
  model: string,
  clock: () => number,
  signal: AbortSignal,
): Promise<TestRequestResult> {
  const body = JSON.stringify({
    model,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 16,
    messages: [{ role: 'user', content: 'Say OK.' }],
  });
  const begun = clock();
  const response = await line.chat(accessKey, body, signal);
  if (response.statusCode !== 200) return refusalOf(response);
  let firstByte: number | undefined;
  let pieces = 0;
  let tokens: { readonly input: number; readonly output: number } | undefined;
  const reader = new AnswerReader((event) => {
    if (event.kind === 'text' || event.kind === 'thinking') pieces++;
    if (event.kind === 'usage') tokens = event;
  });
  try {
    for await (const text of response.setEncoding('utf8')) {
      firstByte ??= clock() - begun;
      reader.push(text as string);
    }
    reader.end();
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'broken', pieces }; // whatever the error says: it may be the backend's own words
  }
  const whole = clock() - begun;
  return { kind: 'answered', firstByte: firstByte ?? whole, whole, pieces, tokens };
}

/** What a refusal says. */
export async function refusalOf(response: IncomingMessage): Promise<Extract<TestRequestResult, { kind: 'refused' }>> {
  const { statusCode: status = 0, headers } = response;
  const code = codeOf(await bodyOf(response, MAX_ERROR));
  return { kind: 'refused', status, code, message: describeFailure(status, '', headers['retry-after']).message };
}

/** The body as text, up to about so many characters. */
export async function bodyOf(response: IncomingMessage, limit: number): Promise<string> {
  let body = '';
  for await (const text of response.setEncoding('utf8')) {
    body += text as string;
    if (body.length > limit) break;
  }
  return body;
}

/** As programs name the error, if it is such a name; else empty. */
function codeOf(body: string): string {
  const { code, type } = fieldsOf(fieldsOf(parseJson(Buffer.from(body)))['error']);
  const isName = (value: unknown): value is string => typeof value === 'string' && /^[a-z_]{1,40}$/.test(value);
  return [code, type].find(isName) ?? '';
}
