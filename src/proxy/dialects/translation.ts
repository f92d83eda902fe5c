// Translates the complete body of a request. Plain data in, plain data out: large ones go to another thread.
import type { DialectName, ReplyPlan, RequestContext } from '../../dialects/dialect.ts';
import { DialectError } from '../../dialects/dialectError.ts';
import type { ErrorDetails } from '../../dialects/dialectError.ts';
import { estimateTokens } from '../../dialects/tokenEstimate.ts';
import { parseJson } from '../../shared/json.ts';
import { BODY_LIMIT } from '../http/openaiErrors.ts';
import { asDialectError, toDialectError } from './dialectErrors.ts';
import { DIALECTS } from './dialects.ts';

/** In characters: it is kept until the end of the response. */
const MAX_PLAN = 1024 * 1024;
const TOO_MANY_TOOLS = 'The request has too many tools, or the names of its tools are too long. Offer fewer tools.';

export interface TranslationJob {
  readonly dialect: DialectName;
  /** `count`: only the number of tokens is wanted. */
  readonly purpose: 'reply' | 'count';
  readonly body: Uint8Array;
  readonly context: RequestContext;
}

export type Translation =
  /** `body`: of the Chat Completions request. */
  | { readonly kind: 'chat'; readonly body: Uint8Array; readonly plan: ReplyPlan }
  /** `json`: the body of the response. */
  | { readonly kind: 'count'; readonly json: string }
  | ({ readonly kind: 'error'; readonly message: string } & ErrorDetails);

/** Never throws. */
export function translate({ dialect: name, purpose, body, context }: TranslationJob): Translation {
  const dialect = DIALECTS[name];
  try {
    const value = parseJson(body);
    if (value === undefined)
      throw new DialectError('The request body is not valid JSON. Check the client.', { status: 400 });
    const { chat, plan } = dialect.translateRequest(value, context);
    if (purpose === 'count') return { kind: 'count', json: dialect.tokenCount(estimateTokens(chat)) };
    if (JSON.stringify(plan).length > MAX_PLAN) throw new DialectError(TOO_MANY_TOOLS, { status: 400, param: 'tools' });
    const translated = new TextEncoder().encode(JSON.stringify(chat));
    if (translated.length > BODY_LIMIT.max) throw toDialectError(BODY_LIMIT.error);
    return { kind: 'chat', body: translated, plan };
  } catch (error) {
    const { message, status, param, code } = asDialectError(error);
    return { kind: 'error', message, status, param, code };
  }
}
