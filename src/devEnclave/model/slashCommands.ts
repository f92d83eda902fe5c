// Commands for tests and benchmarks: a last user message that begins with `/name` controls the response.
import { hash } from 'node:crypto';
import { answerTo, callTools, lastUserText, say } from './answer.ts';
import type { Answer, AnswerStep } from './answer.ts';
import { ApiError, answerApiError, answerStatus, invalid } from './apiErrors.ts';
import type { ApiErrorCode } from './apiErrors.ts';
import { answerBytes, answerJson } from './apiHandler.ts';
import type { ApiRequest, ApiResponseWriter } from './apiHandler.ts';
import type { ChatRequest } from './chatRequest.ts';
import { FOREVER_MS } from './chatWriter.ts';

interface Invocation {
  readonly chat: ChatRequest;
  readonly request: ApiRequest;
  /** The words after the command's name. */
  readonly words: readonly string[];
}

type SlashCommand = {
  /** The arguments, for `--help`. */
  readonly usage: string;
  readonly summary: string;
} & (
  | { readonly answer: (invocation: Invocation) => Answer }
  /** Writes the response itself. */
  | { readonly write: (invocation: Invocation, response: ApiResponseWriter) => void | Promise<void> }
);

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
    answer: ({ words }) => ({ steps: repeat(natural(words[0]), words[1] ?? 'word') }),
  },
  burst: {
    usage: 'N [WORD]',
    summary: 'N words, one chunk each, as fast as possible',
    answer: ({ words }) => ({ steps: repeat(natural(words[0]), words[1] ?? 'word'), unpaced: true }),
  },
  bytes: {
    usage: 'N',
    summary: 'a body of exactly N bytes as application/octet-stream, with a fixed pattern',
    write: ({ words }, response) => writePattern(response, natural(words[0])),
  },
  raw: {
    usage: 'TYPE BASE64',
    summary: 'exactly this body with this content type',
    write: ({ words: [type = '', body = ''] }, response) => {
      const headers = [{ name: 'content-type', value: type }];
      answerBytes(response, { status: 200, headers }, Buffer.from(body, 'base64'));
    },
  },
  status: {
    usage: 'CODE [RETRY-AFTER]',
    summary: 'this status, with an error of the backend or without a body',
    write: ({ words }, response) => {
      answerWithStatus(response, natural(words[0]), words[1]);
    },
  },
  headers: {
    usage: '',
    summary: 'headers that a relay must handle: repeated, hop-by-hop, named by connection, cookies, Latin-1',
    write: answerWithOddHeaders,
  },
  describe: {
    usage: '',
    summary: 'the request as JSON: method, target, headers, length and SHA-256 of the body; no API key',
    write: ({ request: { method, target, headers, body = new Uint8Array(0) } }, response) => {
      answerJson(response, 200, {
        method,
        target,
        headers,
        body: { length: body.length, sha256: hash('sha256', body) },
      });
    },
  },
  tool: {
    usage: 'NAME [JSON]',
    summary: 'a call of this tool with these arguments',
    answer: ({ words: [name = '', ...json] }) => ({ steps: callTools([{ name, json: json.join(' ') || '{}' }]) }),
  },
  wait: {
    usage: 'MS [TEXT]',
    summary: 'the normal response to TEXT, which starts after MS milliseconds',
    answer: ({ chat, words }) => ({ ...answerTo(chat), delayMs: natural(words[0]) }),
  },
  ping: {
    usage: 'N',
    summary: 'N comment lines between the first and the second word',
    answer: ({ words }) => ({
      steps: [...say('before '), ...Array<AnswerStep>(natural(words[0])).fill({ kind: 'ping' }), ...say('after')],
    }),
  },
  stall: {
    usage: 'N',
    summary: 'N words, then nothing until the client disconnects',
    answer: ({ words }) => ({ steps: [...repeat(natural(words[0]), 'word'), { kind: 'stall' }] }),
  },
  hang: {
    usage: '',
    summary: 'no response until the client disconnects',
    answer: () => ({ steps: [], delayMs: FOREVER_MS }),
  },
  broken: {
    usage: 'N',
    summary: 'N words, then the error event of a failed provider (status 502 if not streamed)',
    answer: ({ words }) => ({ steps: [...repeat(natural(words[0]), 'word'), { kind: 'provider-error' }] }),
  },
  fail: {
    usage: 'N [CODE]',
    summary: 'N words, then an Error record with this code',
    answer: ({ words: [count, code = 'internal_error'] }) => ({
      steps: [...repeat(natural(count), 'word'), { kind: 'abort', code }],
    }),
  },
};

/**
 * Runs the command in the last user message.
 * @returns the answer to write, by default the model's; undefined if the command has written the response itself
 */
export async function runSlashCommand(
  chat: ChatRequest,
  request: ApiRequest,
  response: ApiResponseWriter,
): Promise<Answer | undefined> {
  const [first = '', ...words] = lastUserText(chat).split(/\s+/u);
  const name = first.startsWith('/') ? first.slice(1) : '';
  const command = Object.hasOwn(SLASH_COMMANDS, name) ? SLASH_COMMANDS[name] : undefined;
  if (command === undefined) return answerTo(chat);
  const invocation = { chat, request, words };
  if ('answer' in command) return command.answer(invocation);
  await command.write(invocation, response);
  return undefined;
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
function answerWithOddHeaders(_invocation: Invocation, response: ApiResponseWriter): void {
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
  answerBytes(response, { status: 200, headers: headers.map(([name, value]) => ({ name, value })) }, body);
}

function natural(word: string | undefined): number {
  const value = Number(word);
  if (!Number.isInteger(value) || value < 0 || value > MAX_BYTES)
    throw invalid('messages', 'has a command without a valid number');
  return value;
}
