import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readJson, setValues } from '../../../../src/assistants/files/jsonEdit.ts';
import type { Path } from '../../../../src/assistants/files/jsonEdit.ts';

const set = (text: string, path: Path, value: unknown) => setValues(text, [{ path, value }], 'jsonc')?.text;

/** Whether `text` is left of `longer` when some of its characters are taken away. */
function isKept(text: string, longer: string): boolean {
  let at = 0;
  for (const character of longer) if (text.startsWith(character, at)) at += character.length;
  return at === text.length;
}

describe('Setting a value in JSON', () => {
  for (const [what, text, path, wanted] of [
    ['no object', '', ['a'], '{\n  "a": 1\n}\n'],
    ['an empty object', '{}', ['a', 'b'], '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['an object of one line', '{"x": 0}', ['a'], '{"x": 0, "a": 1}'],
    ['an object of one line with a last comma', '{"x": 0,}', ['a'], '{"x": 0, "a": 1,}'],
    ['an object of lines', '{\n    "x": 0\n}', ['a'], '{\n    "x": 0,\n    "a": 1\n}'],
    ['an object with a last comma', '{\n\t"x": 0,\n}', ['a'], '{\n\t"x": 0,\n\t"a": 1,\n}'],
    ['comments behind a member', '{\n  "x": 0 /* x */ // y\n}', ['a'], '{\n  "x": 0, /* x */ // y\n  "a": 1\n}'],
    [
      'comments behind a comma',
      '{\n  "x": 0, // y, z\n  // end,\n}',
      ['a'],
      '{\n  "x": 0, // y, z\n  "a": 1,\n  // end,\n}',
    ],
    ['a comma on the next line', '{\n  "x": 0 // y\n  ,\n}', ['a'], '{\n  "x": 0 // y\n  ,\n  "a": 1,\n}'],
    ['nothing but a comment', '{\n  // soon\n}', ['a'], '{\n  // soon\n  "a": 1\n}'],
    ['a value of another kind', '{"a": [1, 2], "b": 2}', ['a'], '{"a": 1, "b": 2}'],
    ['a list', '{"l": [0]}', ['l', 1], '{"l": [0, 1]}'],
    ['an empty list', '{"l": []}', ['l', 0], '{"l": [\n  1\n]}'],
    ['lines that end as on Windows', '{\r\n  "x": 0\r\n}\r\n', ['a'], '{\r\n  "x": 0,\r\n  "a": 1\r\n}\r\n'],
  ] as const) {
    it(`finds its place in ${what}`, () => {
      assert.equal(set(text, path, 1), wanted);
      assert.equal(set(wanted, path, 1), wanted);
    });
  }

  it('refuses what has no place', () => {
    for (const [text, path] of [
      ['{"a": 1}', ['a', 'b']],
      ['{"a": null}', ['a', 'b']],
      ['{"a": []}', ['a', 'b']],
      ['{"a": {}}', ['a', 0]],
      ['{"a": 1, "a": 2}', ['a']],
      ['[]', ['a']],
    ] as const) {
      assert.equal(set(text, path, 3), undefined, text);
    }
  });

  it('refuses what is said twice, also where it has been right once', () => {
    for (const text of ['{"a": 1, "a": 2}', '{"a": {"b": 1}, "a": {"b": 2}}', '{"a": {"b": 1}, "a": 2}']) {
      const path = text.includes('b') ? ['a', 'b'] : ['a'];
      assert.equal(set(text, path, 1), undefined, text);
    }
  });

  it('does not follow a name into what every object has', () => {
    assert.equal(set('{}', ['constructor', 'name'], 1), '{\n  "constructor": {\n    "name": 1\n  }\n}');
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
    set('{}', ['__proto__', 'polluted'], 1);
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });

  it('reads each dialect as it is', () => {
    for (const [text, json, comments, jsonc] of [
      ['{"a": 1}', true, true, true],
      ['{"a": 1} // b', false, true, true],
      ['{"a": 1,}', false, false, true],
      ["{'a': 1}", false, false, false],
    ] as const) {
      const results = (['json', 'json with comments', 'jsonc'] as const).map((each) => readJson(text, each));
      assert.deepEqual(
        results.map((each) => each !== undefined),
        [json, comments, jsonc],
      );
    }
  });

  it('keeps all that was there, however it was written', () => {
    const trivia = fc.constantFrom('', ' ', '\n', '\n\t', ' // {"a": [,\n', '/* , } ] " */', '\r\n    ');
    const leaf = fc
      .oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
      .map((each) => [JSON.stringify(each)]);
    const { object } = fc.letrec<{ object: string[]; value: string[] }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, tie('object')),
      object: fc
        .tuple(
          fc.uniqueArray(
            fc.string().filter((name) => name !== '__proto__'),
            { maxLength: 4 },
          ),
          fc.array(tie('value'), { minLength: 4, maxLength: 4 }),
          fc.boolean(),
        )
        .map(([names, values, comma]) => [
          '{',
          ...names.flatMap((name, index) => [
            ...(index === 0 ? [] : [',']),
            ...[JSON.stringify(name), ':'],
            ...(values[index] ?? []),
          ]),
          ...(comma && names.length > 0 ? [',', '}'] : ['}']),
        ]),
    }));
    const text = fc
      .tuple(object, fc.infiniteStream(trivia))
      .map(([tokens, between]) => tokens.map((token) => token + String(between.next().value)).join(''));
    // Neither -0 nor a prototype, which the text of a JSON does not keep.
    const plain = fc
      .jsonValue()
      .map((value) => JSON.stringify(value))
      .filter((json) => !json.includes('__proto__'))
      .map((json) => JSON.parse(json) as unknown);
    fc.assert(
      fc.property(text, plain, (before, value) => {
        const path = ['sealed proxy', 'entry'];
        const after = set(before, path, value);
        assert.ok(after !== undefined);
        assert.ok(isKept(before, after), after);
        assert.equal(set(after, path, value), after);
        const wanted = { ...(readJson(before, 'jsonc') as object), 'sealed proxy': { entry: value } };
        assert.deepEqual(readJson(after, 'jsonc'), wanted);
      }),
    );
  });
});
