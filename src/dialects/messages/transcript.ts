// Messages in the order that Chat Completions requires: the results of tools follow their calls without a gap.
import type { ChatAssistantMessage, ChatMessage } from '../chatCompletions.ts';

export class Transcript {
  readonly #messages: ChatMessage[] = [];
  /** The calls of the last assistant message that have no result yet. */
  readonly #openCalls = new Set<string>();
  /** Messages that wait for the results of the open calls. */
  #held: ChatMessage[] = [];

  /** A message of the user or of the system. */
  add(message: ChatMessage): void {
    if (this.#openCalls.size === 0) this.#release();
    (this.#openCalls.size === 0 ? this.#messages : this.#held).push(message);
  }

  addResult(id: string, content: string): void {
    this.#messages.push({ role: 'tool', tool_call_id: id, content });
    this.#openCalls.delete(id);
  }

  /** Joins it with an assistant message directly before it: together they are one turn. */
  addAssistant(message: ChatAssistantMessage): void {
    this.#release();
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant') this.#messages[this.#messages.length - 1] = join(last, message);
    else this.#messages.push(message);
    if (last?.role !== 'assistant') this.#openCalls.clear();
    for (const { id } of message.tool_calls ?? []) this.#openCalls.add(id);
  }

  end(): readonly ChatMessage[] {
    this.#release();
    return this.#messages;
  }

  #release(): void {
    for (const message of this.#held) this.#messages.push(message);
    this.#held = [];
  }
}

function join(one: ChatAssistantMessage, other: ChatAssistantMessage): ChatAssistantMessage {
  const content = textOf(one) + textOf(other);
  const calls = [...(one.tool_calls ?? []), ...(other.tool_calls ?? [])];
  const reasoning = (one.reasoning ?? '') + (other.reasoning ?? '');
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function textOf({ content }: ChatAssistantMessage): string {
  return typeof content === 'string' ? content : '';
}
