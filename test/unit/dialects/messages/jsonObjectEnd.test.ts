import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonObjectEnd } from '../../../../src/dialects/messages/jsonObjectEnd.ts';

describe('JsonObjectEnd', () => {
  it('is reached with the last bracket of any object, wherever its text is split', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 9 }), (value, size) => {
        const text = JSON.stringify(value);
        const end = new JsonObjectEnd();
        for (let at = 0; at < text.length - 1; at += size) {
          end.push(text.slice(at, Math.min(at + size, text.length - 1)));
          assert.equal(end.isReached, false);
        }
        end.push('');
        end.push(text.slice(-1));
        assert.equal(end.isReached, true);
      }),
    );
  });

  it('ignores brackets and quotes in strings', () => {
    const end = new JsonObjectEnd();
    for (const text of ['{"a}', '\\', '', '"}', '\\\\', '"']) {
      end.push(text);
      assert.equal(end.isReached, false, text);
    }
    end.push(' } ');
    assert.equal(end.isReached, true);
  });

  it('is not reached without an object', () => {
    const end = new JsonObjectEnd();
    for (const text of ['', ' ', '5', '"a"', 'null']) end.push(text);
    assert.equal(end.isReached, false);
  });
});
