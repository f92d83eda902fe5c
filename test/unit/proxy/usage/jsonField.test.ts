import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonField } from '../../../../src/proxy/usage/jsonField.ts';

/** The value of the field `usage` in these pieces. */
function read(...pieces: readonly Uint8Array[]): string | undefined {
  const field = new JsonField(Buffer.from('usage'));
  for (const piece of pieces) field.push(piece);
  return field.value;
}

/** The same text whole, byte by byte, and split at every border. */
function readEveryWay(text: string): (string | undefined)[] {
  const bytes = Buffer.from(text);
  const singly = Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1));
  const split = Array.from(bytes, (_byte, index) => read(bytes.subarray(0, index), bytes.subarray(index)));
  return [read(bytes), read(...singly), ...split];
}

describe('The one field of a JSON object that is looked for', () => {
  for (const [what, text, value] of [
    ['first', '{"usage":{"a":1},"b":2}', '{"a":1}'],
    ['last', '{"b":[1,{"c":2}],"usage":{"a":{"d":[1,2]}}}', '{"a":{"d":[1,2]}}'],
    ['between spaces', ' { "b" : 1 , "usage" : { "a" : 1 } }\r\n', ' { "a" : 1 } '],
    ['a number', '{"usage":7}', '7'],
    ['null', '{"usage":null,"b":1}', 'null'],
    ['a text with every mark in it', '{"usage":"{[,:]}\\"\\\\","b":1}', '"{[,:]}\\"\\\\"'],
    ['there twice', '{"usage":1,"usage":2}', '2'],
    ['behind its own name as a text', '{"b":"usage","usage":3}', '3'],
    ['behind its own name in a text', '{"b":"\\"usage\\":4,","c":"}","usage":3}', '3'],
    ['behind its own name at a lower level', '{"b":{"usage":4},"c":[{"usage":5}],"usage":3}', '3'],
    ['behind longer and shorter names', '{"usag":1,"usages":2,"usageusage":4,"":5,"usage":3}', '3'],
    ['missing', '{"b":1}', undefined],
    ['a text alone', '{"b":"usage"}', undefined],
    ['in a text alone', '{"b":"{\\"usage\\":{\\"a\\":1}}"}', undefined],
    ['at a lower level alone', '{"b":{"usage":1}}', undefined],
    ['in a list', '[{"usage":1}]', undefined],
    ['behind the object', '{"b":1},"usage":2', undefined],
    ['in an object that is not whole', '{"usage":1,"b":2', undefined],
    ['in front of a second object', '{"usage":1}{"usage":2}', undefined],
    ['in front of brackets that nobody opened', '{"usage":1}}', undefined],
    ['in a text that is no object', '"usage":1', undefined],
    ['in an object with something before it', 'data: {"usage":1}', undefined],
    ['in an object behind a text', '"{" {"usage":1}', undefined],
    ['in nothing', '', undefined],
  ] as const) {
    it(`is found, or not, where it is ${what}`, () => {
      for (const found of readEveryWay(text)) assert.equal(found, value);
    });
  }

  it('is found in whatever JSON comes, however it is cut', () => {
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
          const pieces = places.slice(1).map((end, index) => text.subarray(places[index], end));
          const found = read(...pieces);
          const expected = Buffer.from(JSON.stringify(usage)).toString('latin1');
          assert.equal(found, expected.length <= 4096 ? expected : undefined);
        },
      ),
    );
  });

  it('is not invented: what JSON itself does not find there is not found', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const { usage, ...others } = object as { usage?: unknown };
        assert.equal(read(Buffer.from(JSON.stringify({ ...others, quoted: JSON.stringify({ usage }) }))), undefined);
      }),
    );
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (pieces) => {
        read(...pieces);
      }),
    );
  });

  it('is of no use where it is longer than 4 KiB, and counts again where it comes once more', () => {
    const long = 'x'.repeat(4094);
    assert.equal(read(Buffer.from(`{"usage":"${long}"}`)), `"${long}"`);
    for (const found of [`{"usage":"${long}x"}`, `{"usage":1,"usage":"${long}x"}`]) {
      assert.equal(read(Buffer.from(found)), undefined);
    }
    assert.equal(read(Buffer.from(`{"usage":"${long}x","usage":2}`)), '2');
  });

  it('is found behind megabytes, of which nothing is kept', () => {
    const field = new JsonField(Buffer.from('usage'));
    const piece = Buffer.alloc(64 * 1024, 'x');
    field.push(Buffer.from('{"b":"'));
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 512; count++) field.push(piece);
    assert.ok(process.memoryUsage().heapUsed - before < 8 * 1024 * 1024);
    field.push(Buffer.from('","usage":1}'));
    assert.equal(field.value, '1');
  });
});
