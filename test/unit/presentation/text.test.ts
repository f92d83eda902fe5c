import assert from 'node:assert/strict';
import { shortPcr0, shortened } from '../../../src/presentation/text.ts';

const PCR0 = `0123abcd${'e'.repeat(80)}89efcdab`;

describe('shortened()', () => {
  it('shows both ends of a PCR0', () => {
    assert.equal(shortPcr0(PCR0), '0123abcd…89efcdab');
    assert.equal(shortened(`with PCR0 ${PCR0}`), 'with PCR0 0123abcd…89efcdab');
    assert.equal(shortened('without'), 'without');
  });
});
