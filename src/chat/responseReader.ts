// A streamed response as a sequence of events: text, reasoning, complete tool calls, usage. Bytes in, events out.
import { randomUUID } from 'node:crypto';
import { ChatReader, END_OF_STREAM } from '../dialects/chatReader.ts';
import type { ChatDelta, FinishReason } from '../dialects/chatReader.ts';
import { DialectError } from '../dialects/dialectError.ts';
import { EventStreamReader } from '../dialects/eventStream.ts';
import { parseResponseJson } from '../dialects/jsonValues.ts';
import { LONGEST_NAME, asPlain } from '../shared/escape.ts';
import { asObject } from '../shared/json.ts';
import { ChatError } from './chatError.ts';

export type ResponseEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'usage'; readonly input: number; readonly output: number }
  /** The response is over, but not complete. The message is for the user. */
  | { readonly kind: 'cutOff'; readonly message: string };

interface ToolCall {
  readonly id: string;
  readonly name: string;
  json: string;
}

/** Why a response is not complete, by its finish reason. */
const CUT_OFF: Readonly<Partial<Record<FinishReason, string>>> = {
  length:
    'The response was cut off, because it reached the maximum length. Ask the model to continue, or start a new chat.',
  contentFilter: 'The response was cut off by a content filter of the backend. Rephrase your prompt.',
};

/** Reads the event stream of one response. */
export class ResponseReader {
  readonly #onEvent: (event: ResponseEvent) => void;
  readonly #events = new EventStreamReader();
  readonly #chat = new ChatReader(() => `call_${randomUUID()}`);
  readonly #calls: ToolCall[] = [];
  #done = false;

  constructor(onEvent: (event: ResponseEvent) => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Reads the next bytes of the body, which may end anywhere.
   * @throws ChatError if they are not part of an event stream, or report an error
   */
  push(bytes: Uint8Array): void {
    this.#read(() => this.#events.push(bytes));
  }

  /**
   * Ends the body.
   * @throws ChatError if the response is not complete
   */
  end(): void {
    this.#read(() => this.#events.end());
    if (!this.#done) throw new ChatError('The response ended before it was complete. Try again.');
    const { usage } = this.#chat;
    if (usage !== undefined) this.#onEvent({ kind: 'usage', input: usage.input, output: usage.output });
  }

  #read(next: () => readonly string[]): void {
    try {
      for (const data of next()) {
        for (const delta of this.#chat.read(data)) this.#addDelta(delta);
        const { outcome } = this.#chat;
        if (!this.#done && (outcome !== undefined || data.trim() === END_OF_STREAM)) this.#finish(outcome?.finish);
      }
    } catch (error) {
      throw error instanceof DialectError ? new ChatError(error.message) : error;
    }
  }

  #addDelta(delta: ChatDelta): void {
    switch (delta.kind) {
      case 'text':
      case 'refusal':
        this.#onEvent({ kind: 'text', text: delta.text });
        break;
      case 'reasoning':
        this.#onEvent({ kind: 'thinking', text: delta.text });
        break;
      case 'toolCall':
        this.#calls[delta.index] = { id: delta.id, name: delta.name, json: '' };
        break;
      case 'arguments': {
        const call = this.#calls[delta.index];
        if (call !== undefined) call.json += delta.json;
      }
    }
  }

  /** @param reason undefined if the backend gave none */
  #finish(reason: FinishReason | undefined): void {
    this.#done = true;
    const message = reason && CUT_OFF[reason];
    if (message !== undefined) {
      this.#onEvent({ kind: 'cutOff', message }); // the arguments of its calls may be cut off too
      return;
    }
    for (const { id, name, json } of this.#calls) {
      this.#onEvent({ kind: 'toolCall', id, name, input: argumentsOf(name, json) });
    }
  }
}

function argumentsOf(name: string, json: string): object {
  if (json.trim() === '') return {};
  const value = asObject(parseResponseJson(json));
  if (value !== undefined) return value;
  throw new ChatError(`The model called the tool ${asPlain(name, LONGEST_NAME)} with invalid arguments. Try again.`);
}
