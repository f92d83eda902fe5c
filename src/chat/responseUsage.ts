// The tokens of one response, from which the editor's chat shows how full the context window is. A backend may report none:
// then they are estimated, because the editor would go on to show those of an earlier response.
import { countTokens } from '../shared/tokens.ts';
import type { Conversation } from './request.ts';
import type { ResponseEvent } from './responseReader.ts';
import { countMessageTokens } from './tokens.ts';

type Usage = Extract<ResponseEvent, { kind: 'usage' }>;

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
