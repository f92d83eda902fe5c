// Which models a client may ask for.
import { parseJson } from '../../shared/json.ts';
import { singleValue } from '../http/headers.ts';
import { PROXY_ERRORS, modelNotAllowed } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import { JsonFields } from '../usage/jsonFields.ts';

/** Without this header, backends expect JSON too. */
const JSON_IN_UTF8 = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;
const MODEL = [Buffer.from('model')];

/**
 * Why the model of a request cannot be read; undefined: it can. Backends could find another one in the query, or in a body
 * that is a form, compressed, or in another character encoding.
 * @param raw headers: name, value, name, value ...
 */
export function refusalOfHead(target: string, raw: readonly string[]): ClientError | undefined {
  const type = singleValue(raw, 'content-type');
  const isJson = type === undefined || (type !== null && JSON_IN_UTF8.test(type));
  const coding = singleValue(raw, 'content-encoding');
  const isPlain = coding === undefined || coding === 'identity';
  return isJson && isPlain && !target.includes('?') ? undefined : PROXY_ERRORS.unreadableModel;
}

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
