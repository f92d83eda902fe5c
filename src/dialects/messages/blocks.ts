// Puts what a model says into blocks, one after the other, as the Messages API requires. The arguments of calls may be
// interleaved: then the first call goes on, and what follows waits until its arguments are complete.
import type { ChatDelta } from '../chatReader.ts';
import { JsonObjectEnd } from './jsonObjectEnd.ts';

export type BlockStart =
  { readonly kind: 'text' | 'thinking' } | { readonly kind: 'toolUse'; readonly id: string; readonly name: string };

/** Receives the blocks. `index`: 0, 1, 2 ... Each block stops before the next one starts. */
export interface BlockSink {
  start(index: number, block: BlockStart): void;
  /** More text or thinking, or more of the JSON text of a tool's input. */
  add(index: number, text: string): void;
  stop(index: number): void;
}

interface Block {
  readonly start: BlockStart;
  /** The index of the call among all calls; undefined for other blocks. */
  readonly call: number | undefined;
  /** What has not been passed on. */
  pending: string[];
  /** Finds the end of a call's input. */
  readonly end: JsonObjectEnd;
}

export class BlockSequence {
  readonly #sink: BlockSink;
  /** The block that has started, and those that wait for its end. */
  #queue: Block[] = [];
  /** The index of the first block in the queue. */
  #index = 0;
  #hasStarted = false;

  constructor(sink: BlockSink) {
    this.#sink = sink;
  }

  push(delta: ChatDelta): void {
    switch (delta.kind) {
      case 'text':
      case 'refusal':
        this.#addText('text', delta.text);
        break;
      case 'reasoning':
        this.#addText('thinking', delta.text);
        break;
      case 'toolCall':
        this.#begin({ kind: 'toolUse', id: delta.id, name: delta.name }, delta.index);
        break;
      case 'arguments': {
        const block = this.#queue.find(({ call }) => call === delta.index);
        block?.pending.push(delta.json); // a call that is not in the queue was complete: only spaces can follow
        break;
      }
    }
    this.#advance();
  }

  end(): void {
    while (this.#queue.length > 0) {
      this.#passOn();
      this.#stop();
    }
  }

  #addText(kind: 'text' | 'thinking', text: string): void {
    const last = this.#queue.at(-1);
    if (last?.start.kind === kind) last.pending.push(text);
    else this.#begin({ kind }, undefined).pending.push(text);
  }

  #begin(start: BlockStart, call: number | undefined): Block {
    const block: Block = { start, call, pending: [], end: new JsonObjectEnd() };
    this.#queue.push(block);
    return block;
  }

  /** Passes on the first block, and each next one after the end of the one before it. */
  #advance(): void {
    this.#passOn();
    while (this.#queue.length > 1 && this.#isComplete()) {
      this.#stop();
      this.#passOn();
    }
  }

  /** Whether nothing can be added to the first block, because others have begun. */
  #isComplete(): boolean {
    const [first] = this.#queue;
    return first === undefined || first.call === undefined || first.end.isReached;
  }

  #passOn(): void {
    const [first] = this.#queue;
    if (first === undefined) return;
    if (!this.#hasStarted) this.#sink.start(this.#index, first.start);
    this.#hasStarted = true;
    for (const text of first.pending) {
      if (first.call !== undefined) first.end.push(text);
      this.#sink.add(this.#index, text);
    }
    first.pending = [];
  }

  #stop(): void {
    this.#sink.stop(this.#index);
    this.#queue.shift();
    this.#index++;
    this.#hasStarted = false;
  }
}
