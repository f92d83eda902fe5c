// The reply to a request of the Responses API.
import type { ResponseOutputItem, ResponseUsage } from 'openai/resources/responses/responses';
import type { ChatDelta, ChatUsage } from '../chatReader.ts';
import type { Reply, ReplyIdentity, ReplyOutcome } from '../dialect.ts';
import type { DialectError } from '../dialectError.ts';
import { createCallItem, searchItem, searchOutput } from './callItems.ts';
import type { CallItem } from './callItems.ts';
import { failureOf } from './errors.ts';
import { EventWriter } from './events.ts';
import type { WireResponse } from './events.ts';
import type { ItemStatus, OutputItem, Place } from './events.ts';
import { MessageItem } from './messageItem.ts';
import { UNREPORTED } from './options.ts';
import type { ClientTool, ResponsesPlan } from './plan.ts';
import { ReasoningItem } from './reasoningItem.ts';

/** Of the ids of items. */
const CALL_PREFIXES = { function: 'fc', custom: 'ctc', search: 'tsc' } as const;

interface Entry {
  readonly item: OutputItem;
  readonly index: number;
}

export class ResponsesReply implements Reply {
  readonly #plan: ResponsesPlan;
  readonly #identity: ReplyIdentity;
  readonly #events: EventWriter;
  /** The items that are complete, and gaps for the others. */
  readonly #output: (ResponseOutputItem | undefined)[] = [];
  /** The items that the model may still continue, in the order of their beginnings. */
  #open: Entry[] = [];
  /** By the index of the delta. */
  readonly #calls = new Map<number, CallItem>();
  /** The deferred tools that this response has loaded, by the names of their functions. */
  readonly #loaded = new Set<string>();
  #hasBegun = false;

  constructor(plan: ResponsesPlan, identity: ReplyIdentity) {
    this.#plan = plan;
    this.#identity = identity;
    this.#events = new EventWriter(plan.stream);
  }

  begin(): string {
    this.#hasBegun = true;
    const response = this.#response({ status: 'in_progress' });
    return this.#events.write({ type: 'response.created', response }, { type: 'response.in_progress', response });
  }

  delta(delta: ChatDelta): string {
    switch (delta.kind) {
      case 'text':
      case 'refusal': {
        const [item, begin] = this.#itemOf(MessageItem, 'msg', (place) => new MessageItem(place));
        return begin + item.add(delta.kind, delta.text);
      }
      case 'reasoning': {
        const { summarizes, sealsReasoning } = this.#plan;
        const seal = sealsReasoning ? this.#identity.seal : undefined;
        const create = (place: Place) => new ReasoningItem(place, summarizes, seal);
        const [item, begin] = this.#itemOf(ReasoningItem, 'rs', create);
        return begin + item.add(delta.text);
      }
      case 'toolCall': {
        const search = this.#load(delta.name);
        const tool = this.#toolOf(delta.name);
        const [item, begin] = this.#begin(CALL_PREFIXES[tool.kind], (place) =>
          createCallItem({ ...place, callId: delta.id, tool }),
        );
        this.#calls.set(delta.index, item);
        return search + begin;
      }
      case 'arguments':
        return this.#calls.get(delta.index)?.add(delta.json) ?? '';
    }
  }

  /** A comment: it keeps the connection alive and is not an event. */
  ping(): string {
    return ': ping\n\n';
  }

  end(outcome: ReplyOutcome): string {
    const events = this.#closeAll(outcome);
    const response = this.#finalResponse(outcome);
    const type = response.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    return events + this.#events.write({ type, response });
  }

  fail(error: DialectError): string {
    const begin = this.#hasBegun ? '' : this.begin();
    const response = this.#response({ status: 'failed', error: failureOf(error) });
    return begin + this.#events.write({ type: 'response.failed', response });
  }

  body(outcome: ReplyOutcome): string {
    this.#closeAll(outcome);
    return JSON.stringify(this.#finalResponse(outcome));
  }

  /** The last item if it is of this class, else a new one. */
  #itemOf<Item extends OutputItem>(
    type: abstract new (...parameters: never) => Item,
    prefix: string,
    create: (place: Place) => Item,
  ): [Item, string] {
    const last = this.#open.at(-1)?.item;
    return last instanceof type ? [last, ''] : this.#begin(prefix, create);
  }

  #begin<Item extends OutputItem>(prefix: string, create: (place: Place) => Item): [Item, string] {
    // Calls may be interleaved, so they stay open. Items end in the order of their beginnings.
    const end = this.#calls.size === 0 ? this.#close('completed') : '';
    const index = this.#output.length;
    const id = `${prefix}_${this.#identity.id}${index.toString(16).padStart(4, '0')}`;
    const item = create({ events: this.#events, id, index });
    this.#output.push(undefined);
    this.#open.push({ item, index });
    const fields = { output_index: index, item: item.item('in_progress') };
    return [item, end + this.#events.write({ type: 'response.output_item.added', ...fields })];
  }

  /** @param lastStatus that of the last item */
  #close(lastStatus: ItemStatus): string {
    const entries = this.#open;
    this.#open = [];
    return entries
      .map(({ item, index }, position) => {
        const end = item.close();
        const done = item.item(position === entries.length - 1 ? lastStatus : 'completed');
        this.#output[index] = done;
        return end + this.#events.write({ type: 'response.output_item.done', output_index: index, item: done });
      })
      .join('');
  }

  #closeAll({ finish }: ReplyOutcome): string {
    return this.#close(finish === 'length' || finish === 'contentFilter' ? 'incomplete' : 'completed');
  }

  #toolOf(alias: string): ClientTool {
    const { tools, deferred } = this.#plan;
    const known = Object.hasOwn(tools, alias) ? tools[alias] : undefined;
    const tool = known ?? { kind: 'function', name: alias };
    // a loaded tool is always in a namespace, even if that has only this tool
    return Object.hasOwn(deferred.tools, alias) ? { ...tool, namespace: tool.namespace ?? tool.name } : tool;
  }

  /** The search that loads a deferred tool, before its first call. */
  #load(alias: string): string {
    const { tools, deferred } = this.#plan;
    const definition = Object.hasOwn(deferred.tools, alias) ? deferred.tools[alias] : undefined;
    const client = tools[alias];
    if (client === undefined || definition === undefined || definition === null || this.#loaded.has(alias)) return '';
    this.#loaded.add(alias);
    const output = searchOutput(client, definition, deferred.namespaces);
    return this.#begin('tsc', searchItem(client))[1] + this.#begin('tso', output)[1];
  }

  #finalResponse({ finish, usage, completedAt, reported }: ReplyOutcome): WireResponse {
    const facts = { usage: usage === undefined ? null : toUsage(usage), ...UNREPORTED, ...reported };
    if (finish !== 'length' && finish !== 'contentFilter') {
      return this.#response({ status: 'completed', completed_at: completedAt ?? null, ...facts });
    }
    const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
    return this.#response({ status: 'incomplete', incomplete_details: { reason }, ...facts });
  }

  #response(state: Partial<WireResponse>): WireResponse {
    return {
      id: `resp_${this.#identity.id}`,
      object: 'response',
      created_at: this.#identity.createdAt,
      completed_at: null,
      error: null,
      incomplete_details: null,
      model: this.#plan.model,
      output: this.#output.filter((item) => item !== undefined),
      ...this.#plan.echo,
      background: false,
      previous_response_id: null,
      store: false,
      top_logprobs: 0,
      truncation: 'disabled',
      usage: null,
      ...state,
    };
  }
}

function toUsage({ input, cached, output, reasoning }: ChatUsage): ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
