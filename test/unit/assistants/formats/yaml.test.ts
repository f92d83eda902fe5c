import assert from 'node:assert/strict';
import type { Setting } from '../../../../src/assistants/formats/format.ts';
import { yaml } from '../../../../src/assistants/formats/yaml.ts';

const set = (text: string, ...settings: readonly Setting[]) => yaml.set(text, settings)?.text;

describe('yaml', () => {
  it('takes an empty text, comments and null for an empty object', () => {
    for (const text of ['', '# only\n', 'null\n', '---\n...\n']) assert.deepEqual(yaml.read(text), {});
  });

  it('sets, replaces and removes values of the outermost object, and keeps the rest', () => {
    for (const [before, path, value, after] of [
      ['a: 1 # one\n', ['b'], 'x', 'a: 1 # one\nb: x\n'],
      ['a: 1', ['b'], { c: [1] }, 'a: 1\nb:\n  c:\n    - 1\n'],
      ['a:   old # one\nb: 2\n', ['a'], 'new', 'a:   "new" # one\nb: 2\n'],
      ['a: {b:  1}\n', ['a', 'b'], 2, 'a: {b:  2}\n'],
      ['a: 1\r\n', ['b'], 2, 'a: 1\r\nb: 2\r\n'],
      ['\ufeffa: 1\n', ['b'], 2, '\ufeffa: 1\nb: 2\n'],
      ['a: 1\nb: # two\n  - c\n\n# three\nd: 4\n', ['b'], undefined, 'a: 1\n\n# three\nd: 4\n'],
      ['a: 1\nb: 2\n', ['b'], undefined, 'a: 1\n'],
      ['a: 1\n', ['a'], 1, 'a: 1\n'],
      ['a: 1\n', ['b'], undefined, 'a: 1\n'],
    ] as const) {
      assert.equal(set(before, { path, value }), after, before);
    }
  });

  it('refuses what it cannot set without changing anything else', () => {
    for (const [text, path, value] of [
      ['a: 1\n', ['b', 'c'], 1],
      ['{a: 1}\n', ['b'], 1],
      ['a: 1\n', ['a', 'b'], 1],
      ['a: &x 1\nb: *x\n', ['a'], undefined],
      ['a: [', ['b'], 1],
      ['a: 1\n---\nb: 2\n', ['c'], 3],
    ] as const) {
      assert.equal(set(text, { path, value }), undefined, text);
    }
  });

  it('describes each change by its label, or else by its path', () => {
    const settings = [
      { path: ['a'], value: 1 },
      { path: ['list'], value: {}, isFirst: true, label: 'the entry' },
      { path: ['list'], value: {}, isFirst: true },
    ] as const;
    assert.deepEqual(yaml.set('', settings)?.changes, ['sets a to 1', 'adds the entry', 'adds list.[0]']);
  });

  it('writes a text that it reads', () => {
    const values = { a: ['x', 1, null], b: { c: 'y: z', d: '# no' } };
    assert.deepEqual(yaml.read(yaml.write(values)), values);
  });
});
