// A backend whose answers a test writes while a person reads them.
import { answerJson } from '../../../src/devEnclave/model/logical.ts';
import type { LogicalHandler, LogicalResponseWriter } from '../../../src/devEnclave/model/logical.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import { EventQueue } from '../e2e/eventQueue.ts';

/** What the editor's chat asks, as far as the tests look at it. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const TYPED = /<userRequest>(.*?)<\/userRequest>/s;

export class ScriptedModel {
  readonly #questions = new EventQueue<Question>();
  readonly #others = createModel({ paceMs: 0 });
  #taken = 0;

  readonly handler: LogicalHandler = async (request, response) => {
    const body = request.target.startsWith('/v1/chat/') ? parse(request.body) : undefined;
    if (body === undefined || wordsOf(body) === undefined) return this.#others(request, response);
    const question = new Question(body, response);
    this.#questions.add(question);
    await question.over;
  };

  /** The next request that the chat makes for these words of the person; whoever takes it has to answer it. */
  async asked(words: string, deadline: number): Promise<Question> {
    const accepts = ({ body }: Question) => wordsOf(body) === words;
    const question = await this.#questions.find(`a request for "${words}"`, accepts, this.#taken, deadline);
    this.#taken = this.#questions.items.indexOf(question) + 1;
    return question;
  }
}

/** One request, and its answer in the making. */
export class Question {
  readonly body: ChatBody;
  /** Resolves when the answer is whole or nobody waits for it any more, with the time in milliseconds since 1970. */
  readonly over: Promise<number>;
  readonly #response: LogicalResponseWriter;
  #started = false;
  #calls = 0;
  #end = (): void => undefined;

  constructor(body: ChatBody, response: LogicalResponseWriter) {
    this.body = body;
    this.#response = response;
    this.over = new Promise((resolve) => {
      this.#end = () => {
        resolve(Date.now());
      };
    });
    response.signal.addEventListener('abort', this.#end);
  }

  /** Nobody waits any more. */
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

  /** The answer is whole. */
  finish(promptTokens: number, completionTokens: number): void {
    this.#stream({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    this.#stream({ choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens } });
    this.#response.end();
    this.#end();
  }

  /** There will be no answer. */
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

/** What the person has typed last. The editor wraps it in much else, and asks for things of its own without any. */
function wordsOf({ messages }: ChatBody): string | undefined {
  const typed = messages.map(({ role, content }) =>
    role === 'user' && typeof content === 'string' ? TYPED.exec(content)?.[1]?.trim() : undefined,
  );
  return typed.findLast((words) => words !== undefined);
}
