import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EventStreamReader, formatEvent } from '../../../src/dialects/eventStream.ts';
import { splitBytes } from '../../support/modelSpeech.ts';

function read(...chunks: readonly (string | Uint8Array)[]): string[] {
  const reader = new EventStreamReader();
  return [
    ...chunks.flatMap((chunk) => reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    ...reader.end(),
  ];
}

describe('EventStreamReader', () => {
  it('returns the data of an event as soon as it ends', () => {
    const reader = new EventStreamReader();
    assert.deepEqual(reader.push(Buffer.from('data: {"a":1}\n')), []);
    assert.deepEqual(reader.push(Buffer.from('\ndata: b\n\ndata: c')), ['{"a":1}', 'b']);
    assert.deepEqual(reader.end(), ['c']);
  });

  it('ignores comments, other fields and empty events', () => {
    assert.deepEqual(read(': ping\n\nevent: x\nid: 5\nretry: 1\ndata: a\n\n\n\nevent: y\n\ndata\n\n'), ['a']);
  });

  it('removes one space after the colon, and joins lines', () => {
    assert.deepEqual(read('data:a\n\ndata:  b\n\ndata: c\ndata: d\n\ndata:\n\n'), ['a', ' b', 'c\nd', '']);
  });

  it('removes a byte order mark', () => {
    assert.deepEqual(read('\ufeffdata: a\n\n'), ['a']);
  });

  it('returns the same events wherever the bytes are split, for each kind of line end', () => {
    const lines = fc.array(
      fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(
        fc.array(lines),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(), { maxLength: 30 }),
        (events, end, places) => {
          const text = events.map((data) => [...data.map((line) => `data: ${line}`), '', ''].join(end)).join('');
          assert.deepEqual(
            read(...splitBytes(Buffer.from(text), places)),
            events.map((data) => data.join('\n')),
          );
        },
      ),
    );
  });

  it('returns the same events for single bytes', () => {
    const bytes = Buffer.from('data: ü😀\r\n\r\ndata: a\rdata: b\r\rdata: c\n\n');
    assert.deepEqual(read(...splitBytes(bytes, [...bytes.keys()])), ['ü😀', 'a\nb', 'c']);
  });

  it('rejects an event that is too long, whether it has one line or many', () => {
    const megabyte = 'a'.repeat(1024 * 1024);
    const error = {
      name: 'DialectError',
      status: 502,
      message: 'The backend sent an event that is too long. Try again.',
    };
    const long = (start: string, end: string) => {
      const reader = new EventStreamReader();
      const line = Buffer.from(start + megabyte + end);
      for (let count = 0; count < 3; count++) reader.push(line);
      assert.throws(() => [reader.push(line), reader.push(line)], error);
    };
    long('', '');
    long('data: ', '\n');
    const reader = new EventStreamReader();
    assert.throws(() => reader.push(Buffer.from('data:\n'.repeat(300 * 1024))), error);
  });
});

describe('formatEvent()', () => {
  it('writes an event that is read again as the same data', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const text = formatEvent('message_delta', data);
        assert.ok(text.startsWith('event: message_delta\ndata: '));
        assert.deepEqual(read(text), [JSON.stringify(data)]);
      }),
    );
  });
});
