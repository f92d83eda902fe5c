import assert from 'node:assert/strict';
import { RequestEntry } from '../../../../src/proxy/relay/requestLog.ts';
import { logAt } from '../../../support/logs.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

describe('RequestEntry', () => {
  it('logs the request, the response and the time that they took', () => {
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

  it('has the ID that the client was told', () => {
    const { log, lines } = logAt('info');
    new RequestEntry('POST', '/', 'req_1').write(log);
    assert.equal(lines()[0]?.['requestId'], 'req_1');
  });

  it('has no start time if no response started', () => {
    const { log, lines } = logAt('info');
    const entry = new RequestEntry('GET', '/');
    entry.end = 'client-gone';
    entry.write(log);
    assert.deepEqual([lines()[0]?.['startMs'], lines()[0]?.['status'], lines()[0]?.['end']], [null, 0, 'client-gone']);
  });

  it('keeps the first start time and the last status', async () => {
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

  it('shows how long the request waited, and starts with the last response', async () => {
    const { log, lines } = logAt('info');
    const entry = new RequestEntry('GET', '/');
    entry.started(429);
    const begun = performance.now();
    while (performance.now() - begun < 3) await flushEventLoop();
    entry.waited(3);
    entry.started(200);
    entry.write(log);
    const [line = assert.fail()] = lines();
    assert.deepEqual([line['status'], line['waitedMs']], [200, 3]);
    assert.ok(Number(line['startMs']) >= 3);
  });

  it('is a warning with the cause if the request failed, otherwise information', () => {
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
