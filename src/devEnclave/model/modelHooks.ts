// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// What a test or a benchmark can ask of the model: a last user message that begins with `/name` steers its answer.
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ApiError, answerApiError, answerStatus, invalid } from './apiErrors.ts';
import type { ApiErrorCode } from './apiErrors.ts';
import { answerTo, callTools, lastUserText, say } from './answer.ts';
import type { Answer, AnswerStep } from './answer.ts';
import type { ChatRequest } from './chatRequest.ts';
import { answerJson } from './logical.ts';
import type { LogicalRequest, LogicalResponseWriter } from './logical.ts';

/** Either an answer in the model's ordinary shapes, or one that the hook writes itself. */
export type HookResult = Answer | { readonly write: (response: LogicalResponseWriter) => void | Promise<void> };

interface HookCall {
  readonly chat: ChatRequest;
  readonly request: LogicalRequest;
  /** The words behind the hook's name. */
  readonly words: readonly string[];
}

interface Hook {
  /** The arguments, for the help. */
  readonly usage: string;
  readonly summary: string;
  readonly run: (call: HookCall) => HookResult;
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

/** Every hook by its name. */
export const MODEL_HOOKS: Readonly<Record<string, Hook>> = {
  repeat: {
    usage: 'N [WORD]',
    summary: 'N words, one chunk each, at the usual pace',
    run: ({ words }) => ({ steps: repeat(natural(words[0]), words[1] ?? 'word') }),
  },
  burst: {
    usage: 'N [WORD]',
    summary: 'N words, one chunk each, as fast as possible',
    run: ({ words }) => ({ steps: repeat(natural(words[0]), words[1] ?? 'word'), hurried: true }),
  },
  large: {
    usage: 'BYTES',
    summary: 'a text of exactly that many bytes in one piece',
    run: ({ words }) => ({ steps: [{ kind: 'text', text: 'x'.repeat(natural(words[0])) }] }),
  },
  bytes: {
    usage: 'N',
    summary: 'a body of exactly N bytes, application/octet-stream (see patternBytes)',
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
    summary: 'this logical status: an error as the backend words it, or no body at all',
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
    summary: 'headers that a relay must think about: repeated, hop-by-hop, named by connection, cookies, Latin-1',
    run: () => ({ write: answerWithOddHeaders }),
  },
  describe: {
    usage: '',
    summary: 'the logical request as JSON: method, target, headers, length and SHA-256 of the body; no credential',
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
    summary: 'the usual answer to TEXT, after a wait before its start',
    run: ({ chat, words }) => ({ ...answerTo(chat), delayMs: natural(words[0]) }),
  },
  ping: {
    usage: 'N',
    summary: 'N comment lines between the first word and the second',
    run: ({ words }) => ({
      steps: [...say('before '), ...Array<AnswerStep>(natural(words[0])).fill({ kind: 'ping' }), ...say('after')],
    }),
  },
  stall: {
    usage: 'N',
    summary: 'N words, then nothing until the client goes away',
    run: ({ words }) => ({ steps: [...repeat(natural(words[0]), 'word'), { kind: 'stall' }] }),
  },
  hang: {
    usage: '',
    summary: 'no start of an answer until the client goes away',
    run: () => ({ write: ({ signal }) => setTimeout(2 ** 31 - 1, undefined, { signal }) }),
  },
  broken: {
    usage: 'N',
    summary: 'N words, then the error event of a provider that failed (not streamed: status 502)',
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

/** What the last user message asks for, or undefined if it steers nothing. */
export function runHook(chat: ChatRequest, request: LogicalRequest): HookResult | undefined {
  const [name, ...words] = lastUserText(chat).split(/\s+/u);
  if (!name?.startsWith('/')) return undefined;
  const hook = Object.hasOwn(MODEL_HOOKS, name.slice(1)) ? MODEL_HOOKS[name.slice(1)] : undefined;
  return hook?.run({ chat, request, words });
}

/** What `/bytes N` answers. */
export function patternBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => PATTERN[index % PATTERN.length] ?? 0);
}

const PATTERN = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 197 + (index >> 8)) & 0xff);

function* repeat(count: number, word: string): Generator<AnswerStep> {
  const step: AnswerStep = { kind: 'text', text: `${word} ` };
  for (let index = 0; index < count; index++) yield step;
}

async function writePattern(response: LogicalResponseWriter, length: number): Promise<void> {
  response.start({ status: 200, headers: [{ name: 'content-type', value: 'application/octet-stream' }] });
  for (let left = length; left > 0; left -= PATTERN.length) {
    if (!response.write(PATTERN.subarray(0, left))) await response.drained();
  }
  response.end();
}

function answerWithStatus(response: LogicalResponseWriter, status: number, retryAfter: string | undefined): void {
  const headers = retryAfter === undefined ? [] : [{ name: 'retry-after', value: retryAfter }];
  if (status === 401 || status === 403) {
    answerStatus(response, status, 'The key is invalid or was deleted', headers);
  } else if (status >= 400) {
    const code = STATUS_CODES[status] ?? 'upstream_invalid_request';
    answerApiError(response, new ApiError(status, code, `The backend answers ${status}`, null, headers));
  } else {
    response.start({ status, headers });
    response.end();
  }
}

/** `x-named` belongs to one hop, because `connection` names it. */
function answerWithOddHeaders(response: LogicalResponseWriter): void {
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
    throw invalid('messages', 'has a hook without a number');
  return value;
}
