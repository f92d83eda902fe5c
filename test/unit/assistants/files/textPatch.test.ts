import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyPatch, isTextPatch, makePatch } from '../../../../src/assistants/files/textPatch.ts';

describe('makePatch() and applyPatch()', () => {
  it('make one text of the other, for any two texts', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd')).map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, (one, other) => {
        const patch = JSON.parse(JSON.stringify(makePatch(one, other))) as unknown;
        assert.ok(isTextPatch(patch));
        assert.equal(applyPatch(one, patch), other);
      }),
    );
  });

  it('keep only what differs, also between several changes, and within a line', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\n`);
    const changed = lines.toSpliced(40, 0, 'new\n').with(3, 'other\n');
    const text = changed.join('');
    const added = text.indexOf('new\n');
    assert.deepEqual(makePatch(text, lines.join('')), [
      { start: 21, end: 26, text: 'line 3' },
      { start: added, end: added + 4, text: '' },
    ]);
    assert.deepEqual(makePatch('same\n', 'same\n'), []);
    assert.deepEqual(makePatch('{"key": "secret"},\n', '{"key": "secret"}\n'), [{ start: 17, end: 18, text: '' }]);
  });

  it('take one hunk for texts that differ in too many lines to compare', () => {
    const [one, other] = ['x', 'y'].map((mark) =>
      Array.from({ length: 3000 }, (_, index) => `${mark}${index}\n`).join(''),
    );
    assert.ok(one !== undefined && other !== undefined);
    const patch = makePatch(one, other);
    assert.equal(patch.length, 1);
    assert.equal(applyPatch(one, patch), other);
  });
});
