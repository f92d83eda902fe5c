import assert from 'node:assert/strict';
import { CHECKS, CHECK_IDS, failuresOf } from '../../../src/shared/checks.ts';

describe('CHECKS', () => {
  it('has each error in one check, so that an error says which check failed', () => {
    const failures = CHECK_IDS.flatMap(failuresOf);
    assert.equal(new Set(failures).size, failures.length);
    assert.ok(CHECK_IDS.every((id) => CHECKS[id].errors.length > 0));
  });
});
