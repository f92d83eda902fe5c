import assert from 'node:assert/strict';
import fc from 'fast-check';
import { shortText, visibleText } from '../../../src/dashboard/text.ts';

describe('visibleText', () => {
  it('keeps text of any language, and emoji', () => {
    for (const text of ['Llama 3.3 70B', 'نموذج', '模型', 'Größe', '👩‍💻 🏳️‍🌈', 'क्षि', 'a\u0301', '<b>&amp;']) {
      assert.equal(visibleText(text), text);
    }
  });

  it('shows a mark in the place of control characters, line breaks and marks that change the direction', () => {
    assert.equal(visibleText('\u001b[31mred\r\n\u009b0m'), '\ufffd[31mred\ufffd\ufffd\ufffd0m');
    assert.equal(visibleText('a\u202eb\u2066c\u2069\u200f\u061c'), 'a\ufffdb\ufffdc\ufffd\ufffd\ufffd');
    assert.equal(visibleText('x\u200by\ufeffz\u00ad\u{e0041}'), 'x\ufffdy\ufffdz\ufffd\ufffd');
  });

  it('returns no misleading character for any input, and no half character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, longest) => {
        const shown = visibleText(text, longest);
        assert.ok(shown.isWellFormed());
        assert.doesNotMatch(shown, /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
        assert.ok(shown.length <= longest + 1);
      }),
    );
  });

  it('shortens a long text', () => {
    assert.equal(visibleText('abcdef', 3), 'abc…');
    assert.equal(visibleText('abc', 3), 'abc');
    assert.equal(visibleText('a\u{1F512}b', 2), 'a\ufffd…');
    assert.equal(visibleText('x'.repeat(10_240)).length, 2001);
  });

  it('keeps marks on letters, but not a pile of them', () => {
    assert.equal(visibleText(`e${'\u0301'.repeat(6)}`), `e${'\u0301'.repeat(6)}`);
    assert.equal(visibleText(`e${'\u0301'.repeat(500)}f`), `e${'\u0301'.repeat(6)}\ufffdf`);
  });
});

describe('shortText', () => {
  it('is not longer than a cell needs', () => {
    assert.equal(shortText('x'.repeat(10_240)).length, 121);
  });
});
