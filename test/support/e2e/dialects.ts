// The dialects as clients see them: official clients, requests, and the form of errors.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { PLAIN_MODEL } from './chat.ts';
import type { ClientResponse } from './httpClient.ts';
import { ACCESS_KEY } from './scope.ts';

interface Server {
  readonly url: string;
}

/** The Anthropic client as Claude Code configures it, without retries. */
export function anthropicClient({ url }: Server, authToken = ACCESS_KEY): Anthropic {
  return new Anthropic({ baseURL: `${url}/anthropic`, authToken, apiKey: null, maxRetries: 0 });
}

/** The OpenAI client for the Responses API, without retries. */
export function responsesClient({ url }: Server, apiKey = ACCESS_KEY): OpenAI {
  return new OpenAI({ baseURL: `${url}/responses/v1`, apiKey, maxRetries: 0 });
}

/** What a client got of a stream. */
export interface StreamedText {
  text: string;
  /** The event that ends a complete stream has arrived. */
  isComplete: boolean;
}

export interface DialectUnderTest {
  readonly name: 'messages' | 'responses';
  readonly replyPath: string;
  readonly countPath: string;
  readonly modelsPath: string;
  /** The setting for the model that replaces unknown ones. */
  readonly modelVariable: string;
  /** The body of a request with one message. */
  readonly body: (content: string, fields?: object) => string;
  /** Streams with the official client. */
  readonly stream: (
    server: Server,
    content: string,
    options?: { readonly model?: string; readonly signal?: AbortSignal },
    onText?: (streamed: StreamedText) => void,
  ) => Promise<StreamedText>;
  /** The text of a response that is not streamed, by the official client. */
  readonly ask: (server: Server, content: string, options?: { readonly model?: string }) => Promise<string>;
  /** The text in the body of a response that is not streamed. */
  readonly textOf: (body: unknown) => string;
  /** The input tokens in the response to a request for their number. */
  readonly countOf: (body: unknown) => number;
  /** Checks that this is an error in the dialect's form, and returns its type and message. */
  readonly errorOf: (body: unknown) => { readonly type: string; readonly message: string };
  /** The types of errors by status. */
  readonly types: Readonly<Record<number, string>>;
  /** The name of the event that reports an error in a stream. */
  readonly errorEvent: string;
}

interface MessagesError {
  readonly type: string;
  readonly error: { readonly type: string; readonly message: string };
}

interface OpenAiError {
  readonly error: { readonly type: string; readonly message: string; readonly param: unknown; readonly code: unknown };
}

const MESSAGES: DialectUnderTest = {
  name: 'messages',
  replyPath: '/anthropic/v1/messages',
  countPath: '/anthropic/v1/messages/count_tokens',
  modelsPath: '/anthropic/v1/models',
  modelVariable: 'PROXY_MESSAGES_MODEL',
  body: (content, fields = {}) =>
    JSON.stringify({ model: PLAIN_MODEL, max_tokens: 1000, messages: [{ role: 'user', content }], ...fields }),
  async stream(server, content, { model = PLAIN_MODEL, signal } = {}, onText = () => undefined) {
    const streamed = { text: '', isComplete: false };
    const events = await anthropicClient(server).messages.create(
      { model, max_tokens: 1000, messages: [{ role: 'user', content }], stream: true },
      { signal: signal ?? null },
    );
    for await (const event of events) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') streamed.text += event.delta.text;
      streamed.isComplete = event.type === 'message_stop';
      onText(streamed);
    }
    return streamed;
  },
  async ask(server, content, { model = PLAIN_MODEL } = {}) {
    const body = { model, max_tokens: 1000, messages: [{ role: 'user' as const, content }] };
    return MESSAGES.textOf(await anthropicClient(server).messages.create(body));
  },
  textOf: (body) =>
    (body as Anthropic.Message).content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  countOf: (body) => (body as Anthropic.MessageTokensCount).input_tokens,
  errorOf(body) {
    const { type, error } = body as MessagesError;
    assert.equal(type, 'error');
    return error;
  },
  types: {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    405: 'invalid_request_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    502: 'api_error',
    503: 'overloaded_error',
    504: 'timeout_error',
  },
  errorEvent: 'error',
};

const RESPONSES: DialectUnderTest = {
  name: 'responses',
  replyPath: '/responses/v1/responses',
  countPath: '/responses/v1/responses/input_tokens',
  modelsPath: '/responses/v1/models',
  modelVariable: 'PROXY_RESPONSES_MODEL',
  body: (content, fields = {}) => JSON.stringify({ model: PLAIN_MODEL, store: false, input: content, ...fields }),
  async stream(server, content, { model = PLAIN_MODEL, signal } = {}, onText = () => undefined) {
    const streamed = { text: '', isComplete: false };
    const events = await responsesClient(server).responses.create(
      { model, store: false, input: content, stream: true },
      { signal: signal ?? null },
    );
    for await (const event of events) {
      if (event.type === 'response.output_text.delta') streamed.text += event.delta;
      streamed.isComplete = event.type === 'response.completed';
      onText(streamed);
    }
    return streamed;
  },
  async ask(server, content, { model = PLAIN_MODEL } = {}) {
    return (await responsesClient(server).responses.create({ model, store: false, input: content })).output_text;
  },
  textOf: (body) =>
    (body as OpenAI.Responses.Response).output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join(''),
  countOf: (body) => (body as { readonly input_tokens: number }).input_tokens,
  errorOf(body) {
    const { error } = body as OpenAiError;
    assert.deepEqual(Object.keys(error).toSorted(), ['code', 'message', 'param', 'type']);
    return error;
  },
  types: {
    400: 'invalid_request_error',
    401: 'invalid_request_error',
    403: 'invalid_request_error',
    404: 'invalid_request_error',
    405: 'invalid_request_error',
    413: 'invalid_request_error',
    429: 'rate_limit_error',
    502: 'server_error',
    503: 'server_error',
    504: 'server_error',
  },
  errorEvent: 'response.failed',
};

export const DIALECTS_UNDER_TEST = [MESSAGES, RESPONSES] as const;

/** Checks that this response is an error of the dialect with this status, and returns its message. */
export function assertDialectError(dialect: DialectUnderTest, response: ClientResponse, status: number): string {
  assert.equal(response.status, status, response.body.toString());
  assert.deepEqual(response.headers['content-type'], ['application/json']);
  const { type, message } = dialect.errorOf(response.json());
  assert.equal(type, dialect.types[status], message);
  return message;
}
