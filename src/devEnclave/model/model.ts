// The backend's API: models, chat completions, embeddings.
import { parseJson } from '../../shared/json.ts';
import { ApiError, answerApiError, answerStatus } from './apiErrors.ts';
import { answerJson } from './apiHandler.ts';
import type { ApiHandler, ApiRequest, ApiResponseWriter } from './apiHandler.ts';
import { MODELS } from './catalogue.ts';
import { parseChatRequest } from './chatRequest.ts';
import { writeAnswer } from './chatWriter.ts';
import { answerEmbeddings } from './embeddings.ts';
import { runSlashCommand } from './slashCommands.ts';

export interface ModelOptions {
  /** The pause between two chunks of a stream, in milliseconds. */
  readonly paceMs: number;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: (request: ApiRequest, response: ApiResponseWriter, options: ModelOptions) => void | Promise<void>;
}

const ROUTES = new Map<string, Route>([
  ['/v1/models', { method: 'GET', answer: listModels }],
  ['/v1/chat/completions', { method: 'POST', answer: completeChat }],
  ['/v1/embeddings', { method: 'POST', answer: embedTexts }],
]);

/** The API treats keys without this prefix as deleted. */
const KEY_PREFIX = 'dev-';

/** Creates a backend whose chat model repeats the user's message. */
export function createModel(options: ModelOptions): ApiHandler {
  return async (request, response) => {
    const route = ROUTES.get(request.target.split('?', 1)[0] ?? '');
    if (route === undefined) {
      answerStatus(response, 404, 'Not found');
    } else if (request.method !== route.method) {
      answerStatus(response, 405, 'Method not allowed', [{ name: 'allow', value: route.method }]);
    } else if (!request.credential?.startsWith(KEY_PREFIX)) {
      answerStatus(response, 401, 'The API key is missing, invalid or was deleted');
    } else {
      try {
        await route.answer(request, response, options);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        answerApiError(response, error);
      }
    }
  };
}

function listModels(_request: ApiRequest, response: ApiResponseWriter): void {
  answerJson(response, 200, { object: 'list', data: MODELS });
}

async function completeChat(request: ApiRequest, response: ApiResponseWriter, { paceMs }: ModelOptions): Promise<void> {
  const body = request.body ?? new Uint8Array(0);
  const chat = parseChatRequest(body, parseJson(body));
  const answer = await runSlashCommand(chat, request, response);
  if (answer !== undefined) await writeAnswer(chat, answer, paceMs, response);
}

function embedTexts({ body }: ApiRequest, response: ApiResponseWriter): void {
  answerJson(response, 200, answerEmbeddings(parseJson(body ?? new Uint8Array(0))));
}
