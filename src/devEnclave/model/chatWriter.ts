// Writes an answer in the formats of OpenAI's API: a stream of server-sent events, or one JSON object.
import { setTimeout } from 'node:timers/promises';
import type { Answer, AnswerStep, ToolCall } from './answer.ts';
import { ApiError, answerApiError, errorObject } from './apiErrors.ts';
import { answerJson } from './apiHandler.ts';
import type { ApiResponseWriter } from './apiHandler.ts';
import type { ChatRequest } from './chatRequest.ts';

/** Seconds since 1970. Constant, so that the same request gets the same bytes. */
const CREATED = 1_767_225_600;

/** The longest possible timer. */
export const FOREVER_MS = 2 ** 31 - 1;

const STREAM_HEADERS = [
  { name: 'content-type', value: 'text/event-stream' },
  { name: 'cache-control', value: 'no-cache' },
];

const PROVIDER_ERROR = new ApiError(502, 'upstream_provider_error', 'The model provider failed');

/** The last step of every answer that does not fail. */
interface Finish {
  readonly kind: 'finish';
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
  /** Of the text and the reasoning. */
  readonly completionTokens: number;
}

/**
 * Writes the answer as the request asks: streamed or as one object.
 * @param paceMs the pause before each step of a stream, in milliseconds
 */
export async function writeAnswer(
  request: ChatRequest,
  answer: Answer,
  paceMs: number,
  response: ApiResponseWriter,
): Promise<void> {
  if (answer.delayMs !== undefined) await setTimeout(answer.delayMs, undefined, { signal: response.signal });
  const steps = limitSteps(answer.steps, request.maxTokens);
  if (request.stream) await streamAnswer(request, steps, answer.unpaced ? 0 : paceMs, response);
  else await writeCompletion(request, steps, response);
}

/** The steps up to the request's token limit, then a Finish; one word of text is one token. */
function* limitSteps(steps: Iterable<AnswerStep>, maxTokens: number): Generator<AnswerStep | Finish, void> {
  let completionTokens = 0;
  let textTokens = 0;
  let finishReason: Finish['finishReason'] = 'stop';
  for (const step of steps) {
    if (step.kind === 'text' && ++textTokens > maxTokens) {
      finishReason = 'length';
      break;
    }
    if (step.kind === 'tool-call') finishReason = 'tool_calls';
    completionTokens++;
    yield step;
  }
  yield { kind: 'finish', finishReason, completionTokens };
}

async function streamAnswer(
  request: ChatRequest,
  steps: Iterable<AnswerStep | Finish>,
  paceMs: number,
  response: ApiResponseWriter,
): Promise<void> {
  const events = new StreamEvents(request);
  response.start({ status: 200, headers: STREAM_HEADERS });
  if (!response.write(events.first())) await response.drained();
  for (const step of steps) {
    if (step.kind === 'finish') {
      response.write(events.last(step));
      response.end();
      return;
    }
    if (paceMs > 0) await setTimeout(paceMs, undefined, { signal: response.signal });
    if (step.kind === 'stall') await setTimeout(FOREVER_MS, undefined, { signal: response.signal });
    if (step.kind === 'abort') {
      response.fail(step.code);
      return;
    }
    if (!response.write(events.of(step))) await response.drained();
    if (step.kind === 'provider-error') {
      response.end();
      return;
    }
  }
}

/** The server-sent events of one answer. */
class StreamEvents {
  readonly #request: ChatRequest;
  readonly #head: string;

  constructor(request: ChatRequest) {
    this.#request = request;
    this.#head = `data: ${JSON.stringify(commonFields(request, 'chat.completion.chunk')).slice(0, -1)}`;
  }

  first(): Uint8Array {
    return this.#delta({ role: 'assistant', content: '' });
  }

  of(step: AnswerStep): Uint8Array {
    switch (step.kind) {
      case 'text':
        return this.#delta({ content: step.text });
      case 'reasoning':
        return this.#delta({ reasoning: step.text });
      case 'tool-call': {
        const { index, name } = step;
        const id = toolCallId(this.#request, index);
        return this.#delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      }
      case 'tool-arguments':
        return this.#delta({ tool_calls: [{ index: step.index, function: { arguments: step.text } }] });
      case 'provider-error':
        return Buffer.from(`data: ${JSON.stringify(errorObject(PROVIDER_ERROR))}\n\n`);
      case 'ping':
        return Buffer.from(': ping\n\n');
      case 'stall':
      case 'abort':
        return new Uint8Array(0);
    }
  }

  last({ finishReason, completionTokens }: Finish): Uint8Array {
    const finish = `${this.#head},"choices":[{"index":0,"delta":{},"finish_reason":"${finishReason}"}]}\n\n`;
    const usage = `${this.#head},"choices":[],"usage":${JSON.stringify(usageOf(this.#request, completionTokens))}}\n\n`;
    return Buffer.from(`${finish}${this.#request.includeUsage ? usage : ''}data: [DONE]\n\n`);
  }

  #delta(delta: object): Uint8Array {
    const choice = `{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}`;
    return Buffer.from(`${this.#head},"choices":[${choice}]}\n\n`);
  }
}

async function writeCompletion(
  request: ChatRequest,
  steps: Iterable<AnswerStep | Finish>,
  response: ApiResponseWriter,
): Promise<void> {
  const words: Record<'text' | 'reasoning', string[]> = { text: [], reasoning: [] };
  const calls: ToolCall[] = [];
  for (const step of steps) {
    switch (step.kind) {
      case 'text':
      case 'reasoning':
        words[step.kind].push(step.text);
        break;
      case 'tool-call':
        calls.push({ name: step.name, json: '' });
        break;
      case 'tool-arguments': {
        const { name = '', json = '' } = calls[step.index] ?? {};
        calls[step.index] = { name, json: json + step.text };
        break;
      }
      case 'provider-error':
        answerApiError(response, PROVIDER_ERROR);
        return;
      case 'abort':
        response.start({ status: 200, headers: [{ name: 'content-type', value: 'application/json' }] });
        response.write(Buffer.from('{"id":'));
        response.fail(step.code);
        return;
      case 'stall':
        await setTimeout(FOREVER_MS, undefined, { signal: response.signal });
        break;
      case 'ping':
        break;
      case 'finish': {
        const message = completeMessage(request, words.text.join(''), words.reasoning.join(''), calls);
        answerJson(response, 200, {
          ...commonFields(request, 'chat.completion'),
          choices: [{ index: 0, message, finish_reason: step.finishReason }],
          usage: usageOf(request, step.completionTokens),
        });
      }
    }
  }
}

function completeMessage(request: ChatRequest, text: string, reasoning: string, calls: readonly ToolCall[]): object {
  const toolCalls = calls.map(({ name, json }, index) => {
    return { id: toolCallId(request, index), type: 'function', function: { name, arguments: json } };
  });
  return {
    role: 'assistant',
    content: toolCalls.length > 0 && text === '' ? null : text,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** The first fields of each event and of a complete response. */
function commonFields({ id, model }: ChatRequest, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: CREATED, model };
}

/** Four characters of the messages are one token. */
function usageOf({ messages }: ChatRequest, completionTokens: number): object {
  const promptTokens = Math.ceil(messages.reduce((length, { text }) => length + text.length, 0) / 4);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function toolCallId({ id }: ChatRequest, index: number): string {
  return `call_${id}${index}`;
}
