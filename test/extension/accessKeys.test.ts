import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  OWN_KEY_NAME,
  inOrder,
  isClientName,
  makeAccessKey,
  parseAccessKey,
  visibleKeys,
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

  it('has keys that come back as they were stored, with their last use', () => {
    const json = JSON.stringify(cline);
    assert.deepEqual(parseAccessKey(json, undefined), cline);
    assert.deepEqual(parseAccessKey(json, '9000'), { ...cline, lastUsedAt: 9000 });
    for (const wrong of ['', 'x', '-1', '1.5', 'null']) assert.equal(parseAccessKey(json, wrong)?.lastUsedAt, null);
  });

  it('leaves out what is no key, for one such would have the proxy refuse them all', () => {
    const { id, name, key } = cline;
    const wrong: unknown[] = [
      ...[null, 7, 'x', [], {}],
      { id, name, key },
      { ...cline, id: 7 },
      { ...cline, id: terminal.id },
      { ...cline, name: null },
      { ...cline, key: 'sealed-short' },
      { ...cline, key: `${key}\n` },
      { ...cline, key: 'sk-of-the-upstream' },
      { ...cline, createdAt: '1' },
    ];
    for (const value of wrong) assert.equal(parseAccessKey(JSON.stringify(value), undefined), undefined);
    for (const json of [undefined, '', '{']) assert.equal(parseAccessKey(json, '1'), undefined);
  });

  it('has the oldest first, and one order for those made at once', () => {
    assert.deepEqual(inOrder([cline, own, terminal]), KEYS);
    const twins = [makeAccessKey('x', 5), makeAccessKey('x', 5)];
    assert.deepEqual(inOrder(twins), inOrder(twins.toReversed()));
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
