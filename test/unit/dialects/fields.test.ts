import assert from 'node:assert/strict';
import {
  arrayAt,
  booleanAt,
  countAt,
  jsonAt,
  numberAt,
  objectAt,
  oneOf,
  optional,
  optionalFields,
  rejectFields,
  stringAt,
} from '../../../src/dialects/fields.ts';
import { nested } from '../../support/mutations.ts';

const READERS = [
  [objectAt, [{}, { a: 1 }], 'must be an object.'],
  [arrayAt, [[], [1]], 'must be an array.'],
  [stringAt, ['', 'a'], 'must be a string.'],
  [numberAt, [0, -1.5, 1e308], 'must be a number.'],
  [booleanAt, [true, false], 'must be true or false.'],
] as const;

describe('objectAt() and the other readers', () => {
  for (const [read, values, problem] of READERS) {
    it(`return a value of the right type: ${read.name}()`, () => {
      for (const value of values) assert.equal(read('a', value), value);
    });

    it(`reject any other value and name the field: ${read.name}()`, () => {
      const others = READERS.flatMap(([other, samples]) => (other === read ? [] : [...samples]));
      for (const value of [...others, null, undefined, NaN, Infinity]) {
        const expected = { name: 'DialectError', status: 400, param: 'a[0].b', message: `a[0].b: ${problem}` };
        assert.throws(() => read('a[0].b', value), expected);
      }
    });
  }
});

describe('numberAt() and objectAt()', () => {
  it('take a number that JavaScript would write in another way as a number', () => {
    for (const [text, number] of [
      ['1.0', 1],
      ['1e3', 1000],
      ['0.1000000000000000055', 0.1],
    ] as const) {
      const raw = JSON.rawJSON(text);
      assert.equal(numberAt('a', raw), number);
      assert.throws(() => objectAt('a', raw), { message: 'a: must be an object.' });
    }
    assert.throws(() => numberAt('a', JSON.rawJSON('1e400')), { message: 'a: must be a number.' });
  });
});

describe('countAt()', () => {
  it('accepts integers from 1', () => {
    assert.equal(countAt('a', 1), 1);
    for (const value of [0, -1, 1.5]) {
      assert.throws(() => countAt('a', value), { param: 'a', message: 'a: must be an integer of at least 1.' });
    }
    assert.throws(() => countAt('a', '1'), { message: 'a: must be a number.' });
  });
});

describe('oneOf()', () => {
  it('accepts the values that are known, and names them', () => {
    assert.equal(oneOf('a', 'x', ['x', 'y']), 'x');
    for (const value of ['z', 1, {}]) {
      assert.throws(() => oneOf('a', value, ['x', 'y']), { param: 'a', message: 'a: must be one of "x", "y".' });
    }
  });
});

describe('rejectFields()', () => {
  it('rejects a field that has a value', () => {
    rejectFields({ a: null, c: 1 }, { a: 'no.', b: 'no.' });
    assert.throws(
      () => {
        rejectFields({ a: false }, { a: 'no.' });
      },
      { param: 'a', message: 'a: no.' },
    );
  });
});

describe('optional()', () => {
  it('is undefined for a field that is missing or null', () => {
    assert.equal(optional(stringAt, 'a', undefined), undefined);
    assert.equal(optional(stringAt, 'a', null), undefined);
    assert.equal(optional(stringAt, 'a', ''), '');
    assert.throws(() => optional(stringAt, 'a', 5), { message: 'a: must be a string.' });
  });
});

describe('optionalFields()', () => {
  const readers = { name: stringAt, count: countAt };

  it('has the fields that are described, without those that are missing or null', () => {
    assert.deepEqual(optionalFields({ name: 'a', count: null, other: 1 }, readers), { name: 'a' });
    assert.deepEqual(optionalFields({ name: '', count: 2 }, readers), { name: '', count: 2 });
  });

  it('names the field in its object', () => {
    assert.throws(() => optionalFields({ name: 5 }, readers), { param: 'name', message: 'name: must be a string.' });
    assert.throws(() => optionalFields({ count: 0 }, readers, 'a[0]'), { param: 'a[0].count' });
  });
});

describe('jsonAt()', () => {
  it('is the JSON text of a value', () => {
    assert.equal(jsonAt('a', { b: [1, null, 'ü'] }), '{"b":[1,null,"ü"]}');
    assert.equal(jsonAt('a', 'text'), '"text"');
    assert.equal(jsonAt('a', nested(200)), JSON.stringify(nested(200)));
  });

  it('rejects a value that is nested too deeply', () => {
    for (const levels of [201, 1_000_000]) {
      const message = 'a: must not be nested more than 200 levels deep.';
      assert.throws(() => jsonAt('a', nested(levels)), { name: 'DialectError', status: 400, message });
    }
  });
});
