// Which models a client may ask for.
import { parseJson } from '../../shared/json.ts';
import { modelNotAllowed } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import { JsonFields } from '../usage/jsonFields.ts';

const MODEL = [Buffer.from('model')];

/** Reads which model a request names, and decides whether its client may use it. */
export class ModelRule {
  readonly #models: readonly string[];
  /** Strict: the backend must not find another model in the same bytes. */
  readonly #fields = new JsonFields(MODEL, true);

  /** @param models those that the client may use */
  constructor(models: readonly string[]) {
    this.#models = models;
  }

  /** The next chunk of the request's body. */
  push(bytes: Uint8Array): void {
    this.#fields.push(bytes);
  }

  /** Why the request cannot be sent; undefined: it can. To be asked when its body is complete. */
  get refusal(): ClientError | undefined {
    const json = this.#fields.value(0);
    const model = json === undefined ? undefined : parseJson(Buffer.from(json, 'latin1'));
    return typeof model === 'string' && this.#models.includes(model) ? undefined : modelNotAllowed(this.#models);
  }
}
