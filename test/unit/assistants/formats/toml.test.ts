import assert from 'node:assert/strict';
import fc from 'fast-check';
import { valueAt } from '../../../../src/assistants/formats/format.ts';
import type { Path, Setting } from '../../../../src/assistants/formats/format.ts';
import { toml } from '../../../../src/assistants/formats/toml.ts';

const set = (text: string, path: Path, value: unknown) => toml.set(text, [{ path, value }])?.text;

/** Texts in every style that TOML has. */
const TEXTS: readonly string[] = [
  '',
  '\n\n',
  '# only a comment',
  'model = "a" # one\n# two\n',
  'model = \'a\'\r\n\r\n[p.x]\r\nname = "X"\r\n',
  '\ufeffmodel = "a"\n[p]\n# empty\n',
  'p.x.name = "X"\np.x.url = "U" # dotted\n\n[other]\na = 1\n',
  'p = { x = { name = "X" } } # inline\n',
  'p = {}\n',
  '[p]\nx = { name = "X", url = "U" }\ny.name = "Y"\n',
  '[p.x]\nname = "X"\n\n  [p.x.headers] # nested\n  a = "b"\n\n[[list]]\na = 1\n[list.sub]\nb = 2\n[[list]]\n',
  'text = """\n[p.ours]\nname = "no"\n"""\nlist = [\n  "a", # one\n  "b",\n]\n[z]\n',
  '"quoted key" = 1\n[p."a.b"]\n\'c d\' = 2\n',
  'd = 1979-05-27T07:32:00Z\nt = 07:32:00\nbig = 9223372036854775807\nf = -1e3\nn = nan\nh = 0xDEAD_BEEF\n',
  '# heading\n\n# about p\n[p]\n',
];
const ENTRY = { name: 'Ours', url: 'http://x/"y"', key: 'k' };
const SETTINGS: readonly Setting[] = [
  { path: ['model'], value: 'new' },
  { path: ['window'], value: 128_000 },
  { path: ['p', 'ours'], value: ENTRY },
  { path: ['stats', 'enabled'], value: false },
];
const PATHS: readonly Path[] = [['model'], ['window'], ['p', 'ours'], ['stats']];

/** Whether `text` remains when some characters of `longer` are removed. */
function isKept(text: string, longer: string): boolean {
  let at = 0;
  for (const character of longer) if (text.startsWith(character, at)) at += character.length;
  return at === text.length;
}

describe('toml.set()', () => {
  for (const [what, text, path, value, wanted] of [
    ['an empty text', '', ['a'], 1, 'a = 1\n'],
    ['a line after the last root key', 'x = 0 # x\n\n[t]\n', ['a'], 1, 'x = 0 # x\na = 1\n\n[t]\n'],
    ['a line to a text without a last line break', 'x = 0', ['a'], 1, 'x = 0\na = 1\n'],
    ['a line before the first table', '# top\n\n# t\n[t]\n', ['a'], 1, '# top\n\na = 1\n\n# t\n[t]\n'],
    ['a line after a value of several lines', 'x = [\n 1,\n]\n# end\n', ['a'], 1, 'x = [\n 1,\n]\na = 1\n# end\n'],
    ['a key to a table', '[t] # t\nx = 0\n\n# u\n[u]\n', ['t', 'a'], 1, '[t] # t\nx = 0\na = 1\n\n# u\n[u]\n'],
    ['a key to an empty table', '[t]\n[u]\n', ['t', 'a'], 1, '[t]\na = 1\n[u]\n'],
    ['a table', 'x = 0\n', ['t', 'a b'], { c: true }, 'x = 0\n\n[t."a b"]\nc = true\n'],
    ['a table for a single key', '', ['t', 'a'], 1, '[t]\na = 1\n'],
    ['a table below dotted keys', 't.x.y = 0\n', ['t', 'a'], { b: 1 }, 't.x.y = 0\n\n[t.a]\nb = 1\n'],
    ['a key to dotted keys', 't.x = 0\nz = 1\n', ['t', 'a'], 1, 't.x = 0\nt.a = 1\nz = 1\n'],
    ['a member to an inline table', 't = { x = 0 } # t\n', ['t', 'a'], { b: 1 }, 't = { x = 0, a = { b = 1 } } # t\n'],
    ['a member to an empty inline table', 't = {}\n', ['t', 'a', 'b'], 1, 't = { a.b = 1 }\n'],
    ['Windows line ends', 'x = 0\r\n', ['t', 'a'], 1, 'x = 0\r\n\r\n[t]\r\na = 1\r\n'],
  ] as const) {
    it(`adds ${what}`, () => {
      assert.equal(set(text, path, value), wanted);
      assert.equal(set(wanted, path, value), wanted);
    });
  }

  for (const [what, text, path, wanted] of [
    ['a line', 'a = 1 # one\nb = 2\n', ['a'], 'b = 2\n'],
    ['a line of a table', '[t]\na = 1\nb = 2\n', ['t', 'a'], '[t]\nb = 2\n'],
    ['a table with its tables', 'x = 0\n\n[t]\na = 1\n[t.u]\nb = 2\n\n# v\n[v]\n', ['t'], 'x = 0\n\n# v\n[v]\n'],
    ['the last table', 'x = 0\n\n[t.u]\na = 1\n', ['t', 'u'], 'x = 0\n'],
    ['dotted keys', 't.a = 1\nx = 0\nt.b.c = 2\n', ['t'], 'x = 0\n'],
    ['a member of an inline table', 't = { a = 1, b = 2, c = 3 }\n', ['t', 'b'], 't = { a = 1, c = 3 }\n'],
    ['the last member of an inline table', 't = { a = 1, b = 2 }\n', ['t', 'b'], 't = { a = 1 }\n'],
  ] as const) {
    it(`removes ${what}`, () => {
      assert.equal(set(text, path, undefined), wanted);
    });
  }

  it('replaces a value and keeps the rest of its line', () => {
    assert.equal(set("a   =  'x' # c\r\n", ['a'], 'y'), 'a   =  "y" # c\r\n');
    assert.equal(set('[t]\nu = { a = [1,\n2], b = 1 }\n', ['t', 'u', 'a'], 2), '[t]\nu = { a = 2, b = 1 }\n');
    assert.equal(set('[t]\na = 1\n[u]\n', ['t'], { b: 2 }), '[u]\n\n[t]\nb = 2\n');
  });

  it('keeps every other byte of a text in any style, and removes what it has added', () => {
    for (const text of TEXTS) {
      const added = toml.set(text, SETTINGS);
      assert.ok(added, text);
      for (const { path, value } of SETTINGS) assert.deepEqual(valueAt(toml.read(added.text), path), value);
      const kept = text.replace(/^(\ufeff?model = )(?:'a'|"a")/, '$1');
      assert.ok(isKept(kept, added.text), added.text);
      assert.equal(toml.set(added.text, SETTINGS)?.text, added.text);
      const old = valueAt(toml.read(text), ['model']);
      const removals = PATHS.map((path) => ({ path, value: path[0] === 'model' ? old : undefined }));
      const removed = toml.set(added.text, removals);
      assert.deepEqual(toml.read(removed?.text ?? 'x'), toml.read(text), text);
      assert.ok(removed && !/ours|stats|window/.test(removed.text.replace('[p.ours]\nname = "no"', '')), removed?.text);
    }
  });

  it('gives any texts as values back', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TEXTS),
        fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'), // see below
        fc.string({ unit: 'binary' }),
        (text, key, value) => {
          const path = ['p', 'ours', key];
          const edited = toml.set(text, [{ path, value }]);
          assert.equal(valueAt(toml.read(edited?.text ?? ''), path), value);
        },
      ),
    );
  });

  it('refuses the key __proto__, in a file and as a setting, which would change all objects', () => {
    for (const text of ['[__proto__]\nb = 1\n', '"__proto__".b = 1\n', "a = [{ '__proto__' = { b = 1 } }]\n"]) {
      assert.equal(toml.read(text), undefined, text);
      assert.equal(toml.set(text, [{ path: ['c'], value: 1 }]), undefined, text);
    }
    for (const path of [['__proto__'], ['a', '__proto__'], ['__proto__', 'b']])
      assert.equal(toml.set('', [{ path, value: 'x' }]), undefined);
    assert.equal(Reflect.get({}, 'b'), undefined);
  });

  it('refuses to lose a comment inside an array, an empty inline table or a table', () => {
    for (const [text, path, value] of [
      ['a = [\n  1, # one\n]\n', ['a'], [2]],
      ['a = {\n  # none\n}\n', ['a', 'b'], 1],
      ['[a.b]\n# mine\nc = 1\n', ['a', 'b'], undefined],
    ] as const) {
      assert.equal(set(text, path, value), undefined, text);
    }
  });

  it('refuses what cannot be set without changing something else', () => {
    for (const [text, path, value] of [
      ['a = ', ['b'], 1],
      ['a = 1\n', ['a', 'b'], 1],
      ['[[a]]\nb = 1\n', ['a', 'c'], { d: 1 }],
      ['a = { b = 1, # one\n c = 2 }\n', ['a', 'b'], undefined],
      ['[a]\nb = 1\n[a]\nc = 1\n', ['a', 'b'], 2],
    ] as const) {
      assert.equal(set(text, path, value), undefined, text);
    }
    assert.throws(() => set('', ['a'], 1.5), TypeError);
  });

  it('describes each change', () => {
    const { changes } = toml.set('model = "a"\n', SETTINGS.slice(0, 3)) ?? { changes: [] };
    assert.deepEqual(changes, ['changes model from "a" to "new"', 'sets window to 128000', 'adds p.ours']);
  });

  it('stays fast with a large text', () => {
    const text = Array.from({ length: 5000 }, (_each, index) => `[p.t${index}]\na.b.c = [${index}, 2]\n`).join('\n');
    const edited = toml.set(text, SETTINGS);
    assert.deepEqual(valueAt(toml.read(edited?.text ?? ''), ['p', 'ours']), ENTRY);
  });
});

describe('toml.read()', () => {
  it('reads an empty text, also with a byte order mark', () => {
    assert.deepEqual(
      ['', '\ufeff', '\n# a\n'].map((text) => toml.read(text)),
      [{}, {}, {}],
    );
  });

  it('is undefined for a text that does not parse', () => {
    for (const text of ['a', 'a = 1 b = 2', 'a = 1\na = 2', '[a', 'a = "\n"', `a = ${'['.repeat(50_000)}`]) {
      assert.equal(toml.read(text), undefined, text.slice(0, 20));
    }
  });
});

describe('toml.write()', () => {
  it('writes a text with the same values', () => {
    const values = { model: 'a"\\\u007f\n', list: [1, 'b', { c: true }], 'odd key': { '': {}, d: 'e' } };
    assert.deepEqual(toml.read(toml.write(values)), values);
    assert.equal(toml.write({}), '');
  });
});
