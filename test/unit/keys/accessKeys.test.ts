import assert from 'node:assert/strict';
import {
  OWN_KEY_NAME,
  TERMINAL_NAME,
  isClientName,
  isSameName,
  makeAccessKey,
  oldestFirst,
  parseAccessKey,
  visibleKeys,
} from '../../../src/keys/accessKeys.ts';
import { accessKeyId, isAccessKey } from '../../../src/shared/accessKeys.ts';

const own = makeAccessKey(OWN_KEY_NAME, 'own', 1000);
const terminal = makeAccessKey(TERMINAL_NAME, 'terminal', 2000);
const cline = makeAccessKey('Cline', 'client', 3000);
const NEVER = { first: undefined, last: undefined };
const KEYS = [own, terminal, cline];

describe('makeAccessKey()', () => {
  it('creates keys in the form that the proxy accepts, with the id that the proxy reports', () => {
    for (const { key, id, firstUsedAt, lastUsedAt } of KEYS) {
      assert.equal(isAccessKey(key), true);
      assert.equal(id, accessKeyId(key));
      assert.deepEqual([firstUsedAt, lastUsedAt], [null, null]);
    }
    assert.equal(new Set(Array.from({ length: 100 }, () => makeAccessKey('x', 'user', 0).key)).size, 100);
    assert.deepEqual([cline.name, cline.createdAt], ['Cline', 3000]);
  });
});

describe('parseAccessKey()', () => {
  it('returns keys as they were stored, with their first and last use', () => {
    const json = JSON.stringify(cline);
    const parse = (first?: string, last?: string) => parseAccessKey(json, { first, last });
    assert.deepEqual(parse(), cline);
    assert.deepEqual(parse('8000', '9000'), { ...cline, firstUsedAt: 8000, lastUsedAt: 9000 });
    assert.deepEqual(parse(undefined, '9000'), { ...cline, lastUsedAt: 9000 });
    for (const wrong of ['', 'x', '-1', '1.5', 'null']) assert.deepEqual(parse(wrong, wrong), cline);
  });

  it('returns undefined for a damaged entry, because one malformed key would make the proxy refuse all', () => {
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
      { ...cline, key: 'sk-upstream' },
      { ...cline, createdAt: '1' },
    ];
    for (const value of wrong) assert.equal(parseAccessKey(JSON.stringify(value), NEVER), undefined);
    for (const json of [undefined, '', '{']) assert.equal(parseAccessKey(json, NEVER), undefined);
  });
});

describe('oldestFirst()', () => {
  it('sorts by age, and keys of the same age always in the same order', () => {
    assert.deepEqual(oldestFirst([cline, own, terminal]), KEYS);
    const twins = [makeAccessKey('x', 'user', 5), makeAccessKey('x', 'user', 5)];
    assert.deepEqual(oldestFirst(twins), oldestFirst(twins.toReversed()));
  });
});

describe('visibleKeys()', () => {
  it("leaves out the extension's own key", () => {
    assert.deepEqual(visibleKeys(KEYS), [terminal, cline]);
  });
});

describe('isClientName()', () => {
  it('accepts names that a user can read', () => {
    for (const name of ['x', 'Cline', 'publisher.extension', 'Mein Assistent – 日本', 'x'.repeat(64)]) {
      assert.equal(isClientName(name), true, name);
    }
  });

  it('refuses names that are empty, long, padded or invisible, or contain Markdown marks or icons', () => {
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

  it('refuses the names of the extension’s own keys, and names that look like them', () => {
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
});

describe('isSameName()', () => {
  it('ignores case, width and spaces', () => {
    assert.equal(isSameName('Cline', 'CLINE'), true);
    assert.equal(isSameName('My Tool', 'my  tool'), true);
    assert.equal(isSameName('Cline', 'Cline 2'), false);
  });
});
