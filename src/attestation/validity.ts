import type { Certificate } from './certificates.ts';
import { AttestationError, type AttestationErrorCode } from './errors.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The leaf is reissued about every three hours, and a slightly slow clock would reject a fresh one. */
export const NOT_BEFORE_LEEWAY_MS = 5 * MINUTE;

/** A smaller difference between the clocks is not reported. */
const CLOCK_TOLERANCE_MS = MINUTE;

/**
 * Checks that every certificate is valid at `now`: from five minutes before `notBefore` up to and including `notAfter`
 * (transport V2, section 4).
 *
 * @param now milliseconds since 1970, by this computer's clock
 * @param enclaveTime milliseconds since 1970, from a signed document with the nonce of this handshake: an unsigned or
 *   replayed one says nothing about this computer's clock
 * @throws AttestationError `certificate_not_yet_valid`, `certificate_expired`; with `clockSkewMs` and a message about
 *   the clock if it is more than a minute off
 */
export function checkValidity(certificates: readonly Certificate[], now: number, enclaveTime: number): void {
  for (const { notBefore, notAfter } of certificates) {
    // Not `now < …`, which would let a `now` of NaN pass.
    if (!(now >= notBefore - NOT_BEFORE_LEEWAY_MS)) {
      throw outOfWindow('certificate_not_yet_valid', `is not valid before ${toText(notBefore)}`, now - enclaveTime);
    }
    if (now > notAfter) {
      throw outOfWindow('certificate_expired', `expired at ${toText(notAfter)}`, now - enclaveTime);
    }
  }
}

function outOfWindow(code: AttestationErrorCode, what: string, clockSkewMs: number): AttestationError {
  if (Math.abs(clockSkewMs) > CLOCK_TOLERANCE_MS) {
    return new AttestationError(code, describeClockSkew(clockSkewMs), { clockSkewMs });
  }
  return new AttestationError(code, `a certificate of the enclave ${what}`);
}

/** "this computer's clock is about 3 hours ahead of the enclave's", for a difference of at least half a minute. */
export function describeClockSkew(clockSkewMs: number): string {
  const direction = clockSkewMs > 0 ? 'ahead of' : 'behind';
  return `this computer's clock is about ${roundDuration(Math.abs(clockSkewMs))} ${direction} the enclave's`;
}

/** Rounds to one unit, and to the next larger one from one and a half of it. */
function roundDuration(ms: number): string {
  if (ms < 1.5 * HOUR) return count(ms / MINUTE, 'minute');
  if (ms < 1.5 * DAY) return count(ms / HOUR, 'hour');
  return count(ms / DAY, 'day');
}

function count(amount: number, unit: string): string {
  const rounded = Math.round(amount);
  return `${rounded} ${rounded === 1 ? unit : `${unit}s`}`;
}

function toText(time: number): string {
  return new Date(time).toISOString();
}
