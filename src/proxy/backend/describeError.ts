import { AttestationError } from '../../attestation/errors.ts';
import type { SessionError } from '../../session/errors.ts';
import { codeOf } from '../../shared/errors.ts';
import { ProxyError } from './proxyError.ts';

/** Whether a code of the system's TLS means that the other side sends plain text. */
export function isWithoutTls(code: string | null): boolean {
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

/** What the log may show of an error: its code and message, and only the code of a cause from outside. */
export function describeError(error: SessionError): { code: string; detail: string | null; message: string } {
  const { code, message, cause } = error;
  if (cause instanceof AttestationError) {
    // A known skew means that the document is genuine and this computer's clock is wrong.
    return { code, detail: cause.clockSkewMs === undefined ? cause.code : 'clock', message };
  }
  if (cause instanceof ProxyError) {
    return { code, detail: cause.code, message: code === 'network' ? cause.message : `${message}: ${cause.message}` };
  }
  const detail = codeOf(cause) ?? null;
  if (isWithoutTls(detail)) {
    const advice = 'check the port of the backend, and whether its URL must begin with http:// (only on this computer)';
    return { code, detail, message: `The server does not speak TLS (${detail}): ${advice}` };
  }
  return { code, detail, message };
}
