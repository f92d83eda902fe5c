import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatError } from '../../../src/chat/chatError.ts';
import { ResponseReader } from '../../../src/chat/responseReader.ts';
import type { ResponseEvent } from '../../../src/chat/responseReader.ts';

const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (value: object, reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: value, finish_reason: reason }] });
const call = (index: number | undefined, id: string | undefined, name: string | undefined, json: string) =>
  delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: json } }] });
const DONE = 'data: [DONE]\n\n';

function read(...chunks: string[]): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const reader = new ResponseReader((one) => events.push(one));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
}

const STREAM =
  ': ping\n\n' +
  delta({ role: 'assistant', content: '' }) +
  delta({ reasoning: 'Hm. ' }) +
  delta({ content: 'Hällo ' }) +
  delta({ content: 'wörld 😀' }) +
  call(0, 'call_a', 'read', '') +
  call(0, undefined, undefined, '{"path":') +
  call(1, 'call_b', 'list', '{}') +
  call(0, undefined, undefined, '"a"}') +
  delta({}, 'tool_calls') +
  event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 } }) +
  DONE;
const EVENTS: ResponseEvent[] = [
  { kind: 'thinking', text: 'Hm. ' },
  { kind: 'text', text: 'Hällo ' },
  { kind: 'text', text: 'wörld 😀' },
  { kind: 'toolCall', id: 'call_a', name: 'read', input: { path: 'a' } },
  { kind: 'toolCall', id: 'call_b', name: 'list', input: {} },
  { kind: 'usage', input: 7, output: 9 },
];

describe('ResponseReader', () => {
  it('reports text and reasoning as they arrive, complete tool calls, and usage', () => {
    assert.deepEqual(read(STREAM), EVENTS);
  });

  it('reports the same events wherever the stream is split', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length }), { maxLength: 20 }), (places) => {
        const cuts = [0, ...places.toSorted((one, other) => one - other), STREAM.length];
        assert.deepEqual(read(...cuts.map((cut, index) => STREAM.slice(cuts[index - 1] ?? 0, cut))), EVENTS);
      }),
    );
  });

  it('accepts CRLF, no space after the colon, and no final line end', () => {
    assert.deepEqual(read(STREAM.replaceAll('\n', '\r\n')), EVENTS);
    assert.deepEqual(read(STREAM.replaceAll('data: ', 'data:')), EVENTS);
    assert.deepEqual(read(STREAM.trimEnd()), EVENTS);
  });

  it('reads reasoning under both field names', () => {
    assert.deepEqual(read(delta({ reasoning_content: 'x' }) + DONE), [{ kind: 'thinking', text: 'x' }]);
  });

  it('reads tool calls without an index or id', () => {
    assert.deepEqual(read(call(undefined, undefined, 'read', '') + DONE), [
      { kind: 'toolCall', id: 'call_0', name: 'read', input: {} },
    ]);
  });

  it('accepts a finish reason as the end, without [DONE]', () => {
    assert.deepEqual(read(delta({ content: 'x' }, 'stop')), [{ kind: 'text', text: 'x' }]);
  });

  it('fails if the stream ends before that', () => {
    assert.throws(() => read(delta({ content: 'x' })), /ended before it was complete/);
    assert.throws(() => read(''), ChatError);
  });

  it('fails with the message of the backend if it sends one', () => {
    assert.throws(() => read(event({ error: { message: 'Too long' } })), /^ChatError: Too long$/);
    assert.throws(() => read(event({ error: 'x' })), /stopped with an error/);
    assert.deepEqual(read(event({ error: null, choices: [] }) + DONE), []);
  });

  it('fails if tool arguments are not an object, and names the tool but not the arguments', () => {
    for (const json of ['{"a":', '7', 'null', '["secret"]', '"secret"']) {
      assert.throws(
        () => read(call(0, 'a', 'read', json) + DONE),
        (error: Error) =>
          error instanceof ChatError && error.message.includes('read') && !error.message.includes('secret'),
      );
    }
    assert.throws(() => read(call(0, 'a', undefined, '{}') + DONE), /without a name/);
  });

  it('limits the number and the length of tool calls', () => {
    const reader = new ResponseReader(() => undefined);
    const chunk = call(0, 'a', 'read', 'x'.repeat(1024 * 1024));
    assert.throws(() => {
      for (let count = 0; count < 20; count++) reader.push(chunk);
    }, /too many tools, or with too many arguments/);
    const more = Array.from({ length: 300 }, (_, index) => call(index, 'a', 'read', '{}'));
    assert.throws(() => read(...more), /too many tools, or with too many arguments/);
  });

  it('limits the length of the message of the backend and makes it one line', () => {
    assert.throws(
      () => read(event({ error: { message: `a\n\n# b${'x'.repeat(10_000)}` } })),
      (error: Error) => error.message.startsWith('a # b') && error.message.length === 500,
    );
  });

  it('fails for an event that is not JSON, and for an endless line', () => {
    assert.throws(() => read('data: {\n'), /not valid JSON/);
    assert.throws(() => read('x'.repeat(17 * 1024 * 1024)), /not send an event stream/);
  });

  it('ignores what it does not know', () => {
    const odd = [
      7,
      null,
      'x',
      [],
      {},
      { choices: {} },
      { choices: [null] },
      { choices: [{ delta: 7 }] },
      { usage: {} },
    ];
    assert.deepEqual(read(`event: x\nid: 1\nretry: 5\n\n${odd.map(event).join('')}${DONE}`), []);
  });
});
