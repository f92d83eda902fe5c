// What the model thinks: as the summary that the client asked for, or as the text itself.
import type { ResponseReasoningItem } from 'openai/resources/responses/responses';
import type { ReplyIdentity } from '../dialect.ts';
import { itemFields } from './events.ts';
import type { ItemStatus, OutputItem, Place } from './events.ts';

export class ReasoningItem implements OutputItem {
  readonly #place: Place;
  readonly #isSummary: boolean;
  readonly #seal: ReplyIdentity['seal'];
  #text = '';

  /** @param seal for a client that asked for sealed reasoning; otherwise undefined */
  constructor(place: Place, isSummary: boolean, seal: ReplyIdentity['seal']) {
    this.#place = place;
    this.#isSummary = isSummary;
    this.#seal = seal;
  }

  item(status: ItemStatus): ResponseReasoningItem {
    const text = this.#text;
    return {
      id: this.#place.id,
      type: 'reasoning',
      summary: this.#isSummary && text !== '' ? [{ type: 'summary_text', text }] : [],
      ...(!this.#isSummary && { content: text === '' ? [] : [{ type: 'reasoning_text', text }] }),
      ...(this.#seal !== undefined && status !== 'in_progress' && { encrypted_content: this.#seal(text) }),
      status,
    };
  }

  add(delta: string): string {
    const begin = this.#text === '' ? this.#begin() : '';
    this.#text += delta;
    const { events } = this.#place;
    const fields = { ...itemFields(this.#place), delta };
    return (
      begin +
      events.write(
        this.#isSummary
          ? { type: 'response.reasoning_summary_text.delta', ...fields, summary_index: 0 }
          : { type: 'response.reasoning_text.delta', ...fields, content_index: 0 },
      )
    );
  }

  close(): string {
    const text = this.#text;
    const fields = itemFields(this.#place);
    if (this.#isSummary) {
      const part = { ...fields, summary_index: 0 };
      return this.#place.events.write(
        { type: 'response.reasoning_summary_text.done', ...part, text },
        { type: 'response.reasoning_summary_part.done', ...part, part: { type: 'summary_text', text } },
      );
    }
    const part = { ...fields, content_index: 0 };
    return this.#place.events.write(
      { type: 'response.reasoning_text.done', ...part, text },
      { type: 'response.content_part.done', ...part, part: { type: 'reasoning_text', text } },
    );
  }

  #begin(): string {
    const fields = itemFields(this.#place);
    return this.#place.events.write(
      this.#isSummary
        ? {
            type: 'response.reasoning_summary_part.added',
            ...fields,
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          }
        : {
            type: 'response.content_part.added',
            ...fields,
            content_index: 0,
            part: { type: 'reasoning_text', text: '' },
          },
    );
  }
}
