// Commands for tests and benchmarks: a last user message that begins with `/name` controls the response.
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { answerTo, callTools, lastUserText, say } from './answer.ts';
import type { Answer, AnswerStep } from './answer.ts';
import { ApiError, answerApiError, answerStatus, invalid } from './apiErrors.ts';
import type { ApiErrorCode } from './apiErrors.ts';
import { answerJson } from './apiHandler.ts';
import type { ApiRequest, ApiResponseWriter } from './apiHandler.ts';
import type { ChatRequest } from './chatRequest.ts';

/** Either an answer of the model, or a function that writes the response itself. */
export type CommandResult = Answer | { readonly write: (response: ApiResponseWriter) => void | Promise<void> };

interface Invocation {
  readonly chat: ChatRequest;
  readonly request: ApiRequest;
  /** The words after the command's name. */
  readonly words: readonly string[];
}

interface SlashCommand {
  /** The arguments, for `--help`. */
  readonly usage: string;
  readonly summary: string;
  readonly run: (invocation: Invocation) => CommandResult;
}

const MAX_BYTES = 2 ** 31;

const STATUS_CODES: Readonly<Record<number, ApiErrorCode>> = {
  413: 'upstream_payload_too_large',
  422: 'upstream_context_limit',
  429: 'inference_capacity',
  502: 'upstream_provider_error',
  503: 'inference_capacity',
  504: 'upstream_timeout',
};

/** All commands by name. */
export const SLASH_COMMANDS: Readonly<Record<string, SlashCommand>> = {
  repeat: {
    usage: 'N [WORD]',
    summary: 'N words, one chunk each, at the normal pace',
    run: ({ words }) => ({ steps: repeat(natural(words[0]), words[1] ?? 'word') }),
  },
  burst: {
    usage: 'N [WORD]',
    summary: 'N words, one chunk each, as fast as possible',
    run: ({ words }) => ({ steps: repeat(natural(words[0]), words[1] ?? 'word'), hurried: true }),
  },
  large: {
    usage: 'BYTES',
    summary: 'a text of exactly that many bytes in one chunk',
    run: ({ words }) => ({ steps: [{ kind: 'text', text: 'x'.repeat(natural(words[0])) }] }),
  },
  bytes: {
    usage: 'N',
    summary: 'a body of exactly N bytes as application/octet-stream (see patternBytes)',
    run: ({ words }) => {
      const length = natural(words[0]);
      return { write: (response) => writePattern(response, length) };
    },
  },
  raw: {
    usage: 'TYPE BASE64',
    summary: 'exactly this body with this content type',
    run: ({ words: [type = '', body = ''] }) => ({
      write: (response) => {
        response.start({ status: 200, headers: [{ name: 'content-type', value: type }] });
        response.write(Buffer.from(body, 'base64'));
        response.end();
      },
    }),
  },
  status: {
    usage: 'CODE [RETRY-AFTER]',
    summary: 'this status, with an error of the backend or without a body',
    run: ({ words }) => {
      const status = natural(words[0]);
      return {
        write: (response) => {
          answerWithStatus(response, status, words[1]);
        },
      };
    },
  },
  headers: {
    usage: '',
    summary: 'headers that a relay must handle: repeated, hop-by-hop, named by connection, cookies, Latin-1',
    run: () => ({ write: answerWithOddHeaders }),
  },
  describe: {
    usage: '',
    summary: 'the request as JSON: method, target, headers, length and SHA-256 of the body; no API key',
    run: ({ request }) => ({
      write: (response) => {
        const { method, target, headers, body = new Uint8Array(0) } = request;
        const sha256 = createHash('sha256').update(body).digest('hex');
        answerJson(response, 200, { method, target, headers, body: { length: body.length, sha256 } });
      },
    }),
  },
  tool: {
    usage: 'NAME [JSON]',
    summary: 'a call of this tool with these arguments',
    run: ({ words: [name = '', ...json] }) => ({ steps: callTools([{ name, json: json.join(' ') || '{}' }]) }),
  },
  wait: {
    usage: 'MS [TEXT]',
    summary: 'the normal response to TEXT, which starts after MS milliseconds',
    run: ({ chat, words }) => ({ ...answerTo(chat), delayMs: natural(words[0]) }),
  },
  ping: {
    usage: 'N',
    summary: 'N comment lines between the first and the second word',
    run: ({ words }) => ({
      steps: [...say('before '), ...Array<AnswerStep>(natural(words[0])).fill({ kind: 'ping' }), ...say('after')],
    }),
  },
  stall: {
    usage: 'N',
    summary: 'N words, then nothing until the client disconnects',
    run: ({ words }) => ({ steps: [...repeat(natural(words[0]), 'word'), { kind: 'stall' }] }),
  },
  hang: {
    usage: '',
    summary: 'no response until the client disconnects',
    run: () => ({ write: ({ signal }) => setTimeout(2 ** 31 - 1, undefined, { signal }) }),
  },
  broken: {
    usage: 'N',
    summary: 'N words, then the error event of a failed provider (status 502 if not streamed)',
    run: ({ words }) => ({ steps: [...repeat(natural(words[0]), 'word'), { kind: 'provider-error' }] }),
  },
  fail: {
    usage: 'N [CODE]',
    summary: 'N words, then an Error record with this code',
    run: ({ words: [count, code = 'internal_error'] }) => ({
      steps: [...repeat(natural(count), 'word'), { kind: 'break-off', code }],
    }),
  },
};

/** Runs the command in the last user message. Returns undefined if the message has none. */
export function runSlashCommand(chat: ChatRequest, request: ApiRequest): CommandResult | undefined {
  const [name, ...words] = lastUserText(chat).split(/\s+/u);
  if (!name?.startsWith('/')) return undefined;
  const command = Object.hasOwn(SLASH_COMMANDS, name.slice(1)) ? SLASH_COMMANDS[name.slice(1)] : undefined;
  return command?.run({ chat, request, words });
}

/** The body of the response to `/bytes N`. */
export function patternBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => PATTERN[index % PATTERN.length] ?? 0);
}

const PATTERN = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 197 + (index >> 8)) & 0xff);

function* repeat(count: number, word: string): Generator<AnswerStep> {
  const step: AnswerStep = { kind: 'text', text: `${word} ` };
  for (let index = 0; index < count; index++) yield step;
}

async function writePattern(response: ApiResponseWriter, length: number): Promise<void> {
  response.start({ status: 200, headers: [{ name: 'content-type', value: 'application/octet-stream' }] });
  for (let left = length; left > 0; left -= PATTERN.length) {
    if (!response.write(PATTERN.subarray(0, left))) await response.drained();
  }
  response.end();
}

function answerWithStatus(response: ApiResponseWriter, status: number, retryAfter: string | undefined): void {
  const headers = retryAfter === undefined ? [] : [{ name: 'retry-after', value: retryAfter }];
  if (status === 401 || status === 403) {
    answerStatus(response, status, 'The API key is invalid or was deleted', headers);
  } else if (status >= 400) {
    const code = STATUS_CODES[status] ?? 'upstream_invalid_request';
    answerApiError(response, new ApiError(status, code, `The backend responds with ${status}`, null, headers));
  } else {
    response.start({ status, headers });
    response.end();
  }
}

/** `x-named` is hop-by-hop, because `connection` names it. */
function answerWithOddHeaders(response: ApiResponseWriter): void {
  const body = Buffer.from('{"headers":"odd"}');
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['content-length', String(body.length)],
    ['x-request-id', 'request-1'],
    ['x-repeated', 'one'],
    ['x-repeated', 'two'],
    ['x-latin', 'caf\xe9'],
    ['x-empty', ''],
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2; Path=/'],
    ['connection', 'x-named, keep-alive'],
    ['x-named', 'for one hop'],
    ['keep-alive', 'timeout=1'],
    ['proxy-authenticate', 'Basic realm="proxy"'],
    ['transfer-encoding', 'gzip'],
    ['trailer', 'x-trailer'],
    ['upgrade', 'h2c'],
    ['access-control-allow-origin', '*'],
    ['server', 'model'],
    ['date', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ];
  response.start({ status: 200, headers: headers.map(([name, value]) => ({ name, value })) });
  response.write(body);
  response.end();
}

function natural(word: string | undefined): number {
  const value = Number(word);
  if (!Number.isInteger(value) || value < 0 || value > MAX_BYTES)
    throw invalid('messages', 'has a command without a valid number');
  return value;
}
