import assert from 'node:assert/strict';
import { listed, settingsIn, shortPcr0, shortened, splitAtSettings } from '../../../src/presentation/text.ts';

const PCR0 = `0123abcd${'e'.repeat(80)}89efcdab`;

describe('listed()', () => {
  it('is the names as in a sentence', () => {
    assert.deepEqual(
      [[], ['A'], ['A', 'B'], ['A', 'B', 'C']].map((items) => listed(items)),
      ['', 'A', 'A and B', 'A, B and C'],
    );
  });

  it('counts those that are too many', () => {
    assert.equal(listed(['A', 'B', 'C'], 3), 'A, B and C');
    assert.equal(listed(['A', 'B', 'C', 'D'], 2), 'A, B and 2 more');
    assert.equal(listed(['A', 'B'], 1), 'A and 1 more');
  });
});

describe('splitAtSettings()', () => {
  it('has the names of settings at every second place', () => {
    const text = 'Check http.proxy, or set sealedProxy.statusBar.compact.';
    assert.deepEqual(splitAtSettings(text), [
      'Check ',
      'http.proxy',
      ', or set ',
      'sealedProxy.statusBar.compact',
      '.',
    ]);
    assert.equal(splitAtSettings(text).join(''), text);
    assert.equal(splitAtSettings('See https://http.example/, http.example.com and /sealedProxy.port.').length, 1);
  });
});

describe('settingsIn()', () => {
  it('names no setting where there is none', () => {
    assert.deepEqual(settingsIn('Open raw.githubusercontent.com with http. Or sealedProxy: it is sealed.'), []);
    assert.deepEqual(settingsIn('sealedProxy.port'), ['sealedProxy.port']);
  });
});

describe('shortened()', () => {
  it('shows both ends of a PCR0', () => {
    assert.equal(shortPcr0(PCR0), '0123abcd…89efcdab');
    assert.equal(shortened(`with PCR0 ${PCR0}`), 'with PCR0 0123abcd…89efcdab');
    assert.equal(shortened('without'), 'without');
  });
});
