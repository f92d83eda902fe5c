// The errors of the backend's API, in the two formats that it uses.
import { ERROR_CODE_HEADER, ERROR_CONTRACT_HEADER } from '../../session/wire.ts';
import type { HeaderField } from '../../session/wire.ts';
import { answerJson } from './apiHandler.ts';
import type { ApiResponseWriter } from './apiHandler.ts';

/** The codes of errors in OpenAI's format. */
export type ApiErrorCode =
  | 'inference_capacity'
  | 'upstream_context_limit'
  | 'upstream_invalid_messages'
  | 'upstream_invalid_parameter'
  | 'upstream_invalid_request'
  | 'upstream_payload_too_large'
  | 'upstream_provider_error'
  | 'upstream_timeout'
  | 'upstream_unsupported_parameter';

/** An error in OpenAI's format, sent with the error contract headers. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly param: string | null;
  readonly headers: readonly HeaderField[];

  constructor(
    status: number,
    code: ApiErrorCode,
    message: string,
    param: string | null = null,
    headers: readonly HeaderField[] = [],
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.param = param;
    this.headers = headers;
  }
}

/** The JSON of an error in OpenAI's format. */
export function errorObject({ status, code, message, param }: ApiError): object {
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param, code } };
}

/** Responds with an error in OpenAI's format. */
export function answerApiError(response: ApiResponseWriter, error: ApiError): void {
  answerJson(response, error.status, errorObject(error), [
    { name: ERROR_CONTRACT_HEADER, value: '1' },
    { name: ERROR_CODE_HEADER, value: error.code },
    ...error.headers,
  ]);
}

/** Responds with an error in the backend's other format, `{"status":…,"message":…}`. */
export function answerStatus(
  response: ApiResponseWriter,
  status: number,
  message: string,
  headers: readonly HeaderField[] = [],
): void {
  answerJson(response, status, { status, message }, headers);
}

/** The error for an invalid field of the request. */
export function invalid(param: string, what: string): ApiError {
  const code = param === 'messages' ? 'upstream_invalid_messages' : 'upstream_invalid_parameter';
  return new ApiError(400, code, `${param} ${what}`, param);
}
