import assert from 'node:assert/strict';
import { LOG_LEVELS } from '../../../../src/settings/rules.ts';
import { logAt } from '../../../support/logs.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

describe('Log', () => {
  it('writes one JSON object for each line, with time, level, event and fields', () => {
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

  it('writes a single line for any content of a field', () => {
    const { log, writes } = logAt('info');
    log.info('x', { text: 'a\nb\r\n{"level":"error"}\u0000"' });
    log.flush();
    assert.equal(writes.join('').indexOf('\n'), writes.join('').length - 1);
    assert.equal((JSON.parse(writes.join('')) as { text: string }).text, 'a\nb\r\n{"level":"error"}\u0000"');
  });

  for (const [rank, level] of LOG_LEVELS.entries()) {
    it(`writes at level ${level} only ${LOG_LEVELS.slice(0, rank + 1).join(', ')}`, () => {
      const { log, lines } = logAt(level);
      for (const other of LOG_LEVELS) log[other](`event of ${other}`);
      assert.deepEqual(
        lines().map((line) => [line.level, line.event]),
        LOG_LEVELS.slice(0, rank + 1).map((other) => [other, `event of ${other}`]),
      );
      for (const other of LOG_LEVELS) assert.equal(log.enabled(other), LOG_LEVELS.indexOf(other) <= rank);
    });
  }

  it('can change its level', () => {
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

  it('writes all lines of one turn of the event loop together and in order', async () => {
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

  it('writes the waiting lines once when it is flushed', async () => {
    const { log, writes } = logAt('info');
    log.info('a');
    log.flush();
    log.flush();
    assert.equal(writes.length, 1);
    await flushEventLoop();
    assert.equal(writes.length, 1);
  });
});
