// The requests by which windows of the same user are known. Other clients get the plain health response.
import type { Evidence } from '../../shared/evidence.ts';
import { CHALLENGE_HEADER, REPORT_HEADER, REQUEST_HEADERS, WINDOW_HEADER } from '../../shared/ownership.ts';
import { isChallenge, isFromWindow, isRequest, sealReport } from '../../shared/ownership.ts';
import type { ProxyReport, WindowRequest } from '../../shared/ownership.ts';
import { singleValue } from '../http/headers.ts';
import type { ActivityLog } from '../usage/activityLog.ts';
import type { UsageCollector } from '../usage/usageCollector.ts';

/** What the proxy needs to recognize and answer its user's windows. */
export interface Ownership {
  /** Shared with the windows; null: the proxy does not identify itself. */
  readonly secret: Uint8Array | null;
  readonly report: () => ProxyReport;
}

/** What a window asks of the proxy itself. */
type HealthRequest = Exclude<WindowRequest, 'check'>;

/** By method. */
const REQUESTS: Readonly<Record<string, readonly HealthRequest[]>> = {
  POST: ['release', 'eraseUsage'],
  GET: ['activity', 'evidence'],
};

/** What a window that shares the secret asks for, or undefined. */
export function windowRequest(method: string, raw: readonly string[], ownership: Ownership): HealthRequest | undefined {
  return REQUESTS[method]?.find((request) => isProven(request, raw, ownership));
}

/** What the answers to windows are made of, and whom they concern. */
interface WindowAnswers {
  readonly activity: Pick<ActivityLog, 'report'>;
  readonly evidence: () => Evidence | null;
  /** The sums that were not sent to the extension yet; undefined without an extension. */
  readonly usage: Pick<UsageCollector, 'erase' | 'flush'> | undefined;
  readonly onEvent: (event: { type: 'releaseRequested' }) => void;
}

/**
 * Does what a window asks for.
 * @param target of its request
 * @returns the response: status, JSON and headers
 */
export function answerWindow(
  request: HealthRequest,
  { activity, evidence, usage, onEvent }: WindowAnswers,
  target: string,
): [status: number, json: string, headers?: string[]] {
  switch (request) {
    case 'release':
      onEvent({ type: 'releaseRequested' });
      return [202, '{}', ['connection', 'close']];
    case 'activity':
      usage?.flush(); // who sees the requests should find them in the sums
      return [200, JSON.stringify(activity.report(cursorOf(target)))];
    case 'evidence':
      return [200, JSON.stringify(evidence())];
    case 'eraseUsage':
      usage?.erase();
      return [202, '{}'];
  }
}

/** The number in `/health?after=NUMBER`; 0 for any other target. */
function cursorOf(target: string): number {
  return Number(/^[^?]*\?after=(\d{1,15})$/.exec(target)?.[1] ?? 0);
}

/** Whether a request for the backend is a check of a window that shares the secret. */
export function isCheck(raw: readonly string[], ownership: Ownership): boolean {
  return isProven('check', raw, ownership);
}

function isProven(request: WindowRequest, raw: readonly string[], { secret, report }: Ownership): boolean {
  if (secret === null) return false;
  const value = singleValue(raw, REQUEST_HEADERS[request]);
  return typeof value === 'string' && isRequest(request, secret, report(), value);
}

/**
 * The header that proves to a window that this is its user's proxy, with the report. Empty unless the request has a valid
 * challenge of a window that shares the secret.
 */
export function proofFor(raw: readonly string[], { secret, report }: Ownership): readonly string[] {
  const challenge = singleValue(raw, CHALLENGE_HEADER);
  if (secret === null || typeof challenge !== 'string' || !isChallenge(challenge)) return [];
  const current = report();
  const code = singleValue(raw, WINDOW_HEADER);
  if (typeof code !== 'string' || !isFromWindow(secret, challenge, current.port, code)) return [];
  return [REPORT_HEADER, sealReport(secret, challenge, current)];
}
