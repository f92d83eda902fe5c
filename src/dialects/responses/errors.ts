// Errors in the format of the Responses API.
import type { ResponseError } from 'openai/resources/responses/responses';
import { isBackendCode } from '../../shared/errors.ts';
import { CONTEXT_EXCEEDED } from '../dialectError.ts';
import type { DialectError } from '../dialectError.ts';

/** The body of an error response. */
export function errorBody({ message, status, param, code }: DialectError): string {
  return JSON.stringify({ error: { message, type: typeOf(status), param, code: code ?? codeOf(status) } });
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function codeOf(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  return status === 429 ? 'rate_limit_exceeded' : null;
}

/** The error in a response that failed after it had started. */
export function failureOf({ message, status, code }: DialectError): ResponseError {
  return { code: failureCode(status, code) as ResponseError['code'], message };
}

/** Besides OpenAI's documented codes, those that clients act upon (they neither retry nor hide the message), and those for a backend that did not answer. */
function failureCode(status: number, code: string | null): string {
  if (code === CONTEXT_EXCEEDED || code === 'insufficient_quota' || code === 'rate_limit_exceeded') return code;
  if (status === 429) return 'rate_limit_exceeded';
  if (isBackendCode(code)) return code;
  return status < 500 ? 'invalid_prompt' : 'server_error';
}
