import { AttestationError } from '../../attestation/errors.ts';
import type { SessionError } from '../../session/errors.ts';

/** What the log says of a failure: codes and our own sentences, and of a foreign cause its code alone. */
export function describeError(error: SessionError): { code: string; detail: string | null; message: string } {
  const { code, message, cause } = error;
  if (cause instanceof AttestationError) {
    // With a known skew the document is genuine, and it is this computer that is wrong.
    return { code, detail: cause.clockSkewMs === undefined ? cause.code : 'clock', message };
  }
  const foreign = (cause as { code?: unknown } | undefined)?.code;
  return { code, detail: typeof foreign === 'string' ? foreign : null, message };
}
