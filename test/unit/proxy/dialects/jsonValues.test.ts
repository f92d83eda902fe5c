import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countValues } from '../../../../src/proxy/dialects/jsonValues.ts';

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
