// Why a request of a dialect fails. Each dialect writes it in its own format.
import type { BackendCode } from '../shared/errors.ts';
import { fieldsOf, parseJson } from '../shared/json.ts';

/** A longer text from a backend is not a message for users. In characters. */
const MAX_MESSAGE = 2000;
/** Of a backend's names of fields and errors. */
const NAME = /^[\x21-\x7e]{1,200}$/;

export interface ErrorDetails {
  /** The HTTP status, 400 or above. */
  readonly status: number;
  /** The field of the request that is wrong, such as `messages[2].content`, or null. */
  readonly param?: string | null;
  /** A word for programs, such as `context_length_exceeded`, or null. */
  readonly code?: string | null;
}

export class DialectError extends Error {
  override readonly name = 'DialectError';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;

  /** @param message for the user: the cause, then the remedy */
  constructor(message: string, { status, param = null, code = null }: ErrorDetails) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

/** A request that is wrong, or that Chat Completions cannot express, in this field. */
export function invalidField(param: string, problem: string): DialectError {
  return new DialectError(`${param}: ${problem}`, { status: 400, param });
}

/** A response of the backend that cannot be translated. */
export function invalidResponse(message: string): DialectError {
  return new DialectError(message, { status: 502, code: 'response_invalid' satisfies BackendCode });
}

/** The code of a conversation that is too long for the model: clients shorten it then. */
export const CONTEXT_EXCEEDED = 'context_length_exceeded';
const CONTEXT_CODES: readonly unknown[] = [CONTEXT_EXCEEDED, 'upstream_context_limit'];
/** How backends say it that have no code for it. */
const CONTEXT_MESSAGE = /\bcontext (?:window|length|limit|size)\b/i;
/** The statuses with which backends reject a request. */
const REJECTED: readonly number[] = [400, 422];

/**
 * The error in the body of a response with this status, or in an event: in OpenAI's format or in the backend's own.
 * @param headerCode the code in the header of the response
 * @param silence the message if the backend has none
 */
export function readError(
  status: number,
  json: string,
  headerCode: string | null = null,
  silence = `The backend responded with status ${status}.`,
): DialectError {
  const { error, message } = fieldsOf(parseJson(json));
  const { message: text = message, param, code } = fieldsOf(error);
  const words = messageOf(text) || silence;
  const isContext =
    [code, headerCode].some((each) => CONTEXT_CODES.includes(each)) ||
    (REJECTED.includes(status) && CONTEXT_MESSAGE.test(words));
  return new DialectError(words, {
    status: isContext ? 400 : status,
    param: nameOf(param),
    code: isContext ? CONTEXT_EXCEEDED : (nameOf(code) ?? nameOf(headerCode)),
  });
}

/** Without control characters: clients show the text in a terminal. */
function messageOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  const text = value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return text.slice(0, MAX_MESSAGE).toWellFormed();
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' && NAME.test(value) ? value : null;
}
