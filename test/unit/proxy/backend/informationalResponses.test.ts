import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FinalResponseFinder } from '../../../../src/proxy/backend/informationalResponses.ts';

const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Splits a text at these positions, and returns what the finder lets through. */
function pass(text: string, cuts: readonly number[]): string {
  const finder = new FinalResponseFinder();
  const bytes = Buffer.from(text, 'latin1');
  const borders = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  let isFinal = false;
  let passed = '';
  for (const [index, end] of borders.slice(1).entries()) {
    const chunk = bytes.subarray(borders[index], end);
    const rest: Buffer | undefined = isFinal ? chunk : finder.take(chunk);
    isFinal ||= rest !== undefined;
    passed += rest?.toString('latin1') ?? '';
  }
  return passed;
}

describe('FinalResponseFinder', () => {
  for (const [what, informational] of [
    ['nothing', ''],
    ['a 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['heads that end lines with LF alone', 'HTTP/1.1 100 Continue\n\nHTTP/1.1 103 X\nx: y\n\n'],
    [
      'several with fields',
      'HTTP/1.1 103 A\r\nlink: <x>\r\n\r\nHTTP/1.1 100\r\na: b\r\nc: d\r\n\r\nHTTP/1.1 199 Z\r\n\r\n',
    ],
  ] as const) {
    it(`finds the final response behind ${what}, split at every position and byte by byte`, () => {
      const text = informational + FINAL;
      for (let at = 0; at <= text.length; at++) assert.equal(pass(text, [at]), FINAL, `split at ${at}`);
      assert.equal(
        pass(
          text,
          Array.from(text, (_, index) => index),
        ),
        FINAL,
      );
    });
  }

  for (const [what, text] of [
    ['a 101', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000 X\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 10 X\r\n\r\n'],
    ['what is not HTTP', '220 smtp\r\n'],
    ['an incomplete final response', 'HTTP/1.1 2'],
  ] as const) {
    it(`lets ${what} through unchanged`, () => {
      assert.equal(pass(`${text}${FINAL}`, []), `${text}${FINAL}`);
    });
  }

  it('changes no byte of any final response', () => {
    const body = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
    const cuts = fc.array(fc.nat(60), { maxLength: 5 });
    const informational = fc.array(fc.constantFrom('HTTP/1.1 100 A\r\n\r\n', 'HTTP/1.1 102\r\nx: y\r\n\r\n'), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(informational, body, cuts, (heads, text, at) => {
        assert.equal(pass(heads.join('') + FINAL + text, at), FINAL + text);
      }),
    );
  });
});
