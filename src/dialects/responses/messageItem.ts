// A message of the assistant: text and refusals.
import type {
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseOutputText,
} from 'openai/resources/responses/responses';
import { itemFields } from './events.ts';
import type { ItemStatus, OutputItem, Place } from './events.ts';

export class MessageItem implements OutputItem {
  readonly #place: Place;
  readonly #parts: (ResponseOutputText | ResponseOutputRefusal)[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  item(status: ItemStatus): ResponseOutputMessage {
    return { id: this.#place.id, type: 'message', status, content: [...this.#parts], role: 'assistant' };
  }

  add(kind: 'text' | 'refusal', delta: string): string {
    const { events } = this.#place;
    const last = this.#parts.at(-1);
    if (kind === 'text') {
      const [part, begin] = last?.type === 'output_text' ? [last, ''] : this.#begin(newText());
      part.text += delta;
      const fields = { ...this.#fields(), delta, logprobs: [] };
      return begin + events.write({ type: 'response.output_text.delta', ...fields });
    }
    const [part, begin] = last?.type === 'refusal' ? [last, ''] : this.#begin(newRefusal());
    part.refusal += delta;
    return begin + events.write({ type: 'response.refusal.delta', ...this.#fields(), delta });
  }

  close(): string {
    const part = this.#parts.at(-1);
    if (part === undefined) return '';
    const fields = this.#fields();
    return this.#place.events.write(
      part.type === 'refusal'
        ? { type: 'response.refusal.done', ...fields, refusal: part.refusal }
        : { type: 'response.output_text.done', ...fields, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...fields, part },
    );
  }

  #begin<Part extends ResponseOutputText | ResponseOutputRefusal>(part: Part): [Part, string] {
    const end = this.close();
    this.#parts.push(part);
    const begin = this.#place.events.write({ type: 'response.content_part.added', ...this.#fields(), part });
    return [part, end + begin];
  }

  #fields() {
    return { ...itemFields(this.#place), content_index: this.#parts.length - 1 };
  }
}

function newText(): ResponseOutputText {
  return { type: 'output_text', annotations: [], logprobs: [], text: '' };
}

function newRefusal(): ResponseOutputRefusal {
  return { type: 'refusal', refusal: '' };
}
