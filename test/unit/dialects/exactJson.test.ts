import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseExactJson } from '../../../src/dialects/exactJson.ts';

/** JSON text and what it is when it has been read and written. */
const exact = (text: string) => JSON.stringify(parseExactJson(text));

const DIGITS = fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/);
/** Any number that JSON allows. */
const NUMBER = fc
  .tuple(
    fc.constantFrom('', '-'),
    DIGITS,
    fc.stringMatching(/^(?:\.\d{1,20})?$/),
    fc.stringMatching(/^(?:[eE][+-]?\d{1,3})?$/),
  )
  .map((parts) => parts.join(''));
/** Also strings that look like numbers, with quotes and backslashes. */
const STRING = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^\x91[\x91\x92nt]{0,3}(?:number )?[0-9"]{0,3}$/),
    fc.stringMatching(/^[\\"-.0-9eE:,[\]{}]{0,20}$/),
  )
  .map((text) => JSON.stringify(text));
const { value: JSON_TEXT } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(NUMBER, STRING, fc.constantFrom('true', 'false', 'null')),
    fc.array(tie('value')).map((values) => `[${values.join(',')}]`),
    fc
      .uniqueArray(
        fc.tuple(
          fc.string({ minLength: 1 }).map((name) => `${name}x`),
          tie('value'),
        ),
        {
          selector: ([name]) => name,
        },
      )
      .map((fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
}));

describe('parseExactJson()', () => {
  it('keeps the digits of every number, wherever it is', () => {
    fc.assert(
      fc.property(JSON_TEXT, (text) => {
        assert.equal(exact(text), text);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps numbers that are too large, too small, too long, or written in another way', () => {
    for (const text of [
      '12345678901234567891',
      '1e400',
      '-1e-400',
      '1.0',
      '-0',
      '0.10',
      '1E5',
      '0.1000000000000000055',
    ]) {
      assert.equal(exact(text), text);
      assert.equal(exact(`{"a":[${text},{"b":${text}}]}`), `{"a":[${text},{"b":${text}}]}`);
    }
  });

  it('reads all other values as they are', () => {
    const value = { a: [0, -1.5, 123456789012345, 1e21, 0.000001, 'text 1.0', true, null, {}], 'b 1.0': '\\"1.0' };
    assert.deepEqual(parseExactJson(JSON.stringify(value)), value);
    assert.deepEqual(parseExactJson(Buffer.from('\n[ 1 , "ä" ]\n')), [1, 'ä']);
  });

  it('keeps text that begins like what stands for a number, also as a name and escaped', () => {
    for (const mark of ['\x91', '\\u0091']) {
      for (const rest of [
        '',
        '1',
        'n1',
        'n{',
        't1',
        't',
        `${mark}n1`,
        '\x92number 1',
        '\x92number true',
        '\x92number {',
      ]) {
        const text = `{"${mark}${rest}" : ["${mark}${rest}", 1.0],"a":"${mark}${rest}"}`;
        const { a, ...others } = parseExactJson(text) as Record<string, unknown>;
        assert.equal(a, JSON.parse(`"${mark}${rest}"`));
        assert.equal(JSON.stringify(others), JSON.stringify({ [String(a)]: [a, JSON.rawJSON('1.0')] }));
      }
    }
  });

  it('keeps names that objects have anyway', () => {
    const text = '{"__proto__":1.0,"constructor":{"__proto__":{"a":1.0}}}';
    assert.equal(exact(text), text);
  });

  it('is undefined for text that is not JSON, or not UTF-8', () => {
    for (const text of [
      '',
      '{',
      '01',
      '1.',
      '.5',
      '1e',
      '--1',
      '-',
      '1.0.0',
      '+1',
      '[1.0',
      '"1.0',
      '1.0 2.0',
      '[1.0,]',
      '1-1',
      '00.0',
      '{1.0:2}',
      '{1.0 :2}',
    ]) {
      assert.equal(parseExactJson(text), undefined, text);
      assert.equal(parseExactJson(`[${text}`), undefined, text);
    }
    assert.equal(parseExactJson(Buffer.from([0x22, 0xff, 0x22])), undefined);
  });

  it('reads values that are nested deeply', () => {
    const text = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`;
    let value = parseExactJson(text);
    for (let depth = 0; depth < 100_000; depth++) [value] = value as unknown[];
    assert.equal(JSON.stringify(value), '1.0');
  });
});
