import assert from 'node:assert/strict';
import { describeChange, mergeInto, valueAt } from '../../../../src/assistants/formats/format.ts';

describe('mergeInto()', () => {
  it('sets the single values of an object that exists', () => {
    const root = { a: { theirs: 1, b: { x: 0 } } };
    assert.deepEqual(mergeInto(root, { path: ['a'], value: { b: { x: 1 }, c: { y: 2 } } }), [
      { path: ['a', 'b', 'x'], value: 1 },
      { path: ['a', 'c'], value: { y: 2 } },
    ]);
    assert.deepEqual(mergeInto(root, { path: ['a'], value: {} }), []);
  });

  it('replaces a value that is not an object', () => {
    for (const root of [{}, { a: 1 }, { a: [] }, { a: null }]) {
      const setting = { path: ['a'], value: { b: 1 } };
      assert.deepEqual(mergeInto(root, setting), [setting]);
    }
  });
});

describe('valueAt()', () => {
  it('finds values in objects and lists, and nothing else', () => {
    const root = { a: [{ b: null }], text: 'x' };
    assert.equal(valueAt(root, ['a', 0, 'b']), null);
    for (const path of [['a', -1], ['a', 1], ['text', 'length'], ['constructor'], ['a', 0, 'b', 'c']])
      assert.equal(valueAt(root, path), undefined);
  });
});

describe('describeChange()', () => {
  it('names the value and what happens to it, without secrets', () => {
    assert.equal(describeChange('model', undefined, 'm'), 'sets model to "m"');
    assert.equal(describeChange('provider.ours', undefined, { a: 1 }), 'adds provider.ours');
    assert.equal(describeChange('model', 'a', 'b'), 'changes model from "a" to "b"');
    assert.equal(describeChange('options.apiKey', 'abc', 'def'), 'changes options.apiKey from •••••••• to ••••••••');
    assert.equal(describeChange('env.OUR_KEY', undefined, 'abc'), 'sets env.OUR_KEY to ••••••••');
    assert.equal(describeChange('model', 'a', undefined), 'removes model');
  });
});
