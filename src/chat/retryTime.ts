// When a busy backend can be asked again, in words. Pure.
import { clockTime } from '../presentation/text.ts';

/** The headers that say so. The second one is that of the OpenAI libraries, and more exact. */
export interface RetryHeaders {
  readonly 'retry-after'?: string | undefined;
  readonly 'retry-after-ms'?: string | string[] | undefined;
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** A longer time is not a time to wait for. */
const LONGEST = 7 * DAY;
const HTTP_DATE = /^[A-Z][a-z]+,? .* GMT$/;

/**
 * The end of the sentence "Try again …".
 * @param now milliseconds since 1970
 */
export function retryTime(headers: RetryHeaders, now: number): string {
  const wait = waitOf(headers, now);
  if (!(wait >= 0)) return 'in a moment';
  if (wait > LONGEST) return 'later';
  if (wait < 2 * MINUTE) return `in ${Math.max(1, Math.ceil(wait / 1000))} s`;
  if (wait <= HOUR) return `in ${Math.ceil(wait / MINUTE)} minutes`;
  return wait < DAY ? `at ${clockTime(now + wait)}` : `on ${new Date(now + wait).toLocaleString()}`;
}

/** Milliseconds; NaN if the headers do not say. */
function waitOf(headers: RetryHeaders, now: number): number {
  const { 'retry-after-ms': exact, 'retry-after': after = '' } = headers;
  if (typeof exact === 'string' && /^\d{1,12}(\.\d{1,9})?$/.test(exact)) return Number(exact);
  if (/^\d{1,12}(\.\d{1,9})?$/.test(after)) return Number(after) * 1000;
  return HTTP_DATE.test(after) ? Date.parse(after) - now : NaN;
}
