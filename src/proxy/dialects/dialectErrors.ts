// Converts errors of the proxy to errors of dialects.
import type { Dialect } from '../../dialects/dialect.ts';
import { DialectError, readError } from '../../dialects/dialectError.ts';
import { ERROR_CODE_HEADER, ERROR_CONTRACT_HEADER } from '../../session/wire.ts';
import { singleValue } from '../http/headers.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import type { Collected } from './collectSink.ts';

export function toDialectError({ message, status, code }: ClientError): DialectError {
  return new DialectError(message, { status, code });
}

/** Makes the JSON body of an error of the proxy. */
export function errorFormat(dialect: Pick<Dialect, 'errorBody'>, requestId: string): (error: ClientError) => string {
  return (error) => dialect.errorBody(toDialectError(error), requestId);
}

/** The error itself, or the one for a failure that no dialect foresees. */
export function asDialectError(error: unknown): DialectError {
  if (error instanceof DialectError) return error;
  return new DialectError('The proxy failed to translate this. Try again; if it fails again, please report it.', {
    status: 500,
  });
}

/** The error in a response. A status that is not one of errors has no meaning for a request of a dialect. */
export function errorOf({ status, headers, text }: Collected): DialectError {
  return readError(status < 400 ? 502 : status, text, codeIn(headers));
}

/** The code that the backend states in the headers of its response. */
function codeIn(headers: readonly string[]): string | null {
  return singleValue(headers, ERROR_CONTRACT_HEADER) === '1' ? (singleValue(headers, ERROR_CODE_HEADER) ?? null) : null;
}
