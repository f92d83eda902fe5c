import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Path } from '../../../../src/assistants/formats/format.ts';
import { json, jsonWithComments, jsonc } from '../../../../src/assistants/formats/json.ts';

const set = (text: string, path: Path, value: unknown) => jsonc.set(text, [{ path, value }])?.text;

/** Whether `text` remains when some characters of `longer` are removed. */
function isKept(text: string, longer: string): boolean {
  let at = 0;
  for (const character of longer) if (text.startsWith(character, at)) at += character.length;
  return at === text.length;
}

describe('jsonc', () => {
  for (const [what, text, wanted] of [
    ['on one line', '{"l": [1, 2]}', '{"l": [0, 1, 2]}'],
    ['on several lines', '{\n  "l": [\n    1\n  ]\n}', '{\n  "l": [\n    0,\n    1\n  ]\n}'],
    ['whose first item has a comment', '{"l": [\n  // one\n  1,\n]}', '{"l": [\n  0,\n  // one\n  1,\n]}'],
    ['with a comment on its line', '{"l": [ // all\n  1\n]}', '{"l": [ // all\n  0,\n  1\n]}'],
    ['that is empty', '{"l": []}', '{"l": [\n  0\n]}'],
    ['with Windows line ends', '{"l": [\r\n\t1\r\n]}', '{"l": [\r\n\t0,\r\n\t1\r\n]}'],
  ] as const) {
    it(`puts an item first in a list ${what}`, () => {
      const edited = jsonc.set(text, [{ path: ['l'], value: 0, isFirst: true }]);
      assert.deepEqual(edited, { text: wanted, changes: ['sets l.[0] to 0'] });
    });
  }

  it('puts an item first only in a list', () => {
    for (const text of ['{}', '{"l": {}}', '{"l": [1], "l": [2]}'])
      assert.equal(jsonc.set(text, [{ path: ['l'], value: 0, isFirst: true }]), undefined);
  });

  for (const [what, text, path, wanted] of [
    ['an empty text', '', ['a'], '{\n  "a": 1\n}\n'],
    ['an empty object', '{}', ['a', 'b'], '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['an object on one line', '{"x": 0}', ['a'], '{"x": 0, "a": 1}'],
    ['an object on one line with a trailing comma', '{"x": 0,}', ['a'], '{"x": 0, "a": 1,}'],
    ['an object on several lines', '{\n    "x": 0\n}', ['a'], '{\n    "x": 0,\n    "a": 1\n}'],
    ['an object with a trailing comma', '{\n\t"x": 0,\n}', ['a'], '{\n\t"x": 0,\n\t"a": 1,\n}'],
    ['a member followed by comments', '{\n  "x": 0 /* x */ // y\n}', ['a'], '{\n  "x": 0, /* x */ // y\n  "a": 1\n}'],
    [
      'a comma followed by comments',
      '{\n  "x": 0, // y, z\n  // end,\n}',
      ['a'],
      '{\n  "x": 0, // y, z\n  "a": 1,\n  // end,\n}',
    ],
    ['a comma on the next line', '{\n  "x": 0 // y\n  ,\n}', ['a'], '{\n  "x": 0 // y\n  ,\n  "a": 1,\n}'],
    ['an object with only a comment', '{\n  // soon\n}', ['a'], '{\n  // soon\n  "a": 1\n}'],
    ['a value of another type', '{"a": [1, 2], "b": 2}', ['a'], '{"a": 1, "b": 2}'],
    ['a list', '{"l": [0]}', ['l', 1], '{"l": [0, 1]}'],
    ['an empty list', '{"l": []}', ['l', 0], '{"l": [\n  1\n]}'],
    ['a text with Windows line ends', '{\r\n  "x": 0\r\n}\r\n', ['a'], '{\r\n  "x": 0,\r\n  "a": 1\r\n}\r\n'],
  ] as const) {
    it(`adds to ${what}`, () => {
      assert.equal(set(text, path, 1), wanted);
      assert.equal(set(wanted, path, 1), wanted);
    });
  }

  it('removes a value that is undefined', () => {
    assert.equal(set('{\n  "a": 1, // one\n  "b": [2, 3]\n}', ['a'], undefined), '{\n   // one\n  "b": [2, 3]\n}');
    assert.equal(set('{"a": 1, "b": [2, 3]}', ['b', 0], undefined), '{"a": 1, "b": [ 3]}');
  });

  it('refuses a parent of another type', () => {
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

  it('refuses duplicate names, also if one of them has the value', () => {
    for (const text of ['{"a": 1, "a": 2}', '{"a": {"b": 1}, "a": {"b": 2}}', '{"a": {"b": 1}, "a": 2}']) {
      const path = text.includes('b') ? ['a', 'b'] : ['a'];
      assert.equal(set(text, path, 1), undefined, text);
    }
  });

  it('does not follow a name into the prototype of an object', () => {
    assert.equal(set('{}', ['constructor', 'name'], 1), '{\n  "constructor": {\n    "name": 1\n  }\n}');
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
    set('{}', ['__proto__', 'polluted'], 1);
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });

  it('keeps every byte of any JSON with comments', () => {
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
    // Without -0 and `__proto__`, which do not survive JSON.
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
        const wanted = { ...(jsonc.read(before) as object), 'sealed proxy': { entry: value } };
        assert.deepEqual(jsonc.read(after), wanted);
      }),
    );
  });
});

describe('json, jsonWithComments and jsonc', () => {
  it('accept what each variant allows, and nothing else', () => {
    for (const [text, ...accepted] of [
      ['{"a": 1}', true, true, true],
      ['{"a": 1} // b', false, true, true],
      ['{"a": 1,}', false, false, true],
      ["{'a': 1}", false, false, false],
    ] as const) {
      const results = [json, jsonWithComments, jsonc].map((each) => each.read(text));
      assert.deepEqual(
        results.map((each) => each !== undefined),
        accepted,
      );
    }
  });
});
