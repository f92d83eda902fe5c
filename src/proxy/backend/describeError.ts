import { AttestationError } from '../../attestation/errors.ts';
import type { SessionError } from '../../session/errors.ts';
import { codeOf } from '../../shared/errors.ts';
import { ProxyError } from './proxyError.ts';

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
  return { code, detail: codeOf(cause) ?? null, message };
}
