import type { Log } from '../log.ts';

/** The log entry of one request, written as one line when the request is over. */
export class RequestEntry {
  readonly method: string;
  readonly path: string;
  /** What the client is told, so that a user can find the line; null: nothing. */
  readonly requestId: string | null;
  readonly #begin = performance.now();
  #start: number | undefined;
  status = 0;
  bytesIn = 0;
  bytesOut = 0;
  /** `complete`, `client-gone`, or the code of the error that ended the request. */
  end = 'complete';
  /** True for the requests that windows send every few seconds: logged at `debug` only. */
  routine = false;
  /** The code of the error's cause, if it is known. */
  detail: string | null = null;
  /** How long the request waited for capacity, in milliseconds. */
  #waited = 0;

  constructor(method: string, path: string, requestId: string | null = null) {
    this.method = method;
    this.path = path;
    this.requestId = requestId;
  }

  /** The response starts with this status. */
  started(status: number): void {
    this.status = status;
    this.#start ??= performance.now();
  }

  /** The request waited this many milliseconds, and is sent again: another response starts. */
  waited(milliseconds: number): void {
    this.#waited += milliseconds;
    this.#start = undefined;
  }

  write(log: Log): void {
    const level = this.end !== 'complete' && this.end !== 'client-gone' ? 'warn' : this.routine ? 'debug' : 'info';
    if (!log.enabled(level)) return;
    const { method, path, requestId, status, bytesIn, bytesOut, end, detail } = this;
    const startMs = this.#start === undefined ? null : round(this.#start - this.#begin);
    const endMs = round(performance.now() - this.#begin);
    log[level]('request', {
      ...{ method, path, ...(requestId === null ? {} : { requestId }), status, bytesIn, bytesOut, startMs, endMs, end },
      ...(detail === null ? {} : { detail }),
      ...(this.#waited === 0 ? {} : { waitedMs: round(this.#waited) }),
    });
  }
}

/** To a tenth of a millisecond: the precision of times in the log and in the records of requests. */
export function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
