// One request by Node's own client, on a connection of its own, and everything that came back.
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { DEADLINE, withTimeout } from '../withTimeout.ts';
import { ACCESS_KEY } from './scope.ts';

export interface Question {
  readonly method?: string;
  readonly path?: string;
  /** Name, value, name, value ... or by name; with an access key unless `key` says otherwise. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The bearer token; null sends none. */
  readonly key?: string | null;
  readonly body?: string | Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** Name, value, name, value ... as they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: NodeJS.Dict<string[]>;
  readonly body: Buffer;
  /** The body did not come to its end. */
  readonly broken: boolean;
  json(): unknown;
}

/** Asks and reads to the end, or to where it breaks. Rejects if no answer starts. */
export async function ask(url: string, question: Question = {}, deadline = DEADLINE): Promise<Answer> {
  return readAnswer(await head(url, question, deadline), deadline);
}

/** Asks, and resolves as soon as an answer starts. */
export function head(url: string, question: Question = {}, deadline = DEADLINE): Promise<IncomingMessage> {
  const sent = open(url, question);
  const answer = answerTo(sent, deadline);
  sent.end(question.body);
  return answer;
}

/** The request, without a body yet. */
export function open(url: string, { method = 'POST', path, headers = {}, key = ACCESS_KEY }: Question): ClientRequest {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  return request(url + (path ?? '/v1/chat/completions'), {
    method,
    agent: false,
    headers: { ...authorization, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}), ...headers },
  });
}

/** The start of the answer to a request that is being sent. */
export function answerTo(sent: ClientRequest, deadline = DEADLINE): Promise<IncomingMessage> {
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
  return withTimeout(`an answer to ${sent.method} ${sent.path}`, deadline, answer);
}

/** The rest of an answer that has started. */
export async function readAnswer(message: IncomingMessage, deadline = DEADLINE): Promise<Answer> {
  const pieces: Buffer[] = [];
  message.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise<boolean>((resolve) => {
    message.once('end', () => {
      resolve(true);
    });
    message.on('error', () => {
      resolve(false);
    });
  });
  const whole = await withTimeout('the end of an answer', deadline, ended);
  const body = Buffer.concat(pieces);
  return {
    status: message.statusCode ?? 0,
    rawHeaders: message.rawHeaders,
    headers: message.headersDistinct,
    body,
    broken: !whole,
    json: () => JSON.parse(body.toString()) as unknown,
  };
}
