// An item of the output while the model writes it.
import type { ResponseOutputItem } from 'openai/resources/responses/responses';
import type { EventWriter } from './events.ts';

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
