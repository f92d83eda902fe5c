import assert from 'node:assert/strict';
import { describeUse } from '../../../src/dashboard/clientText.ts';

describe('describeUse()', () => {
  it('waits for the first request, and then says when the last one was', () => {
    const timeOf = (at: number) => `at ${at}`;
    assert.equal(describeUse(null, timeOf), 'Waiting for the first request…');
    assert.equal(describeUse(0, timeOf), 'Last request at 0');
  });
});
