// The questions that the windows of the same user may ask on `/health`. Other clients get the plain health response.
import {
  CHALLENGE_HEADER,
  PROOF_HEADER,
  RELEASE_HEADER,
  USAGE_HEADER,
  isChallenge,
  isRelease,
  isUsageRequest,
  prove,
} from '../../shared/ownership.ts';
import type { ProxyReport } from '../../shared/ownership.ts';
import { singleValue } from '../http/headers.ts';

/** What the proxy needs to recognize and answer its user's windows. */
export interface Ownership {
  /** Shared with the windows; null: no questions are answered. */
  readonly secret: Uint8Array | null;
  readonly report: () => ProxyReport;
}

/** What a window that shares the secret asks for: that the proxy releases the port, or the usage. Undefined: neither. */
export function windowRequest(
  method: string,
  raw: readonly string[],
  { secret, report }: Ownership,
): 'release' | 'usage' | undefined {
  if (secret === null) return undefined;
  const release = singleValue(raw, RELEASE_HEADER);
  if (method === 'POST' && typeof release === 'string' && isRelease(secret, report(), release)) return 'release';
  const usage = singleValue(raw, USAGE_HEADER);
  return method === 'GET' && typeof usage === 'string' && isUsageRequest(secret, report(), usage) ? 'usage' : undefined;
}

/** The header that proves to a window that this is its user's proxy; empty if the request has no valid challenge. */
export function proofFor(raw: readonly string[], { secret, report }: Ownership): readonly string[] {
  const challenge = singleValue(raw, CHALLENGE_HEADER);
  if (secret === null || typeof challenge !== 'string' || !isChallenge(challenge)) return [];
  return [PROOF_HEADER, prove(secret, challenge, report())];
}
