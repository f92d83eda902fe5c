// src/proxy is the process that serves HTTP on this computer. It never imports `vscode` and never reads or writes
// files; hosts/commandLineFiles.ts, for the command line, is the only exception.
// The log never contains secrets or bodies: each event names the fields that it logs.

import { LOG_LEVELS } from '../../settings/rules.ts';
import type { LogLevel } from '../../settings/rules.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A log of JSON lines, each with the time, the level, the event and the fields of the event. */
export class Log {
  readonly #write: (text: string) => void;
  #rank: number;
  #waiting = '';
  readonly error = this.#writer('error');
  readonly warn = this.#writer('warn');
  readonly info = this.#writer('info');
  readonly debug = this.#writer('debug');
  readonly trace = this.#writer('trace');

  /** @param write receives complete lines, at most once for each turn of the event loop */
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

  /** Writes the waiting lines now. */
  flush(): void {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#write(text);
  }

  #writer(level: LogLevel): (event: string, fields?: LogFields) => void {
    return (event, fields = {}) => {
      if (!this.enabled(level)) return;
      if (this.#waiting === '') {
        setImmediate(() => {
          this.flush();
        });
      }
      this.#waiting += `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`;
    };
  }
}
