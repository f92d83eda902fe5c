import assert from 'node:assert/strict';
import { ActivityLog } from '../../../../src/proxy/usage/activityLog.ts';
import { RequestEntry } from '../../../../src/proxy/usage/requestEntry.ts';
import { MAX_RECORDS, parseActivity } from '../../../../src/shared/activity.ts';

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];

describe('ActivityLog', () => {
  let log: ActivityLog;
  let finished: number[];

  beforeEach(() => {
    finished = [];
    log = new ActivityLog('instance', ({ id }) => {
      finished.push(id);
    });
  });

  const begin = (caller: string) => {
    const entry = new RequestEntry('POST', '/v1/chat/completions');
    log.begin(caller, entry);
    return entry;
  };
  const finish = (count: number) => {
    for (let each = 0; each < count; each++) log.finish(begin('x'));
  };
  const idsAfter = (cursor: number) => {
    const report = log.report(cursor);
    return { ...report, running: report.running.map(({ id }) => id), finished: report.finished.map(({ id }) => id) };
  };

  it('lists requests as running until they have finished, in the order of their ends', () => {
    const first = begin('x');
    const second = begin('y');
    const nothing = { instance: 'instance', cursor: 0 };
    assert.deepEqual(idsAfter(0), { ...nothing, running: [1, 2], finished: [] });
    second.startedByBackend({ status: 200, headers: [] });
    assert.equal(log.finish(second), 'answered');
    assert.deepEqual(idsAfter(0), { ...nothing, running: [1], finished: [2], cursor: 1 });
    assert.equal(log.finish(first), 'broken');
    assert.equal(log.finish(first), undefined, 'it is not listed any more');
    assert.deepEqual(idsAfter(0), { ...nothing, running: [], finished: [2, 1], cursor: 2 });
    assert.deepEqual(finished, [2, 1]);
  });

  it('reports each finished request once to a window that sends the cursor of its previous report', () => {
    finish(3);
    const { cursor } = log.report(0);
    assert.deepEqual(idsAfter(cursor).finished, []);
    finish(2);
    assert.deepEqual(idsAfter(cursor).finished, [4, 5]);
    assert.deepEqual(idsAfter(4).finished, [5]);
    assert.deepEqual(idsAfter(6).finished, [1, 2, 3, 4, 5], 'the cursor of another process');
  });

  it('keeps the last 500', () => {
    finish(MAX_RECORDS + 7);
    const ids = Array.from({ length: MAX_RECORDS }, (_, index) => index + 8);
    assert.deepEqual(idsAfter(0), { instance: 'instance', running: [], finished: ids, cursor: MAX_RECORDS + 7 });
    assert.deepEqual(idsAfter(3).finished, ids);
    assert.deepEqual(idsAfter(MAX_RECORDS + 5).finished, ids.slice(-2));
  });

  it('makes a report of less than a megabyte, also if each model has the longest name', () => {
    for (const name of ['\u0000', '🜁', '<b>']) {
      for (let count = 0; count < MAX_RECORDS; count++) {
        const entry = begin('0123456789abcdef');
        entry.startedByBackend({ status: 200, headers: JSON_TYPE });
        entry.chunk(Buffer.from(JSON.stringify({ model: name.repeat(600), secret: 'a prompt' })));
        log.finish(entry);
      }
      const report = log.report(0);
      const json = JSON.stringify(report);
      assert.deepEqual(parseActivity(json), report);
      assert.equal(Array.from(report.finished[0]?.model ?? '').length, 200);
      assert.ok(json.length < 1024 * 1024, `${json.length}`);
      assert.ok(!json.includes('prompt'));
    }
  });

  it('tells of each request that is over, also of one that is not listed', () => {
    const ended: RequestEntry[] = [];
    const observed = new ActivityLog(
      'instance',
      () => undefined,
      (entry) => {
        ended.push(entry);
      },
    );
    const listed = new RequestEntry('POST', '/v1/chat/completions');
    const probe = new RequestEntry('GET', '/ready');
    observed.begin('x', listed);
    assert.equal(observed.finish(probe), undefined);
    observed.finish(listed);
    assert.deepEqual(ended, [probe, listed]);
  });
});
