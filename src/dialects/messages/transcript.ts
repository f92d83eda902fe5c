// Messages in the order that Chat Completions requires: the results of tools follow their calls without a gap.
import type { ChatAssistantMessage, ChatMessage } from '../chatCompletions.ts';

export class Transcript {
  readonly #messages: ChatMessage[] = [];
  /** The calls of the last assistant message that have no result yet, and their positions. */
  readonly #openCalls = new Map<string, number>();
  #callCount = 0;
  /** Messages that wait for the results of the open calls. */
  #held: ChatMessage[] = [];

  /** A message of the user or of the system. */
  add(message: ChatMessage): void {
    if (this.#openCalls.size === 0) this.#release();
    (this.#openCalls.size === 0 ? this.#messages : this.#held).push(message);
  }

  /** The position of a call, for results in the order of their calls: many models are not shown the ids. */
  positionOf(id: unknown): number {
    return (typeof id === 'string' ? this.#openCalls.get(id) : undefined) ?? Number.MAX_SAFE_INTEGER;
  }

  addResult(id: string, content: string): void {
    this.#messages.push({ role: 'tool', tool_call_id: id, content });
    this.#openCalls.delete(id);
  }

  /** Joins it with an assistant message directly before it: together they are one turn. */
  addAssistant(message: ChatAssistantMessage): void {
    this.#release();
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant') {
      join(last, message);
    } else {
      this.#openCalls.clear();
      this.#messages.push({ ...message, ...(message.tool_calls && { tool_calls: [...message.tool_calls] }) });
    }
    for (const { id } of message.tool_calls ?? []) this.#openCalls.set(id, this.#callCount++);
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

/** Adds a message to the one before it, in time that depends only on the new one. */
function join(target: ChatAssistantMessage, { content, reasoning, tool_calls: calls }: ChatAssistantMessage): void {
  if (typeof content === 'string' && content !== '') {
    target.content = (typeof target.content === 'string' ? target.content : '') + content;
  }
  if (reasoning !== undefined) target.reasoning = (target.reasoning ?? '') + reasoning;
  if (calls === undefined) return;
  target.tool_calls ??= [];
  for (const call of calls) target.tool_calls.push(call);
  if (target.content === '') target.content = null;
}
