import assert from 'node:assert/strict';
import fc from 'fast-check';
import { open, reasoningKey, seal } from '../../../../src/proxy/dialects/reasoningSeal.ts';

const ROOT = new Uint8Array(32).fill(1);
const KEY = reasoningKey(ROOT, { value: 'api-key', accessKeyId: '01' });

describe('seal() and open()', () => {
  it('give any text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 5000 }), (text) => {
        assert.equal(open(KEY, seal(KEY, text)), text);
      }),
    );
  });

  it('hide the text, and seal it differently each time', () => {
    const [one, other] = [seal(KEY, 'A secret thought'), seal(KEY, 'A secret thought')];
    assert.notEqual(one, other);
    assert.doesNotMatch(Buffer.from(one, 'base64').toString('latin1'), /secret/);
  });

  it('read nothing that was changed anywhere', () => {
    const bytes = Buffer.from(seal(KEY, 'Hm.'), 'base64');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(open(KEY, changed.toString('base64')), undefined, `byte ${index}`);
      assert.equal(open(KEY, bytes.subarray(0, index).toString('base64')), undefined, `${index} bytes`);
    }
  });

  it('read nothing that others have made', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        assert.equal(open(KEY, text), undefined);
      }),
    );
  });

  it('need the same API key, the same access key, and the same root of the cache namespace', () => {
    const key = { value: 'api-key', accessKeyId: '01' };
    const sealed = seal(KEY, 'Hm.');
    assert.equal(open(reasoningKey(Uint8Array.from(ROOT), { ...key }), sealed), 'Hm.');
    assert.equal(open(reasoningKey(ROOT, { ...key, value: 'other-key' }), sealed), undefined);
    assert.equal(open(reasoningKey(ROOT, { ...key, accessKeyId: '02' }), sealed), undefined);
    assert.equal(open(reasoningKey(ROOT, { ...key, accessKeyId: null }), sealed), undefined);
    assert.equal(open(reasoningKey(new Uint8Array(32), key), sealed), undefined);
  });
});
