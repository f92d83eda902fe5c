import assert from 'node:assert/strict';
import type { NamedRequest } from '../../../../src/dashboard/model.ts';
import { MAX_ROWS, RequestList } from '../../../../src/dashboard/web/requestList.ts';
import { requestRecord } from '../../../support/requestRecords.ts';

function row(id: number, part: Partial<NamedRequest> = {}): NamedRequest {
  return { ...requestRecord({ id }), client: 'a', ...part };
}

describe('RequestList', () => {
  it('orders running requests before the others, and the latest first', () => {
    const list = new RequestList();
    list.update([row(1, { outcome: null }), row(3), row(2), row(4, { outcome: null })], false, 0);
    assert.deepEqual(idsOf(list), [4, 1, 3, 2]);
    list.update([row(1)], false, 0);
    assert.deepEqual(idsOf(list), [4, 3, 2, 1]);
  });

  it('keeps the latest rows up to the limit, whatever their order', () => {
    const list = new RequestList();
    list.update([row(MAX_ROWS + 5)], false, 0);
    list.update(
      Array.from({ length: MAX_ROWS + 4 }, (_, index) => row(index + 1)),
      false,
      0,
    );
    assert.equal(idsOf(list).length, MAX_ROWS);
    assert.deepEqual([idsOf(list)[0], idsOf(list).at(-1)], [MAX_ROWS + 5, 6]);
  });

  it('keeps a running request, however many began after it, until it is over', () => {
    const list = new RequestList();
    const later = Array.from({ length: MAX_ROWS + 4 }, (_, index) => row(index + 2));
    list.update([...later, row(1, { outcome: null })], false, 0);
    assert.deepEqual([idsOf(list).length, idsOf(list)[0], list.hasRunning], [MAX_ROWS, 1, true]);
    list.update([row(1), row(1000)], false, 0);
    assert.deepEqual([idsOf(list).length, idsOf(list).includes(1), list.hasRunning], [MAX_ROWS, false, false]);
  });

  it('forgets all rows when it is told to', () => {
    const list = new RequestList();
    list.update([row(1, { outcome: null }), row(2)], false, 0);
    list.update([row(3)], true, 0);
    assert.deepEqual(idsOf(list), [3]);
    assert.equal(list.hasRunning, false);
  });

  it('returns the requests of one client, and the names of all', () => {
    const list = new RequestList();
    list.update([row(1, { client: 'b' }), row(2, { client: 'a' }), row(3, { client: 'b' })], false, 0);
    assert.deepEqual(list.clients(false), ['a', 'b']);
    assert.deepEqual(
      list.sorted(false, 'b').map(({ id }) => id),
      [3, 1],
    );
  });

  it('leaves the own checks of the extension out, unless they are asked for', () => {
    const list = new RequestList();
    list.update([row(1), row(2, { client: 'own', isCheck: true })], false, 0);
    assert.deepEqual([list.clients(false), idsOf(list)], [['a'], [1]]);
    assert.deepEqual(
      [list.clients(true), list.sorted(true).map(({ id }) => id)],
      [
        ['a', 'own'],
        [2, 1],
      ],
    );
  });

  it('counts the duration of a running request from its latest row', () => {
    const list = new RequestList();
    const running = row(1, { outcome: null, durationMs: 500 });
    list.update([running], false, 10_000);
    assert.equal(list.hasRunning, true);
    assert.equal(list.duration(running, 10_250), 750);
    assert.equal(list.duration(running, 9000), 500);
    const ended = row(1, { durationMs: 900 });
    list.update([ended], false, 11_000);
    assert.equal(list.duration(ended, 20_000), 900);
    assert.equal(list.hasRunning, false);
  });
});

function idsOf(list: RequestList): number[] {
  return list.sorted(false).map(({ id }) => id);
}
