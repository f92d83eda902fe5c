// The tokens of messages and responses: reported, or estimated. Pure.
import { PER_IMAGE, PER_MESSAGE, countTokens } from '../shared/tokens.ts';
import type { Conversation, Message, Part } from './request.ts';
import type { ResponseEvent } from './responseReader.ts';

/** The estimated number of tokens in a message with all its parts. */
export function countMessageTokens({ parts }: Message): number {
  return PER_MESSAGE + sum(parts);
}

function sum(parts: readonly Part[]): number {
  return parts.map(countPart).reduce((total, count) => total + count, 0);
}

function countPart(part: Part): number {
  switch (part.kind) {
    case 'text':
      return countTokens(part.text);
    case 'thinking':
      return 0;
    case 'image':
      return PER_IMAGE;
    case 'toolCall':
      return PER_MESSAGE + countTokens(part.name) + countTokens(JSON.stringify(part.input ?? {}));
    case 'toolResult':
      return PER_MESSAGE + sum(part.parts);
  }
}

type Usage = Extract<ResponseEvent, { kind: 'usage' }>;

/**
 * The tokens of one response, from which the editor's chat shows how full the context window is. A backend may report none:
 * then they are estimated, because the editor would go on to show those of an earlier response.
 */
export class ResponseUsage {
  readonly #conversation: Pick<Conversation, 'messages' | 'tools'>;
  readonly #texts: string[] = [];
  #isReported = false;

  constructor(conversation: Pick<Conversation, 'messages' | 'tools'>) {
    this.#conversation = conversation;
  }

  /** To be called with each event of the response. */
  add(event: ResponseEvent): void {
    if (event.kind === 'usage') this.#isReported = true;
    else if (event.kind === 'toolCall') this.#texts.push(event.name, JSON.stringify(event.input));
    else if (event.kind !== 'cutOff') this.#texts.push(event.text);
  }

  /** At the end of the response: the estimated usage, or undefined if the backend has reported one. */
  estimate(): Usage | undefined {
    if (this.#isReported) return undefined;
    const { messages, tools } = this.#conversation;
    const input = messages.reduce((total, message) => total + countMessageTokens(message), 0);
    const offered = tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
    return { kind: 'usage', input: input + offered, output: countTokens(this.#texts.join('')) };
  }
}
