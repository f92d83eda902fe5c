import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  OWN_KEY_NAME,
  isClientName,
  makeAccessKey,
  markUsed,
  parseAccessKeys,
  visibleKeys,
  withoutKey,
} from '../../src/extension/accessKeys.ts';
import { isAccessKey } from '../../src/proxy/accessKeys.ts';

const own = makeAccessKey(OWN_KEY_NAME, 1000);
const terminal = makeAccessKey('Terminal', 2000);
const cline = makeAccessKey('Cline', 3000);
const KEYS = [own, terminal, cline];

describe('The list of access keys', () => {
  it('has fresh keys of the form that the proxy takes, named by the hash that the proxy reports', () => {
    for (const { key, id, lastUsedAt } of KEYS) {
      assert.equal(isAccessKey(key), true);
      assert.equal(id, createHash('sha256').update(key).digest('hex').slice(0, 16));
      assert.equal(lastUsedAt, null);
    }
    assert.equal(new Set(Array.from({ length: 100 }, () => makeAccessKey('x', 0).key)).size, 100);
    assert.deepEqual([cline.name, cline.createdAt], ['Cline', 3000]);
  });

  it('comes back as it was stored', () => {
    const used = markUsed(KEYS, cline.id, 9000);
    assert.deepEqual(parseAccessKeys(JSON.stringify(used)), used);
  });

  it('is empty where nothing was stored, or nothing that can be read', () => {
    for (const json of [undefined, '', '{', 'null', '7', '"x"', '{}', '{"length":1}']) {
      assert.deepEqual(parseAccessKeys(json), [], json);
    }
  });

  it('leaves out what is no key, for one such would have the proxy refuse them all', () => {
    const { id, name, key, createdAt } = cline;
    const wrong: unknown[] = [
      null,
      7,
      'x',
      [],
      {},
      { id, name, key, createdAt },
      { ...cline, id: 7 },
      { ...cline, name: null },
      { ...cline, key: 'sealed-short' },
      { ...cline, key: `${key}\n` },
      { ...cline, key: 'sk-of-the-upstream' },
      { ...cline, createdAt: '1' },
      { ...cline, lastUsedAt: 'never' },
    ];
    assert.deepEqual(parseAccessKeys(JSON.stringify([...wrong, terminal])), [terminal]);
  });

  it('notes the last use of the key that was used, and of no other', () => {
    const used = markUsed(KEYS, cline.id, 9000);
    assert.deepEqual(used, [own, terminal, { ...cline, lastUsedAt: 9000 }]);
    assert.equal(cline.lastUsedAt, null);
  });

  it('stays the same list, which is not written again, for an unknown key and for the extension’s own', () => {
    assert.equal(markUsed(KEYS, 'ffffffffffffffff', 9000), KEYS);
    assert.equal(markUsed(KEYS, own.id, 9000), KEYS);
  });

  it('loses a revoked key and no other', () => {
    assert.deepEqual(withoutKey(KEYS, terminal.id), [own, cline]);
    assert.deepEqual(withoutKey(KEYS, 'ffffffffffffffff'), KEYS);
  });

  it('does not show the key by which the extension itself asks', () => {
    assert.deepEqual(visibleKeys(KEYS), [terminal, cline]);
  });
});

describe('The name of a client', () => {
  it('is what a person can read', () => {
    for (const name of ['x', 'Cline', 'publisher.extension', 'Mein Assistent – 日本', 'x'.repeat(64)]) {
      assert.equal(isClientName(name), true, name);
    }
  });

  it('is not empty, long, padded or hidden', () => {
    for (const name of ['', ' ', ' x', 'x ', 'x'.repeat(65), 'a\nb', 'a\u0000b', 'a\u202eb', 'a\u200bb']) {
      assert.equal(isClientName(name), false, JSON.stringify(name));
    }
  });

  it('is not the extension’s own, whose key nobody agreed to give out', () => {
    assert.equal(isClientName(OWN_KEY_NAME), false);
  });
});
