import assert from 'node:assert/strict';
import { LOG_LEVELS } from '../../../src/settings/rules.ts';
import { Log } from '../../../src/proxy/log.ts';
import type { LogLevel } from '../../../src/settings/rules.ts';
import { RequestEntry } from '../../../src/proxy/relay/requestLog.ts';
import { flushEventLoop } from '../../support/withTimeout.ts';

interface Line extends Record<string, unknown> {
  readonly time: string;
  readonly level: string;
  readonly event: string;
}

/** A log at one level, and what it wrote so far, write by write. */
function logAt(level: LogLevel): { readonly log: Log; readonly writes: string[]; readonly lines: () => Line[] } {
  const writes: string[] = [];
  const log = new Log(level, (text) => writes.push(text));
  const lines = () => {
    log.flush();
    const text = writes.join('');
    assert.ok(text === '' || text.endsWith('\n'));
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  };
  return { log, writes, lines };
}

describe('The log', () => {
  it('writes one JSON object a line, with time, level, event and fields', () => {
    const { log, lines } = logAt('info');
    const before = new Date().toISOString();
    log.info('session', { verified: true, pcr0: 'ab', count: 2, none: null });
    log.warn('open_address');
    const [first, second] = lines();
    assert.ok(first && first.time >= before && first.time <= new Date().toISOString());
    assert.deepEqual(
      { ...first, time: '' },
      {
        time: '',
        level: 'info',
        event: 'session',
        verified: true,
        pcr0: 'ab',
        count: 2,
        none: null,
      },
    );
    assert.deepEqual(Object.keys(second ?? {}), ['time', 'level', 'event']);
  });

  it('writes one line whatever a field contains', () => {
    const { log, writes } = logAt('info');
    log.info('x', { text: 'a\nb\r\n{"level":"error"}\u0000"' });
    log.flush();
    assert.equal(writes.join('').indexOf('\n'), writes.join('').length - 1);
    assert.equal((JSON.parse(writes.join('')) as Line)['text'], 'a\nb\r\n{"level":"error"}\u0000"');
  });

  for (const [rank, level] of LOG_LEVELS.entries()) {
    it(`at level ${level} writes ${LOG_LEVELS.slice(0, rank + 1).join(', ')} and nothing else`, () => {
      const { log, lines } = logAt(level);
      for (const other of LOG_LEVELS) log[other](`event of ${other}`);
      assert.deepEqual(
        lines().map((line) => [line.level, line.event]),
        LOG_LEVELS.slice(0, rank + 1).map((other) => [other, `event of ${other}`]),
      );
      for (const other of LOG_LEVELS) assert.equal(log.enabled(other), LOG_LEVELS.indexOf(other) <= rank);
    });
  }

  it('changes its level while it runs', () => {
    const { log, lines } = logAt('error');
    log.info('before');
    log.setLevel('info');
    log.info('after');
    log.setLevel('error');
    log.info('again');
    assert.deepEqual(
      lines().map(({ event }) => event),
      ['after'],
    );
  });

  it('writes all lines of one turn of the event loop at once, in order, without being told', async () => {
    const { log, writes } = logAt('info');
    for (const event of ['a', 'b', 'c']) log.info(event);
    assert.equal(writes.length, 0);
    await flushEventLoop();
    assert.equal(writes.length, 1);
    assert.equal(writes[0]?.split('\n').length, 4);
    log.info('d');
    await flushEventLoop();
    assert.equal(writes.length, 2);
    await flushEventLoop();
    assert.equal(writes.length, 2);
  });

  it('writes what waits when it is flushed, once', async () => {
    const { log, writes } = logAt('info');
    log.info('a');
    log.flush();
    log.flush();
    assert.equal(writes.length, 1);
    await flushEventLoop();
    assert.equal(writes.length, 1);
  });
});

describe('The line of a request', () => {
  it('says what was asked, what came back and how long that took', () => {
    const { log, lines } = logAt('info');
    const entry = new RequestEntry('POST', '/v1/chat/completions');
    entry.bytesIn = 10;
    entry.started(200);
    entry.bytesOut = 20;
    entry.write(log);
    const [{ time, startMs, endMs, ...rest } = assert.fail()] = lines();
    assert.deepEqual(rest, {
      level: 'info',
      event: 'request',
      method: 'POST',
      path: '/v1/chat/completions',
      status: 200,
      bytesIn: 10,
      bytesOut: 20,
      end: 'complete',
    });
    assert.ok(typeof time === 'string' && typeof startMs === 'number' && typeof endMs === 'number');
    assert.ok(0 <= startMs && startMs <= endMs);
    assert.match(String(endMs), /^\d+(\.\d)?$/);
  });

  it('has no start where no response started', () => {
    const { log, lines } = logAt('info');
    const entry = new RequestEntry('GET', '/');
    entry.end = 'client-gone';
    entry.write(log);
    assert.deepEqual([lines()[0]?.['startMs'], lines()[0]?.['status'], lines()[0]?.['end']], [null, 0, 'client-gone']);
  });

  it('keeps the first start, and the last status', async () => {
    const { log, lines } = logAt('info');
    const entry = new RequestEntry('GET', '/');
    entry.started(200);
    const begun = performance.now();
    while (performance.now() - begun < 3) await flushEventLoop();
    entry.started(502);
    entry.write(log);
    const [line = assert.fail()] = lines();
    assert.equal(line['status'], 502);
    assert.ok(Number(line['startMs']) < 3);
    assert.ok(Number(line['endMs']) >= 3);
  });

  it('is a warning with its cause where something broke, and an information else', () => {
    for (const [end, detail, level] of [
      ['complete', null, 'info'],
      ['client-gone', null, 'info'],
      ['network', 'ECONNRESET', 'warn'],
      ['timeout', null, 'warn'],
    ] as const) {
      const { log, lines } = logAt('info');
      const entry = new RequestEntry('GET', '/');
      entry.end = end;
      entry.detail = detail;
      entry.write(log);
      assert.equal(lines()[0]?.level, level);
      assert.equal(lines()[0]?.['detail'], detail ?? undefined);
      const quiet = logAt('warn');
      entry.write(quiet.log);
      assert.equal(quiet.lines().length, level === 'warn' ? 1 : 0);
    }
  });
});
