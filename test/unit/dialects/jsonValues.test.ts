import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseExactJson } from '../../../src/dialects/exactJson.ts';
import { countValues, isJsonLonger, parseResponseJson } from '../../../src/dialects/jsonValues.ts';

const count = (json: string) => countValues(Buffer.from(json));

describe('countValues()', () => {
  it('counts what separates values, and nothing in strings', () => {
    for (const [json, expected] of [
      ['', 0],
      ['5', 0],
      ['[]', 1],
      ['[[[', 3],
      ['[1, 2, {"a": 3}]', 5],
      ['"[,:{"', 0],
      ['"a\\"[" , "\\\\" , "[', 2],
    ] as const) {
      assert.equal(count(json), expected, json);
    }
  });

  it('counts the same as for the text without its strings', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: fc.constantFrom('"', '\\', '[', ',', 'ü', 'a') }), (json) => {
        const outside = json.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '');
        assert.equal(count(json), outside.match(/[[{,:]/g)?.length ?? 0);
      }),
    );
  });
});

describe('parseResponseJson()', () => {
  it('reads a text of up to 131,072 values, in the given way', () => {
    assert.deepEqual(parseResponseJson('{"a":1.50}'), { a: 1.5 });
    assert.equal(JSON.stringify(parseResponseJson('{"a":1.50}', parseExactJson)), '{"a":1.50}');
    const list = (values: number) => `[${Array<number>(values).fill(7).join()}]`;
    assert.deepEqual(parseResponseJson(list(131_072)), Array(131_072).fill(7));
    assert.equal(parseResponseJson(list(131_073)), undefined);
    assert.equal(parseResponseJson('{'), undefined);
  });
});

describe('isJsonLonger()', () => {
  it('compares with the limit without writing the text', () => {
    const long = 'x'.repeat(1000);
    const shared = { tools: Array<string>(1000).fill(long) };
    assert.equal(isJsonLonger({ all: Array<object>(1000).fill(shared) }, 500_000_000), true);
    assert.equal(isJsonLonger(shared, 900_000), true);
    assert.equal(isJsonLonger(shared, 1_100_000), false);
    for (const value of [undefined, null, 1, true, '', {}, []]) assert.equal(isJsonLonger(value, 2), false);
    assert.equal(isJsonLonger({ [long]: null }, 999), true);
  });

  it('never calls a value longer than its text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(isJsonLonger(value, JSON.stringify(value).length), false);
      }),
    );
  });
});
