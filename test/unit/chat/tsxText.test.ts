import assert from 'node:assert/strict';
import { tsxText } from '../../../src/chat/tsxText.ts';

const text = (value: string, lineBreakBefore = false) => ({ type: 2, priority: 1, text: value, lineBreakBefore });
const part = (...children: unknown[]) => ({ type: 1, ctor: 2, ctorName: 'Text', children });

describe('tsxText()', () => {
  it('returns the text of a prompt, with its line breaks', () => {
    const node = part(part(text('one'), text(' two')), part(), part(text('three', true)));
    assert.equal(tsxText({ node }), 'one two\nthree');
  });

  it('returns a text as it is', () => {
    assert.equal(tsxText('one'), 'one');
  });

  it('returns anything else as JSON', () => {
    for (const value of [{ answer: 42 }, [1], 7, null, { node: part() }, { node: { type: 2, text: 7 } }])
      assert.equal(tsxText(value), JSON.stringify(value));
    assert.equal(tsxText(undefined), '');
  });
});
