// The errors of the proxy, and those of dialects, as each other.
import type { Dialect } from '../../dialects/dialect.ts';
import { DialectError } from '../../dialects/dialectError.ts';
import type { ProxyError } from '../http/openaiErrors.ts';

export function toDialectError({ message, status, code }: ProxyError): DialectError {
  return new DialectError(message, { status, code });
}

/** Makes the JSON body of an error of the proxy. */
export function errorFormat(dialect: Pick<Dialect, 'errorBody'>): (error: ProxyError) => string {
  return (error) => dialect.errorBody(toDialectError(error));
}

/** The error itself, or the one for a failure that no dialect foresees. */
export function asDialectError(error: unknown): DialectError {
  if (error instanceof DialectError) return error;
  return new DialectError('The proxy failed to translate this. Try again; if it fails again, please report it.', {
    status: 500,
  });
}
