// The requests that windows of the same user may send to `/health`. Other clients get the plain health response.
import {
  CHALLENGE_HEADER,
  PROOF_HEADER,
  REPORT_HEADER,
  REQUEST_HEADERS,
  WINDOW_HEADER,
} from '../../shared/ownership.ts';
import { isChallenge, isFromWindow, isRequest, prove, sealReport } from '../../shared/ownership.ts';
import type { ProxyReport, WindowRequest } from '../../shared/ownership.ts';
import { singleValue } from '../http/headers.ts';

/** What the proxy needs to recognize and answer its user's windows. */
export interface Ownership {
  /** Shared with the windows; null: the proxy does not identify itself. */
  readonly secret: Uint8Array | null;
  readonly report: () => ProxyReport;
}

/** By method. */
const REQUESTS: Readonly<Record<string, readonly WindowRequest[]>> = {
  POST: ['release', 'eraseUsage'],
  GET: ['activity', 'evidence'],
};

/** What a window that shares the secret asks for, or undefined. */
export function windowRequest(
  method: string,
  raw: readonly string[],
  { secret, report }: Ownership,
): WindowRequest | undefined {
  if (secret === null) return undefined;
  return REQUESTS[method]?.find((request) => {
    const value = singleValue(raw, REQUEST_HEADERS[request]);
    return typeof value === 'string' && isRequest(request, secret, report(), value);
  });
}

/**
 * The header that proves to a window that this is its user's proxy. It is empty if the request has no valid challenge. Only
 * a window that shares the secret gets the report. Any other program gets what `/health` tells everyone, and the port: with
 * these, a window of version 0.4.1 shows that another version runs.
 */
export function proofFor(raw: readonly string[], { secret, report }: Ownership): readonly string[] {
  const challenge = singleValue(raw, CHALLENGE_HEADER);
  if (secret === null || typeof challenge !== 'string' || !isChallenge(challenge)) return [];
  const current = report();
  const { version, port } = current;
  const code = singleValue(raw, WINDOW_HEADER);
  return typeof code === 'string' && isFromWindow(secret, challenge, port, code)
    ? [REPORT_HEADER, sealReport(secret, challenge, current)]
    : [PROOF_HEADER, prove(secret, challenge, { version, port })];
}
