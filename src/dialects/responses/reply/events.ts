// Writes the events of one response, each with its number.
import type { Response, ResponseStreamEvent, ResponseUsage } from 'openai/resources/responses/responses';
import { formatEvent } from '../../eventStream.ts';
import type { RequestEcho } from '../plan.ts';

/**
 * As on the wire: `output_text` is a field of the library alone. The schema of Open Responses requires the other fields, and
 * `usage` is null until it is known.
 */
export type WireResponse = Omit<Response, 'output_text' | 'usage' | 'service_tier'> &
  RequestEcho & {
    readonly completed_at: number | null;
    readonly service_tier: string;
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
export type UnnumberedEvent = Unnumbered<ResponseStreamEvent>;

export class EventWriter {
  readonly #isActive: boolean;
  #count = 0;

  /** @param isActive false for a response that is not streamed: then nothing is written */
  constructor(isActive: boolean) {
    this.#isActive = isActive;
  }

  write(...events: readonly UnnumberedEvent[]): string {
    if (!this.#isActive) return '';
    return events.map((event) => formatEvent(event.type, { ...event, sequence_number: this.#count++ })).join('');
  }
}
