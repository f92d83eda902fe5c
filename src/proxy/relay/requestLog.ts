import type { Log } from '../log.ts';

/** What is known of one request when it is over: its one line in the log. */
export class RequestEntry {
  readonly method: string;
  readonly path: string;
  readonly #begin = performance.now();
  #start: number | undefined;
  status = 0;
  bytesIn = 0;
  bytesOut = 0;
  /** `complete`, `client-gone`, or the code of what broke it. */
  end = 'complete';
  /** A window asks whose proxy this is, every few seconds. */
  routine = false;
  /** The code of the cause, where there is one. */
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
