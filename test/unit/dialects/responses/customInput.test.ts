import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CustomInput } from '../../../../src/dialects/responses/customInput.ts';

/** The deltas of the input when the JSON arrives in these chunks. */
function decode(chunks: readonly string[]): { deltas: string[]; input: string } {
  const reader = new CustomInput();
  const deltas = [...chunks.map((chunk) => reader.push(chunk)), reader.end()];
  assert.equal(deltas.join(''), reader.input, 'the deltas are all of the input');
  return { deltas, input: reader.input };
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '😀', 'ä', 'u', '0', '\u2028', '/') }),
);

describe('CustomInput', () => {
  it('decodes each chunk at once', () => {
    const { deltas } = decode(['{"in', 'put": "*** Be', 'gin\\', 'nä\\u00', 'e4', '"', '}']);
    assert.deepEqual(deltas, ['', '*** Be', 'gin', '\nä', 'ä', '', '', '']);
  });

  it('never splits a character', () => {
    const { deltas } = decode(['{"input":"\\ud83d', '\\ude00', '\\ud83d"}']);
    assert.deepEqual(deltas, ['', '😀', '\ufffd', '']);
    assert.deepEqual(decode(['{"input":"a\\ud83d']).deltas, ['a', '\ufffd']);
  });

  it('returns the input of any JSON, split anywhere', () => {
    fc.assert(
      fc.property(text, fc.boolean(), fc.array(fc.nat(200), { maxLength: 20 }), (input, escapes, cuts) => {
        const written = JSON.stringify({ input });
        const json = escapes
          ? written.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : written;
        const positions = [...new Set([0, ...cuts, json.length])].filter((cut) => cut <= json.length);
        const sorted = positions.sort((a, b) => a - b);
        const chunks = sorted.slice(1).map((end, index) => json.slice(sorted[index], end));
        assert.equal(decode(chunks).input, input.toWellFormed());
        assert.equal(decode(json.split(/(?:)/u)).input, input.toWellFormed());
      }),
    );
  });

  it('finds the input in arguments of another form', () => {
    for (const [json, input] of [
      ['{"patch":"*** x"}', '*** x'],
      ['{"a":1,"input":"b"}', 'b'],
      ['{"input":{"a":1}}', '{"input":{"a":1}}'],
      ['{"a":"1","b":"2"}', '{"a":"1","b":"2"}'],
      ['*** Begin Patch\n', '*** Begin Patch\n'],
      ['"text"', '"text"'],
      ['', ''],
      ['{"input":"two\nlines, \\d"}', 'two\nlines, \\d'],
      ['{"input":"broken', 'broken'],
      ['{"input":"a"} and more', 'a'],
      [`${' '.repeat(2000)}{"input":"late"}`, 'late'],
    ] as const) {
      assert.equal(decode([json]).input, input, json.trim());
      assert.equal(decode(json.split(/(?:)/u)).input, input, json.trim());
    }
  });

  it('takes time in proportion to the length', () => {
    const input = 'line\n"quoted"\\ '.repeat(100_000);
    const json = JSON.stringify({ input });
    const chunks: string[] = [];
    for (let position = 0; position < json.length; position += 4) chunks.push(json.slice(position, position + 4));
    assert.equal(decode(chunks).input, input);
    assert.equal(decode([json]).input, input);
  });
});
