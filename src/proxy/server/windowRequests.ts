// What the windows of the same person may ask on `/health`. To everybody else it is as if these questions did not exist.
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

/** What the questions are judged by. */
export interface Ownership {
  /** Shared with the windows that may ask; null where nobody may. */
  readonly secret: Uint8Array | null;
  /** What the proxy says of itself. */
  readonly report: () => ProxyReport;
}

/** The request of a window that shares the secret: that the port be given up, or to know what was used. */
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

/** The header that answers a window which asks whose proxy this is; empty if none does. */
export function proofFor(raw: readonly string[], { secret, report }: Ownership): readonly string[] {
  const challenge = singleValue(raw, CHALLENGE_HEADER);
  if (secret === null || typeof challenge !== 'string' || !isChallenge(challenge)) return [];
  return [PROOF_HEADER, prove(secret, challenge, report())];
}
