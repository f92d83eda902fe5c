// Messages in the order that Chat Completions requires: the results of tools follow their calls without a gap.
import type { ChatAssistantMessage, ChatMessage } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import type { DialectError } from '../dialectError.ts';

interface OpenCall {
  /** The path of its message. */
  readonly path: string;
  readonly position: number;
}

export class Transcript {
  readonly #messages: ChatMessage[] = [];
  /** By id: the calls of the last assistant message that have no result yet. */
  readonly #openCalls = new Map<string, OpenCall>();
  #callCount = 0;
  /** Messages that wait for the results of the open calls. */
  #held: ChatMessage[] = [];
  #problem: DialectError | undefined;

  /** The first call without a result, or result without a call, so far. */
  get problem(): DialectError | undefined {
    return this.#problem;
  }

  /** A message of the user or of the system. */
  add(message: ChatMessage): void {
    if (this.#openCalls.size === 0) this.#release();
    (this.#openCalls.size === 0 ? this.#messages : this.#held).push(message);
  }

  /** The position of a call, for results in the order of their calls: many models are not shown the ids. */
  positionOf(id: unknown): number {
    return (typeof id === 'string' ? this.#openCalls.get(id)?.position : undefined) ?? Number.MAX_SAFE_INTEGER;
  }

  /** @param path of the block with the result */
  addResult(path: string, id: string, content: string): void {
    this.#messages.push({ role: 'tool', tool_call_id: id, content });
    if (this.#openCalls.delete(id)) return;
    const problem = `the tool_result for ${quote(id)} has no tool_use block with this id in the message before it.`;
    this.#problem ??= invalidField(path, `${problem} Send the complete conversation.`);
  }

  /** Joins it with an assistant message directly before it: together they are one turn. */
  addAssistant(path: string, message: ChatAssistantMessage): void {
    this.#release();
    const last = this.#messages.at(-1);
    if (last?.role === 'assistant') {
      join(last, message);
    } else {
      this.#endCalls();
      this.#messages.push({ ...message, ...(message.tool_calls && { tool_calls: [...message.tool_calls] }) });
    }
    for (const { id } of message.tool_calls ?? []) {
      if (this.#openCalls.has(id)) {
        this.#problem ??= invalidField(path, `two tool_use blocks have the id ${quote(id)}. Give each its own.`);
      }
      this.#openCalls.set(id, { path, position: this.#callCount++ });
    }
  }

  end(): readonly ChatMessage[] {
    this.#endCalls();
    this.#release();
    return this.#messages;
  }

  /** No results can follow. */
  #endCalls(): void {
    for (const [id, { path }] of this.#openCalls) {
      const problem = `the tool_use block ${quote(id)} has no tool_result in the next message of the user.`;
      this.#problem ??= invalidField(path, `${problem} Send the results of all calls.`);
    }
    this.#openCalls.clear();
  }

  #release(): void {
    for (const message of this.#held) this.#messages.push(message);
    this.#held = [];
  }
}

function quote(id: string): string {
  return JSON.stringify(id.slice(0, 100));
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
