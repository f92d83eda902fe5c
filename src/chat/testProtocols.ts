// How a tiny request is made of each API that the proxy offers, and how its streamed response is read.
import type { DialectName } from '../dialects/dialect.ts';
import { EventStreamReader } from '../dialects/eventStream.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';
import { ChatError } from './chatError.ts';
import { ResponseReader } from './responseReader.ts';

export interface TestProtocol {
  readonly path: '/v1/chat/completions' | '/anthropic/v1/messages' | '/responses/v1/responses';
  readonly body: (model: string) => object;
  /** Reads the event stream. `onChunk` is called for each part of the answer. */
  readonly createReader: (onChunk: () => void) => TestReader;
}

interface TestReader {
  /** @throws Error if the bytes are not part of an event stream, or report an error */
  push(bytes: Uint8Array): void;
  /** @throws Error if the response is not complete */
  end(): void;
}

const PROMPT = 'Say OK.';
const MAX_OUTPUT = 16;

export const CHAT_COMPLETIONS: TestProtocol = {
  path: '/v1/chat/completions',
  body: (model) => ({
    model,
    stream: true,
    stream_options: { include_usage: true }, // so that the proxy can count the tokens
    max_tokens: MAX_OUTPUT,
    messages: [{ role: 'user', content: PROMPT }],
  }),
  createReader: (onChunk) =>
    new ResponseReader(({ kind }) => {
      if (kind === 'text' || kind === 'thinking') onChunk();
    }),
};

export const DIALECT_PROTOCOLS: Readonly<Record<DialectName, TestProtocol>> = {
  messages: {
    path: '/anthropic/v1/messages',
    body: (model) => ({
      model,
      stream: true,
      max_tokens: MAX_OUTPUT,
      thinking: { type: 'adaptive' }, // a response that is so short may have nothing else
      messages: [{ role: 'user', content: PROMPT }],
    }),
    createReader: (onChunk) => new DialectReader(onChunk, ['content_block_delta'], ['message_stop'], ['error']),
  },
  responses: {
    path: '/responses/v1/responses',
    body: (model) => ({ model, stream: true, store: false, max_output_tokens: MAX_OUTPUT, input: PROMPT }),
    createReader: (onChunk) =>
      new DialectReader(
        onChunk,
        ['response.output_text.delta', 'response.reasoning_text.delta', 'response.reasoning_summary_text.delta'],
        ['response.completed', 'response.incomplete'],
        ['response.failed', 'error'],
      ),
  },
};

/** Reads events that name their type. */
class DialectReader implements TestReader {
  readonly #events = new EventStreamReader();
  readonly #onChunk: () => void;
  readonly #chunks: readonly string[];
  readonly #ends: readonly string[];
  readonly #errors: readonly string[];
  #isComplete = false;

  constructor(onChunk: () => void, chunks: readonly string[], ends: readonly string[], errors: readonly string[]) {
    this.#onChunk = onChunk;
    this.#chunks = chunks;
    this.#ends = ends;
    this.#errors = errors;
  }

  push(bytes: Uint8Array): void {
    this.#read(this.#events.push(bytes));
  }

  end(): void {
    this.#read(this.#events.end());
    if (!this.#isComplete) throw new ChatError('The response ended before it was complete. Try again.');
  }

  #read(events: readonly string[]): void {
    for (const data of events) {
      const type = String(fieldsOf(parseJson(data))['type']);
      if (this.#errors.includes(type)) throw new ChatError('The backend stopped with an error. Try again.');
      if (this.#ends.includes(type)) this.#isComplete = true;
      if (this.#chunks.includes(type)) this.#onChunk();
    }
  }
}
