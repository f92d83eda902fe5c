import type { Log } from '../log.ts';

/** The log entry of one request, written as one line when the request is over. */
export class RequestEntry {
  readonly method: string;
  readonly path: string;
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

  constructor(method: string, path: string) {
    this.method = method;
    this.path = path;
  }

  /** The response starts with this status. */
  started(status: number): void {
    this.status = status;
    this.#start ??= performance.now();
  }

  write(log: Log): void {
    const level = this.end !== 'complete' && this.end !== 'client-gone' ? 'warn' : this.routine ? 'debug' : 'info';
    if (!log.enabled(level)) return;
    const { method, path, status, bytesIn, bytesOut, end, detail } = this;
    const startMs = this.#start === undefined ? null : round(this.#start - this.#begin);
    const endMs = round(performance.now() - this.#begin);
    const fields = { method, path, status, bytesIn, bytesOut, startMs, endMs, end };
    log[level]('request', detail === null ? fields : { ...fields, detail });
  }
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
