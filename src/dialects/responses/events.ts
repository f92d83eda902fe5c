// The events of one response, and the items of its output while the model writes them.
import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import { formatEvent } from '../eventStream.ts';
import type { RequestEcho } from './options.ts';

/**
 * As on the wire: `output_text` is a field of the library alone. The schema of Open Responses requires the other fields, and
 * `usage` is null until it is known.
 */
export type WireResponse = Omit<Response, 'output_text' | 'usage' | keyof RequestEcho> &
  RequestEcho & {
    readonly completed_at: number | null;
    readonly store: false;
    readonly top_logprobs: number;
    readonly usage: ResponseUsage | null;
  };

/** The event of the wire without its number. */
type Unnumbered<Event> = Event extends { response: Response }
  ? Omit<Event, 'response' | 'sequence_number'> & { response: WireResponse }
  : Event extends ResponseStreamEvent
    ? Omit<Event, 'sequence_number'>
    : never;

/** Gives each event its number. */
export class EventWriter {
  readonly #isActive: boolean;
  #count = 0;

  /** @param isActive false for a response that is not streamed: then nothing is written */
  constructor(isActive: boolean) {
    this.#isActive = isActive;
  }

  write(...events: readonly Unnumbered<ResponseStreamEvent>[]): string {
    if (!this.#isActive) return '';
    return events.map((event) => formatEvent(event.type, { ...event, sequence_number: this.#count++ })).join('');
  }
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface Place {
  readonly events: EventWriter;
  readonly id: string;
  /** The index of the item in the output. */
  readonly index: number;
}

export interface OutputItem {
  /** The item as it is now. */
  item(status: ItemStatus): ResponseOutputItem;
  /** The events before `response.output_item.done`: all content is complete. */
  close(): string;
}

/** The fields that all events of an item have. */
export function itemFields({ id, index }: Place): { item_id: string; output_index: number } {
  return { item_id: id, output_index: index };
}
