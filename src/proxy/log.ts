// src/proxy is the process that serves HTTP on this computer. It imports nothing of the editor, reads no file and
// writes none. Secrets and bodies never reach the log: what is logged is named field by field.

import { LOG_LEVELS } from '../settings/rules.ts';
import type { LogLevel } from '../settings/rules.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Structured lines: one JSON object each, with time, level, event and the fields of the event. */
export class Log {
  readonly #write: (text: string) => void;
  #rank: number;
  #waiting = '';

  /** @param write takes whole lines; it is called at most once for each turn of the event loop */
  constructor(level: LogLevel, write: (text: string) => void) {
    this.#rank = LOG_LEVELS.indexOf(level);
    this.#write = write;
  }

  setLevel(level: LogLevel): void {
    this.#rank = LOG_LEVELS.indexOf(level);
  }

  enabled(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) <= this.#rank;
  }

  error(event: string, fields?: LogFields): void {
    this.#line('error', event, fields);
  }

  warn(event: string, fields?: LogFields): void {
    this.#line('warn', event, fields);
  }

  info(event: string, fields?: LogFields): void {
    this.#line('info', event, fields);
  }

  debug(event: string, fields?: LogFields): void {
    this.#line('debug', event, fields);
  }

  trace(event: string, fields?: LogFields): void {
    this.#line('trace', event, fields);
  }

  /** Writes what is waiting, now. */
  flush(): void {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#write(text);
  }

  #line(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (!this.enabled(level)) return;
    if (this.#waiting === '') {
      setImmediate(() => {
        this.flush();
      });
    }
    this.#waiting += `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`;
  }
}
