// Puts items in the order that Chat Completions requires: an assistant message has the reasoning, the text and the calls of
// one turn, the results of all its calls follow, and then their images.
import type { ChatAssistantMessage, ChatMessage, ChatToolCall } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { UNSEEN_IMAGE } from '../requestModel.ts';
import type { ImagePart, InputPart } from './content.ts';

interface Result {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

/** What the assistant says and does before it gets a result or a message. */
interface Turn {
  reasoning: string;
  text: string | undefined;
  readonly calls: ChatToolCall[];
  /** By call id. */
  readonly results: Map<string, Result>;
}

const IMAGE_FOLLOWS = 'The result is an image. It follows the results of the tools.';

export class Conversation {
  readonly #seesImages: boolean;
  readonly #entries: (ChatMessage | Turn)[] = [];
  /** The turn that the next item of the assistant may belong to. */
  #turn: Turn | undefined;
  /** By call id: the calls without a result, the path of each call's item, and its turn. */
  readonly #openCalls = new Map<string, { readonly path: string; readonly turn: Turn }>();

  /** @param seesImages whether the model does: for others, sentences replace the images in results */
  constructor(seesImages: boolean) {
    this.#seesImages = seesImages;
  }

  addMessage(message: ChatMessage): void {
    this.#entries.push(message);
    this.#turn = undefined;
  }

  addReasoning(text: string): void {
    const turn = this.#turnFor((current) => current.text === undefined && current.calls.length === 0);
    turn.reasoning += turn.reasoning === '' ? text : `\n\n${text}`;
  }

  addText(text: string): void {
    this.#turnFor((current) => current.text === undefined && current.calls.length === 0).text = text;
  }

  /** @throws DialectError if another call with this id has no result yet */
  addCall(path: string, call: ChatToolCall): void {
    if (this.#openCalls.has(call.id)) throw invalidField(`${path}.call_id`, 'another call has the same id.');
    const turn = this.#turnFor(() => true);
    turn.calls.push(call);
    this.#openCalls.set(call.id, { path, turn });
  }

  /** @throws DialectError if no call waits for this result */
  addResult(path: string, callId: string, content: readonly InputPart[]): void {
    const open = this.#openCalls.get(callId);
    if (open === undefined) {
      throw invalidField(
        `${path}.call_id`,
        'no call with this id comes before its output. The proxy stores no conversations: send all items.',
      );
    }
    this.#openCalls.delete(callId);
    const texts = content.flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return this.#seesImages ? [] : [UNSEEN_IMAGE];
    });
    const images = this.#seesImages ? content.filter((part) => part.type === 'image_url') : [];
    open.turn.results.set(callId, { text: texts.join('\n'), images });
  }

  /** @throws DialectError if a call has no result */
  end(): ChatMessage[] {
    for (const { path } of this.#openCalls.values()) {
      throw invalidField(path, 'the output of this call is missing.');
    }
    return this.#entries.flatMap((entry) => ('results' in entry ? messagesOf(entry) : [entry]));
  }

  /** The current turn if it has no results yet and this holds for it, else a new one. */
  #turnFor(continues: (turn: Turn) => boolean): Turn {
    const current = this.#turn;
    if (current !== undefined && current.results.size === 0 && continues(current)) return current;
    const turn: Turn = { reasoning: '', text: undefined, calls: [], results: new Map() };
    this.#turn = turn;
    this.#entries.push(turn);
    return turn;
  }
}

function messagesOf({ reasoning, text, calls, results }: Turn): ChatMessage[] {
  if (text === undefined && calls.length === 0) return []; // the model was stopped while it reasoned
  const message: ChatAssistantMessage = {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  // in the order of the calls: the templates of many models leave out the ids
  const ordered = calls.flatMap(({ id }) => {
    const result = results.get(id);
    return result === undefined ? [] : [{ id, ...result }];
  });
  const images = ordered.flatMap(imagesOf);
  return [
    message,
    ...ordered.map((result): ChatMessage => ({
      role: 'tool',
      tool_call_id: result.id,
      content: result.text === '' && result.images.length > 0 ? IMAGE_FOLLOWS : result.text,
    })),
    ...(images.length > 0 ? [{ role: 'user', content: images } as const] : []),
  ];
}

function imagesOf({ id, images }: Result & { readonly id: string }): InputPart[] {
  return images.length === 0 ? [] : [{ type: 'text', text: `Images in the result of the tool call ${id}:` }, ...images];
}
