// The response of the Messages API, made from the deltas of a response of Chat Completions.
import type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  StopReason,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { LONGEST_NAME, asPlain } from '../../shared/escape.ts';
import { asObject } from '../../shared/json.ts';
import type { ChatDelta, ChatOutcome, ChatUsage, FinishReason } from '../chatReader.ts';
import { requestIdOf } from '../dialect.ts';
import type { Reply, ReplyIdentity } from '../dialect.ts';
import { invalidResponse } from '../dialectError.ts';
import type { DialectError } from '../dialectError.ts';
import { formatEvent } from '../eventStream.ts';
import { parseExactJson } from '../exactJson.ts';
import { parseResponseJson } from '../jsonValues.ts';
import { BlockSequence } from './blocks.ts';
import type { BlockSink, BlockStart } from './blocks.ts';
import { errorResponse } from './errors.ts';
import type { MessagesPlan } from './request.ts';

/** Clients require one. It only tells that nobody has signed the thinking. */
const SIGNATURE = Buffer.from('unsigned').toString('base64');

const STOP_REASONS: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn', // also after a stop sequence: the backend does not tell which one
  length: 'max_tokens',
  toolCalls: 'tool_use',
  contentFilter: 'refusal',
};

export function createReply(plan: MessagesPlan, identity: ReplyIdentity): Reply {
  return new MessagesReply(plan, identity);
}

class MessagesReply implements Reply {
  readonly #plan: MessagesPlan;
  readonly #id: string;
  readonly #output: EventWriter | ContentCollector;
  readonly #blocks: BlockSequence;
  #isRefused = false;

  constructor(plan: MessagesPlan, { id }: ReplyIdentity) {
    this.#plan = plan;
    this.#id = id;
    this.#output = plan.stream ? new EventWriter() : new ContentCollector();
    this.#blocks = new BlockSequence(this.#output);
  }

  begin(): string {
    if (!this.#plan.stream) return '';
    const message = this.#message([], undefined, undefined);
    const usage = { ...message.usage, input_tokens: this.#plan.inputEstimate };
    return event({ type: 'message_start', message: { ...message, usage } });
  }

  delta(delta: ChatDelta): string {
    this.#isRefused ||= delta.kind === 'refusal';
    if (delta.kind === 'reasoning' && this.#plan.hidesThinking) return '';
    this.#blocks.push(delta);
    return this.#output.take();
  }

  ping(): string {
    return formatEvent('ping', { type: 'ping' });
  }

  end({ finish, usage }: ChatOutcome): string {
    this.#blocks.end();
    const delta = { ...this.#stop(finish), container: null };
    const events = [event({ type: 'message_delta', delta, usage: countsOf(usage) }), event({ type: 'message_stop' })];
    return this.#output.take() + events.join('');
  }

  fail(error: DialectError): string {
    return formatEvent('error', errorResponse(error, requestIdOf(this.#id)));
  }

  /** @throws DialectError if the input of a tool is not valid JSON */
  body({ finish, usage }: ChatOutcome): string {
    this.#blocks.end();
    const content = this.#output instanceof ContentCollector ? this.#output.content(finish) : [];
    return JSON.stringify(this.#message(content, finish, usage));
  }

  #message(content: ContentBlock[], finish: FinishReason | undefined, usage: ChatUsage | undefined): Message {
    return {
      id: `msg_${this.#id}`,
      type: 'message',
      role: 'assistant',
      model: this.#plan.model,
      content,
      ...(finish === undefined ? { stop_reason: null, stop_sequence: null, stop_details: null } : this.#stop(finish)),
      usage: usageOf(usage),
      container: null,
      diagnostics: null,
    };
  }

  #stop(finish: FinishReason): Pick<Message, 'stop_reason' | 'stop_sequence' | 'stop_details'> {
    const reason = this.#isRefused && finish === 'stop' ? 'refusal' : STOP_REASONS[finish];
    const details = reason === 'refusal' ? ({ type: 'refusal', category: null, explanation: null } as const) : null;
    return { stop_reason: reason, stop_sequence: null, stop_details: details };
  }
}

/** Writes blocks as the events of a stream. */
class EventWriter implements BlockSink {
  #text = '';
  #block: BlockStart = { kind: 'text' };

  start(index: number, block: BlockStart): void {
    this.#block = block;
    this.#text += event({ type: 'content_block_start', index, content_block: toBlock(block, '', '', {}) });
  }

  add(index: number, text: string): void {
    this.#text += event({ type: 'content_block_delta', index, delta: toDelta(this.#block, text) });
  }

  stop(index: number): void {
    if (this.#block.kind === 'thinking') {
      const delta = { type: 'signature_delta', signature: SIGNATURE } as const;
      this.#text += event({ type: 'content_block_delta', index, delta });
    }
    this.#text += event({ type: 'content_block_stop', index });
  }

  /** The events since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

/** Collects blocks for a response that is not streamed. */
class ContentCollector implements BlockSink {
  readonly #blocks: { readonly start: BlockStart; readonly texts: string[] }[] = [];

  start(_index: number, start: BlockStart): void {
    this.#blocks.push({ start, texts: [] });
  }

  add(index: number, text: string): void {
    this.#blocks[index]?.texts.push(text);
  }

  stop(): void {
    // A block that has no end is complete with the response.
  }

  take(): string {
    return '';
  }

  content(finish: FinishReason): ContentBlock[] {
    return this.#blocks.map(({ start, texts }) => {
      const text = texts.join('');
      return toBlock(start, text, SIGNATURE, start.kind === 'toolUse' ? inputOf(start.name, text, finish) : {});
    });
  }
}

function event(data: RawMessageStreamEvent): string {
  return formatEvent(data.type, data);
}

function toBlock(block: BlockStart, text: string, signature: string, input: object): ContentBlock {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text, citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: text, signature };
    case 'toolUse':
      return { type: 'tool_use', id: block.id, name: block.name, input, caller: { type: 'direct' } };
  }
}

function toDelta({ kind }: BlockStart, text: string): RawContentBlockDelta {
  if (kind === 'text') return { type: 'text_delta', text };
  return kind === 'thinking'
    ? { type: 'thinking_delta', thinking: text }
    : { type: 'input_json_delta', partial_json: text };
}

/** Empty if the response was cut off in the middle of it: the reason of the stop tells the client so. */
function inputOf(name: string, json: string, finish: FinishReason): object {
  if (json.trim() === '') return {};
  const input = asObject(parseResponseJson(json, parseExactJson));
  if (input !== undefined) return input;
  if (finish === 'length' || finish === 'contentFilter') return {};
  const tool = asPlain(name, LONGEST_NAME);
  throw invalidResponse(
    `The model called the tool ${tool} with an input that is not valid JSON, or has too many values. Try again.`,
  );
}

/** Cached tokens are not among the input tokens of this API. */
function countsOf(usage: ChatUsage | undefined): MessageDeltaUsage {
  return {
    input_tokens: usage === undefined ? 0 : usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage?.cached ?? 0,
    output_tokens: usage?.output ?? 0,
    output_tokens_details: usage === undefined ? null : { thinking_tokens: usage.reasoning },
    server_tool_use: null,
  };
}

function usageOf(usage: ChatUsage | undefined): Usage {
  const { input_tokens: input, ...counts } = countsOf(usage);
  return {
    ...counts,
    input_tokens: input ?? 0,
    cache_creation: null,
    inference_geo: null,
    service_tier: null,
    speed: null,
  };
}
