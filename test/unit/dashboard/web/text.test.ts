import assert from 'node:assert/strict';
import { shortText, visibleText } from '../../../../src/dashboard/web/text.ts';

const LONG = 'x'.repeat(10_240);

describe('visibleText', () => {
  it('has a mark in the place of what could mislead, and an end', () => {
    assert.equal(visibleText('a\u202eb\u001bc'), 'a\ufffdb\ufffdc');
    assert.equal(visibleText(LONG).length, 2000);
  });
});

describe('shortText', () => {
  it('is not longer than a cell needs', () => {
    assert.equal(shortText('a\u202eb\u001bc'), 'a\ufffdb\ufffdc');
    assert.equal(shortText(LONG).length, 120);
  });
});
