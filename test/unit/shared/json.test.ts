import assert from 'node:assert/strict';
import { asObject, exactFields, fieldsOf, isUnambiguous, parseJson } from '../../../src/shared/json.ts';

describe('parseJson()', () => {
  it('reads UTF-8 JSON', () => {
    assert.deepEqual(parseJson(Buffer.from('{"a":["ä",1,null]}')), { a: ['ä', 1, null] });
  });

  it('is undefined for text that is not JSON or not UTF-8', () => {
    for (const bytes of [Buffer.from(''), Buffer.from('{'), Buffer.from('x'), Buffer.from([0x22, 0xff, 0x22])]) {
      assert.equal(parseJson(bytes), undefined);
    }
  });
});

describe('asObject() and fieldsOf()', () => {
  it('return an object as it is', () => {
    const value = { a: 1 };
    assert.equal(asObject(value), value);
    assert.equal(fieldsOf(value), value);
  });

  it('return undefined, or an empty object, for anything else', () => {
    for (const value of [undefined, null, 7, 'x', true, [], [{ a: 1 }], JSON.rawJSON('1.0')]) {
      assert.equal(asObject(value), undefined);
      assert.deepEqual(fieldsOf(value), {});
    }
  });
});

describe('isUnambiguous()', () => {
  const check = (text: string) => isUnambiguous(text, JSON.parse(text));

  it('accepts names that occur once in each object, and integers, in any layout', () => {
    for (const text of [
      '{"a":1,"b":{"a":-2},"c":[{"a":0},{"a":null},"-0"]}',
      '{ "a" : "b\\" : 1.5, \\"a\\":" ,\n"\\u0061b\\"\\\\" :[ ] }',
      `{"a":"${'x'.repeat(500_000)}","b":"${'\\n'.repeat(200_000)}"}`,
    ]) {
      assert.ok(check(text), text.slice(0, 80));
    }
  });

  it('refuses a repeated name, however it is written, and other forms of numbers', () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061" :2}',
      '[{"b":{"__proto__":1,"__proto__":2}}]',
      '{"a":1.0}',
      '[1e0]',
      '[10E1]',
      '[-0]',
      '{"a":-0}',
    ]) {
      assert.ok(!check(text), text);
    }
  });
});

describe('exactFields()', () => {
  it('returns an object with exactly these fields', () => {
    assert.deepEqual(exactFields({ a: 1, b: undefined }, 'b', 'a'), { a: 1, b: undefined });
    assert.deepEqual(exactFields({}), {});
  });

  it('is undefined for a missing, additional or inherited field, and for anything but an object', () => {
    for (const value of [{ a: 1 }, { a: 1, b: 2, c: 3 }, { a: 1, toString: 2 }, [], null, 'ab']) {
      assert.equal(exactFields(value, 'a', 'b'), undefined);
    }
    assert.equal(exactFields({ a: 1 }, 'toString'), undefined);
  });
});
