// Errors in the format of the Messages API (https://platform.claude.com/docs/en/api/errors).
import type { ThreadUnsupportedRequestErrorDetails } from '@anthropic-ai/sdk/resources/messages';
import type { ErrorType } from '@anthropic-ai/sdk/resources/shared';
import { isBackendCode } from '../../shared/errors.ts';
import type { BackendCode } from '../../shared/errors.ts';
import { CONTEXT_EXCEEDED } from '../dialectError.ts';
import type { DialectError } from '../dialectError.ts';

/** Anthropic's libraries ask for threads by default. By this code, they recognize that they must go on without one. */
export const THREAD_UNSUPPORTED: ThreadUnsupportedRequestErrorDetails['error_code'] = 'thread_unsupported_request';

interface ErrorResponse {
  readonly type: 'error';
  readonly error: {
    readonly type: ErrorType | 'request_too_large';
    readonly message: string;
    /** `code`: why there is no response of the backend. This API has no field for it. */
    readonly details?:
      | { readonly error_code: typeof THREAD_UNSUPPORTED; readonly unsupported: readonly ['thread'] }
      | { readonly code: BackendCode };
  };
  readonly request_id: string;
}

const TYPES: ReadonlyMap<number, ErrorResponse['error']['type']> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
] as const);

/** By these words, Claude Code recognizes that it must compact the conversation. */
const CONTEXT_PREFIX = 'prompt is too long: ';

export function errorResponse(error: DialectError, requestId: string): ErrorResponse {
  const type = TYPES.get(error.status) ?? (error.status < 500 ? 'invalid_request_error' : 'api_error');
  const message = error.code === CONTEXT_EXCEEDED ? CONTEXT_PREFIX + error.message : error.message;
  return { type: 'error', error: { type, message, ...detailsOf(error) }, request_id: requestId };
}

function detailsOf({ code }: DialectError): Pick<ErrorResponse['error'], 'details'> {
  if (code === THREAD_UNSUPPORTED) return { details: { error_code: code, unsupported: ['thread'] } };
  return isBackendCode(code) ? { details: { code } } : {};
}
