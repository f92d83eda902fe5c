// Translates the complete body of a request. Plain data in, plain data out: large ones go to another thread.
import type { DialectName, RequestContext } from '../../dialects/dialect.ts';
import { DialectError } from '../../dialects/dialectError.ts';
import type { ErrorDetails } from '../../dialects/dialectError.ts';
import { parseExactJson } from '../../dialects/exactJson.ts';
import { countValues, isJsonLonger } from '../../dialects/jsonValues.ts';
import { estimateTokens } from '../../dialects/tokenEstimate.ts';
import type { BodyLimit } from '../http/openaiErrors.ts';
import { asDialectError, toDialectError } from './dialectErrors.ts';
import { DIALECTS } from './dialects.ts';
import { open } from './reasoningSeal.ts';

/** In characters: it is kept until the end of the response. */
const MAX_PLAN = 1024 * 1024;
const TOO_MANY_TOOLS = 'The request has too many tools, or the names of its tools are too long. Offer fewer tools.';

export interface TranslationJob {
  readonly dialect: DialectName;
  /** `count`: only the number of tokens is wanted. */
  readonly purpose: 'reply' | 'count';
  readonly body: Uint8Array;
  readonly context: Omit<RequestContext, 'open'>;
  /** Of the Chat Completions request. */
  readonly limit: BodyLimit;
  /** The models that the client may use; undefined: all of them. */
  readonly allowedModels?: readonly string[] | undefined;
  /** Values that its JSON may have. */
  readonly maxValues: number;
  /** The result of `reasoningKey`; without it, no sealed reasoning is read. */
  readonly reasoningKey?: Uint8Array;
}

export type Translation =
  /** `body`: of the Chat Completions request. `plan`: a `ReplyPlan` as JSON, because exact numbers cannot leave a thread. */
  | { readonly kind: 'chat'; readonly body: Uint8Array; readonly plan: string }
  /** `json`: the body of the response. */
  | { readonly kind: 'count'; readonly json: string }
  /** The client may not use the model. */
  | { readonly kind: 'modelRefused' }
  | ({ readonly kind: 'error'; readonly message: string } & ErrorDetails);

/** Never throws. */
export function translate(job: TranslationJob): Translation {
  const { dialect: name, purpose, body, context, limit, allowedModels, maxValues, reasoningKey } = job;
  const dialect = DIALECTS[name];
  try {
    if (body.length > maxValues && countValues(body) > maxValues) {
      throw new DialectError('The request body has too many values. Send a shorter request.', { status: 413 });
    }
    const value = parseExactJson(body);
    if (value === undefined)
      throw new DialectError('The request body is not valid JSON. Check the client.', { status: 400 });
    const readsSealed = reasoningKey && { open: (sealed: string) => open(reasoningKey, sealed) };
    const countsOnly = purpose === 'count';
    const { chat, plan } = dialect.translateRequest(value, { ...context, countsOnly, ...readsSealed });
    // before anything is written: a value that is in many places takes little memory until then
    if (isJsonLonger(chat, limit.max)) throw toDialectError(limit.error);
    if (isJsonLonger(plan, MAX_PLAN)) throw new DialectError(TOO_MANY_TOOLS, { status: 400, param: 'tools' });
    if (allowedModels?.includes(chat.model) === false) return { kind: 'modelRefused' };
    if (countsOnly) return { kind: 'count', json: dialect.tokenCount(estimateTokens(chat)) };
    const translated = new TextEncoder().encode(JSON.stringify(chat));
    if (translated.length > limit.max) throw toDialectError(limit.error);
    return { kind: 'chat', body: translated, plan: JSON.stringify(plan) };
  } catch (error) {
    const { message, status, param, code } = asDialectError(error);
    return { kind: 'error', message, status, param, code };
  }
}
