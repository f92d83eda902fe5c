// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The backend behind the envelope: models, chat completions, embeddings. It knows nothing of sessions and sockets.
import { ApiError, answerApiError, answerStatus } from './apiErrors.ts';
import { answerTo } from './answer.ts';
import { MODELS } from './catalogue.ts';
import { parseChatRequest } from './chatRequest.ts';
import { writeAnswer } from './chatWriter.ts';
import { answerEmbeddings } from './embeddings.ts';
import { parseJson } from '../../shared/json.ts';
import { answerJson } from './logical.ts';
import type { LogicalHandler, LogicalRequest, LogicalResponseWriter } from './logical.ts';
import { runHook } from './modelHooks.ts';

export interface ModelOptions {
  /** The pause between two chunks of a stream, in milliseconds. */
  readonly paceMs: number;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: (request: LogicalRequest, response: LogicalResponseWriter, options: ModelOptions) => Promise<void>;
}

const ROUTES = new Map<string, Route>([
  ['/v1/models', { method: 'GET', answer: listModels }],
  ['/v1/chat/completions', { method: 'POST', answer: completeChat }],
  ['/v1/embeddings', { method: 'POST', answer: embedTexts }],
]);

/** Development keys; every other one is treated as one that was deleted. */
const KEY_PREFIX = 'dev-';

/** A backend that answers without a model. */
export function createModel(options: ModelOptions): LogicalHandler {
  return (request, response) => handleLogicalRequest(request, response, options);
}

/** Answers one request of the backend's API. */
export async function handleLogicalRequest(
  request: LogicalRequest,
  response: LogicalResponseWriter,
  options: ModelOptions,
): Promise<void> {
  const route = ROUTES.get(request.target.split('?', 1)[0] ?? '');
  if (route === undefined) {
    answerStatus(response, 404, 'Not found');
  } else if (request.method !== route.method) {
    answerStatus(response, 405, 'Method not allowed', [{ name: 'allow', value: route.method }]);
  } else if (!request.credential?.startsWith(KEY_PREFIX)) {
    answerStatus(response, 401, 'The key is missing, invalid or was deleted');
  } else {
    await answerRoute(route, request, response, options);
  }
}

async function answerRoute(
  { answer }: Route,
  request: LogicalRequest,
  response: LogicalResponseWriter,
  options: ModelOptions,
): Promise<void> {
  try {
    await answer(request, response, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    answerApiError(response, error);
  }
}

function listModels(_request: LogicalRequest, response: LogicalResponseWriter): Promise<void> {
  answerJson(response, 200, { object: 'list', data: MODELS });
  return Promise.resolve();
}

async function completeChat(
  request: LogicalRequest,
  response: LogicalResponseWriter,
  { paceMs }: ModelOptions,
): Promise<void> {
  const body = request.body ?? new Uint8Array(0);
  const chat = parseChatRequest(body, parseJson(body));
  const result = runHook(chat, request) ?? answerTo(chat);
  if ('write' in result) await result.write(response);
  else await writeAnswer(chat, result, paceMs, response);
}

async function embedTexts({ body }: LogicalRequest, response: LogicalResponseWriter): Promise<void> {
  answerJson(response, 200, answerEmbeddings(parseJson(body ?? new Uint8Array(0))));
  return Promise.resolve();
}
