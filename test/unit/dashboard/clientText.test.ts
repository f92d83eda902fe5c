import assert from 'node:assert/strict';
import { describeUse } from '../../../src/dashboard/clientText.ts';

describe('describeUse()', () => {
  const timeOf = (at: number) => `at ${at}`;

  it('waits for the first request, says when it was, and after later ones when the last one was', () => {
    const use = (firstUsedAt: number | null, lastUsedAt: number | null) =>
      describeUse({ firstUsedAt, lastUsedAt }, timeOf, (at) => `of ${at}`);
    assert.equal(use(null, null), 'Waiting for the first request…');
    assert.equal(use(0, 0), 'First request of 0');
    assert.equal(use(0, 60_000), 'Last request at 60000');
  });

  it('calls no request the first one if that was not recorded', () => {
    assert.equal(describeUse({ firstUsedAt: null, lastUsedAt: 0 }, timeOf), 'Last request at 0');
  });
});
