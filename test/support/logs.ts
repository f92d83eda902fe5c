import assert from 'node:assert/strict';
import { Log } from '../../src/proxy/process/log.ts';
import type { LogLevel } from '../../src/settings/rules.ts';

export interface LogLine extends Record<string, unknown> {
  readonly time: string;
  readonly level: string;
  readonly event: string;
}

/** A log at one level, and what it has written: each write, and the parsed lines. */
export function logAt(level: LogLevel): {
  readonly log: Log;
  readonly writes: string[];
  readonly lines: () => LogLine[];
} {
  const writes: string[] = [];
  const log = new Log(level, (text) => writes.push(text));
  const lines = () => {
    log.flush();
    const text = writes.join('');
    assert.ok(text === '' || text.endsWith('\n'));
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogLine);
  };
  return { log, writes, lines };
}
