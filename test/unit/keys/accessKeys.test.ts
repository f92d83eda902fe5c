import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  OWN_KEY_NAME,
  TERMINAL_NAME,
  inOrder,
  isClientName,
  isSameName,
  makeAccessKey,
  parseAccessKey,
  visibleKeys,
} from '../../../src/keys/accessKeys.ts';
import { isAccessKey } from '../../../src/proxy/server/accessKeys.ts';

const own = makeAccessKey(OWN_KEY_NAME, 'own', 1000);
const terminal = makeAccessKey(TERMINAL_NAME, 'terminal', 2000);
const cline = makeAccessKey('Cline', 'client', 3000);
const KEYS = [own, terminal, cline];

describe('The list of access keys', () => {
  it('has fresh keys of the form that the proxy takes, named by the hash that the proxy reports', () => {
    for (const { key, id, lastUsedAt } of KEYS) {
      assert.equal(isAccessKey(key), true);
      assert.equal(id, createHash('sha256').update(key).digest('hex').slice(0, 16));
      assert.equal(lastUsedAt, null);
    }
    assert.equal(new Set(Array.from({ length: 100 }, () => makeAccessKey('x', 'person', 0).key)).size, 100);
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
      { ...cline, origin: undefined },
      { ...cline, origin: 'else' },
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
    const twins = [makeAccessKey('x', 'person', 5), makeAccessKey('x', 'person', 5)];
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

  it('is not empty, long, padded or hidden, and is no mark of Markdown or icon', () => {
    const bad = [
      '',
      ' ',
      ' x',
      'x ',
      'x'.repeat(65),
      'a\nb',
      'a\u0000b',
      'a\u202eb',
      'a\u200bb',
      'a\u2028b',
      'a\u2029b',
    ];
    const invisible = ['\u3164', '\ufe0f', '\u034f', '\u115f', '\u2800', '\u00ad', '\u{e0041}'].map(
      (mark) => `Cline${mark}`,
    );
    const marks = ['$(verified) Sealed', '[a](command:x)', '`x`', '<b>', '*x*', 'a|b', 'a\\b', 'x!', '"x"'];
    for (const name of [...bad, ...invisible, ...marks]) assert.equal(isClientName(name), false, JSON.stringify(name));
  });

  it('is not one of the extension’s own, whose keys nobody agreed to give out, nor one that looks like it', () => {
    const own = [
      OWN_KEY_NAME,
      TERMINAL_NAME,
      'Sealed–Proxy',
      'Тerminal',
      'Sеaled Proxy',
      'sealed proxy',
      'TERMINAL',
      'Sealed\u00a0Proxy',
      'Ｔerminal',
      'Sealed  Proxy',
    ];
    for (const name of own) assert.equal(isClientName(name), false, name);
  });

  it('is the same to the eye whatever its case, width and spaces', () => {
    assert.equal(isSameName('Cline', 'CLINE'), true);
    assert.equal(isSameName('My Tool', 'my  tool'), true);
    assert.equal(isSameName('Cline', 'Cline 2'), false);
  });
});
