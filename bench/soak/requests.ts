// What the clients of the soak send, and what they must get, byte by byte.
import { hash, randomBytes } from 'node:crypto';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { fieldsOf, parseJson } from '../../src/shared/json.ts';
import { CHAT, MESSAGES, RESPONSES } from '../client.ts';
import type { Api } from '../client.ts';

/** A kind of request. */
export interface Kind {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** With this word in it, which is in no other request, and comes back. */
  readonly body: (word: string) => string | undefined;
  /** How many clients of each proxy send it, one request after the other. */
  readonly clients: number;
  /** The pause after each request, in milliseconds. */
  readonly pause: number;
  /** The client gives up after at most this time, in milliseconds. */
  readonly patience?: number;
  /** The response breaks off, or is an error, as the request asks. */
  readonly fails?: true;
}

const MIB = 1024 * 1024;

function chat(name: string, api: Api, prompt: string, stream: boolean, more: Partial<Kind> = {}): Kind {
  const body = (word: string) => api.body([prompt.replace('WORD', word)], stream);
  return { name, method: 'POST', path: api.path, body, clients: 1, pause: 200, ...more };
}

export const KINDS: readonly Kind[] = [
  chat('chat', CHAT, 'Hello, WORD', false),
  chat('chat stream', CHAT, '/repeat 100 WORD', true, { clients: 3 }),
  chat('chat burst', CHAT, '/burst 1000 WORD', true, { pause: 1000 }),
  chat('messages', MESSAGES, 'Hello, WORD', false),
  chat('messages stream', MESSAGES, '/repeat 100 WORD', true, { clients: 2 }),
  chat('responses', RESPONSES, 'Hello, WORD', false),
  chat('responses stream', RESPONSES, '/repeat 100 WORD', true, { clients: 2 }),
  chat('large body', CHAT, `WORD ${'word '.repeat((2 * MIB) / 5)}`, false, { pause: 5000 }),
  chat('bytes', CHAT, '/bytes 300000 WORD', false, { pause: 500 }),
  chat('given up', CHAT, '/repeat 500 WORD', true, { patience: 2000 }),
  chat('given up early', MESSAGES, '/hang WORD', true, { patience: 300 }),
  chat('error record', CHAT, '/fail 20', true, { fails: true, pause: 1000 }),
  chat('failed provider', RESPONSES, '/broken 20', true, { fails: true, pause: 1000 }),
  chat('status 503', MESSAGES, '/status 503', false, { fails: true, pause: 1000 }),
  {
    name: 'embeddings',
    method: 'POST',
    path: '/v1/embeddings',
    body: (word) => JSON.stringify({ input: word }),
    clients: 1,
    pause: 200,
  },
  {
    name: 'count tokens',
    method: 'POST',
    path: '/anthropic/v1/messages/count_tokens',
    body: (word) => MESSAGES.body([word], false),
    clients: 1,
    pause: 200,
  },
  ...['/v1/models', '/anthropic/v1/models', '/responses/v1/models', '/health', '/ready'].map((path): Kind => ({
    name: path,
    method: 'GET',
    path,
    body: () => undefined,
    clients: 1,
    pause: 500,
  })),
];

/** Letters, as many for each, so that all have the same number of tokens. */
export function newWord(): string {
  const digits = Array.from(randomBytes(6).toString('hex'), (digit) => String.fromCharCode(97 + parseInt(digit, 16)));
  return `w${digits.join('')}`;
}

/** What a client has received. */
export interface Received {
  readonly status: number;
  readonly body: Buffer;
  /** False: the response broke off. */
  readonly isComplete: boolean;
}

/**
 * `complete`: every byte is as expected. `broken`: what came before the end is. `refused`: an error in the format of the API.
 * Anything else is `wrong`.
 */
export type Outcome = 'complete' | 'broken' | 'refused' | 'wrong';

const direct = createModel({ paceMs: 0 });
/** What the backend itself answers, which a proxy below /v1 must not change. */
const RELAYED = ['/v1/chat/completions', '/v1/embeddings', '/v1/models'];
/** By the name of the kind: the first response, with this word. */
const references = new Map<string, { readonly word: string; readonly received: Received }>();

/** Keeps the first response of a kind, which came without any disturbance. */
export function setReference(kind: Kind, word: string, received: Received): void {
  references.set(kind.name, { word, received });
}

export async function judge(kind: Kind, word: string, received: Received): Promise<Outcome> {
  const { status, isComplete } = received;
  if (kind.path === '/ready' && isComplete && isReadiness(received)) return 'complete';
  const reference = references.get(kind.name);
  const isRelayed = RELAYED.includes(kind.path);
  const expected = isRelayed
    ? await answerOf(kind, word)
    : canonical(reference?.received.body ?? Buffer.alloc(0), reference?.word ?? '');
  const body = isRelayed ? received.body : canonical(received.body, word);
  const breaksOff = kind.fails === true && reference?.received.isComplete === false;
  if (status === reference?.received.status && isComplete !== breaksOff && body.equals(expected)) return 'complete';
  if (status !== 200) return isComplete && isError(received) ? 'refused' : 'wrong';
  const content = isComplete ? withoutError(body) : body;
  const isCutOff = content !== undefined && expected.subarray(0, content.length).equals(content);
  if (!isCutOff) return 'wrong';
  return breaksOff ? 'complete' : 'broken';
}

async function answerOf({ method, path, body }: Kind, word: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const text = body(word);
  const response: Parameters<ApiHandler>[1] = {
    signal: new AbortController().signal,
    start: () => undefined,
    write: (chunk) => chunks.push(chunk) > 0,
    drained: () => Promise.resolve(),
    end: () => undefined,
    fail: () => undefined,
  };
  const type = { name: 'content-type', value: 'application/json' };
  const request = { credential: 'dev-', method, target: path, headers: [type] };
  await direct({ ...request, body: text === undefined ? undefined : Buffer.from(text) }, response);
  return Buffer.concat(chunks);
}

/** What a stream of a dialect says while the backend is silent, at any place between two events. */
const PINGS = /event: ping\ndata: \{"type":"ping"\}\n\n|: ping\n\n/g;

/** Without what differs from one response to the next: the word, identifiers, times and pings. */
function canonical(body: Buffer, word: string): Buffer {
  const text = body.toString();
  return Buffer.from(
    (word === '' ? text : text.replaceAll(word, 'WORD'))
      .replaceAll(/[0-9a-f]{32}/g, 'ID')
      .replaceAll(/("(?:created_at|completed_at)":)\d+/g, '$1TIME')
      .replaceAll(PINGS, ''),
  );
}

function isReadiness({ status, body }: Received): boolean {
  const { status: word } = fieldsOf(parseJson(body));
  return (status === 200 && word === 'ready') || (status === 503 && word === 'not_ready');
}

/** Some end with the code of the system, such as (ECONNREFUSED). */
const SENTENCE = /\.(?: \(\w+\))?$/;

function isError({ body }: Received): boolean {
  const { error } = fieldsOf(parseJson(body));
  const { message, type } = fieldsOf(error);
  return typeof message === 'string' && SENTENCE.test(message) && typeof type === 'string';
}

/** A stream of a dialect that failed ends with an event that says so. Undefined: it does not. */
function withoutError(body: Buffer): Buffer | undefined {
  const text = body.toString();
  const at = Math.max(text.lastIndexOf('event: error\n'), text.lastIndexOf('event: response.failed\n'));
  return at === -1 ? undefined : Buffer.from(text.slice(0, at));
}

/** For the report of a failure: short, and enough to find it again. */
export function describe({ status, body, isComplete }: Received): string {
  const end = body.subarray(-200).toString();
  return `status ${status}, ${isComplete ? 'complete' : 'broken off'}, ${body.length} bytes (${hash('sha256', body).slice(0, 12)}): …${end}`;
}
