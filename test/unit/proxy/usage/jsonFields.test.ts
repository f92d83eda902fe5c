import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonFields } from '../../../../src/proxy/usage/jsonFields.ts';

const NAMES = ['id', 'usage', 'model'].map((name) => Buffer.from(name));

/** The value of the field `usage` in these chunks. */
function read(...chunks: readonly Uint8Array[]): string | undefined {
  return readAll(...chunks)[1];
}

/** The values of all fields of `NAMES`. */
function readAll(...chunks: readonly Uint8Array[]): (string | undefined)[] {
  const fields = new JsonFields(NAMES);
  for (const chunk of chunks) fields.push(chunk);
  return NAMES.map((_name, index) => fields.value(index));
}

/** The same text in one chunk, byte by byte, and split in two at every position. */
function readEveryWay(text: string): (string | undefined)[] {
  const bytes = Buffer.from(text);
  const singly = Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1));
  const split = Array.from(bytes, (_byte, index) => read(bytes.subarray(0, index), bytes.subarray(index)));
  return [read(bytes), read(...singly), ...split];
}

describe('JsonFields', () => {
  for (const [what, text, value] of [
    ['first', '{"usage":{"a":1},"b":2}', '{"a":1}'],
    ['last', '{"b":[1,{"c":2}],"usage":{"a":{"d":[1,2]}}}', '{"a":{"d":[1,2]}}'],
    ['surrounded by spaces', ' { "b" : 1 , "usage" : { "a" : 1 } }\r\n', ' { "a" : 1 } '],
    ['a number', '{"usage":7}', '7'],
    ['null', '{"usage":null,"b":1}', 'null'],
    ['a string with all special characters', '{"usage":"{[,:]}\\"\\\\","b":1}', '"{[,:]}\\"\\\\"'],
    ['repeated', '{"usage":1,"usage":2}', '2'],
    ['after its name as a string', '{"b":"usage","usage":3}', '3'],
    ['after its name inside a string', '{"b":"\\"usage\\":4,","c":"}","usage":3}', '3'],
    ['after its name at a lower level', '{"b":{"usage":4},"c":[{"usage":5}],"usage":3}', '3'],
    ['after longer and shorter names', '{"usag":1,"usages":2,"usageusage":4,"":5,"usage":3}', '3'],
    ['missing', '{"b":1}', undefined],
    ['only a string', '{"b":"usage"}', undefined],
    ['only inside a string', '{"b":"{\\"usage\\":{\\"a\\":1}}"}', undefined],
    ['only at a lower level', '{"b":{"usage":1}}', undefined],
    ['in a list', '[{"usage":1}]', undefined],
    ['after the object', '{"b":1},"usage":2', undefined],
    ['in an incomplete object', '{"usage":1,"b":2', undefined],
    ['before a second object', '{"usage":1}{"usage":2}', undefined],
    ['before an unmatched bracket', '{"usage":1}}', undefined],
    ['in text that is not an object', '"usage":1', undefined],
    ['in an object after other text', 'data: {"usage":1}', undefined],
    ['in an object after a string', '"{" {"usage":1}', undefined],
    ['in an empty text', '', undefined],
  ] as const) {
    it(`${value === undefined ? 'does not find' : 'finds'} a field that is ${what}`, () => {
      for (const found of readEveryWay(text)) assert.equal(found, value);
    });
  }

  it('finds several fields in any order, and none with a longer or shorter name', () => {
    for (const [text, values] of [
      ['{"model":"m","usage":{"a":1},"id":2}', ['2', '{"a":1}', '"m"']],
      ['{"id":2,"x":[{"model":"n"}],"model":"m"}', ['2', undefined, '"m"']],
      ['{"usage":1,"model":"usage","models":3,"mode":4,"i":5,"ids":6,"":7}', [undefined, '1', '"usage"']],
      ['{"model":1,"id":2', [undefined, undefined, undefined]],
    ] as const) {
      const bytes = Buffer.from(text);
      for (let at = 0; at <= bytes.length; at++)
        assert.deepEqual(readAll(bytes.subarray(0, at), bytes.subarray(at)), values);
    }
  });

  it('finds the field in random JSON, split at random positions', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        fc.array(fc.nat()),
        (object, usage, cuts) => {
          const text = Buffer.from(JSON.stringify({ ...object, usage, [`no ${String(cuts)}usage`]: object }));
          const places = [
            0,
            ...cuts.map((cut) => cut % text.length).toSorted((one, other) => one - other),
            text.length,
          ];
          const chunks = places.slice(1).map((end, index) => text.subarray(places[index], end));
          const found = read(...chunks);
          const expected = Buffer.from(JSON.stringify(usage)).toString('latin1');
          assert.equal(found, expected.length <= 4096 ? expected : undefined);
        },
      ),
    );
  });

  it('does not find a field that JSON.parse does not find', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const { usage, ...others } = object as { usage?: unknown };
        assert.equal(read(Buffer.from(JSON.stringify({ ...others, quoted: JSON.stringify({ usage }) }))), undefined);
      }),
    );
  });

  it('accepts any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => {
        read(...chunks);
      }),
    );
  });

  it('ignores a value of more than 4 KiB, but not its repetition', () => {
    const long = 'x'.repeat(4094);
    assert.equal(read(Buffer.from(`{"usage":"${long}"}`)), `"${long}"`);
    for (const found of [`{"usage":"${long}x"}`, `{"usage":1,"usage":"${long}x"}`]) {
      assert.equal(read(Buffer.from(found)), undefined);
    }
    assert.equal(read(Buffer.from(`{"usage":"${long}x","usage":2}`)), '2');
  });

  it('finds the field after megabytes, and keeps none of them', () => {
    const field = new JsonFields(NAMES);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    field.push(Buffer.from('{"b":"'));
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 512; count++) field.push(chunk);
    assert.ok(process.memoryUsage().heapUsed - before < 8 * 1024 * 1024);
    field.push(Buffer.from('","usage":1}'));
    assert.equal(field.value(1), '1');
  });
});
