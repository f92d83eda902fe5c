// A backend whose responses a test writes while the chat shows them.
import { answerJson } from '../../../src/devEnclave/model/apiHandler.ts';
import type { ApiHandler, ApiResponseWriter } from '../../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import { chatBody } from '../e2e/chat.ts';
import { EventQueue } from '../e2e/eventQueue.ts';

/** The parts of a request from the editor's chat that tests look at. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly reasoning_effort?: string;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const TYPED = /<userRequest>(.*?)<\/userRequest>/s;

/** The body of a request with this prompt, as the editor's chat sends it. */
export function typed(prompt: string): string {
  return chatBody(`<userRequest>${prompt}</userRequest>`, { stream: true });
}

export class ScriptedModel {
  readonly #chats = new EventQueue<PendingChat>();
  readonly #others = createModel({ paceMs: 0 });
  #taken = 0;

  readonly handler: ApiHandler = async (request, response) => {
    const body = request.target.startsWith('/v1/chat/') ? parse(request.body) : undefined;
    if (body === undefined || promptOf(body) === undefined) return this.#others(request, response);
    const chat = new PendingChat(body, response);
    this.#chats.add(chat);
    await chat.over;
  };

  /** Waits for the chat's next request with this prompt. The caller must respond to it. */
  async nextChat(prompt: string): Promise<PendingChat> {
    const accepts = ({ body }: PendingChat) => promptOf(body) === prompt;
    const chat = await this.#chats.find(`a request for "${prompt}"`, accepts, this.#taken);
    this.#taken = this.#chats.items.indexOf(chat) + 1;
    return chat;
  }
}

/** One request, and its response while it is being written. */
export class PendingChat {
  readonly body: ChatBody;
  /** Resolves when the response is complete or cancelled. */
  readonly over: Promise<void>;
  readonly #response: ApiResponseWriter;
  #started = false;
  #calls = 0;
  #end = (): void => undefined;

  constructor(body: ChatBody, response: ApiResponseWriter) {
    this.body = body;
    this.#response = response;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    response.signal.addEventListener('abort', this.#end);
  }

  /** Whether the client has cancelled the request. */
  get isCancelled(): boolean {
    return this.#response.signal.aborted;
  }

  think(reasoning: string): void {
    this.#stream({ choices: [{ delta: { reasoning } }] });
  }

  say(content: string): void {
    this.#stream({ choices: [{ delta: { content } }] });
  }

  call(name: string, argument: object): void {
    const called = { name, arguments: JSON.stringify(argument) };
    const index = this.#calls++;
    this.#stream({ choices: [{ delta: { tool_calls: [{ index, id: `call_${name}`, function: called }] } }] });
  }

  /** Completes the response, or cuts it off for this reason. */
  finish(
    promptTokens: number,
    completionTokens: number,
    reason: 'stop' | 'length' = 'stop',
    details: object = {},
  ): void {
    const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, ...details };
    this.#stream({ choices: [{ delta: {}, finish_reason: reason }] });
    this.#stream({ choices: [], usage });
    this.#response.end();
    this.#end();
  }

  /** Completes the response without the usage. */
  finishWithoutUsage(): void {
    this.#stream({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    this.#response.end();
    this.#end();
  }

  /** Responds with an error. */
  refuse(status: number, message: string, retryAfter: string): void {
    answerJson(this.#response, status, { error: { message } }, [{ name: 'retry-after', value: retryAfter }]);
    this.#end();
  }

  #stream(event: object): void {
    if (!this.#started) {
      this.#response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
    }
    this.#started = true;
    this.#response.write(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }
}

function parse(body: Uint8Array | undefined): ChatBody {
  return JSON.parse(Buffer.from(body ?? []).toString()) as ChatBody;
}

/** The user's last prompt. The editor adds much to it, and sends requests of its own without any prompt. */
function promptOf({ messages }: ChatBody): string | undefined {
  const typed = messages.map(({ role, content }) =>
    role === 'user' && typeof content === 'string' ? TYPED.exec(content)?.[1]?.trim() : undefined,
  );
  return typed.findLast((prompt) => prompt !== undefined);
}
