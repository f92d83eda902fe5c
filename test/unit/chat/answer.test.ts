import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AnswerError, AnswerReader } from '../../../src/chat/answer.ts';
import type { AnswerEvent } from '../../../src/chat/answer.ts';

const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (value: object, reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: value, finish_reason: reason }] });
const call = (index: number | undefined, id: string | undefined, name: string | undefined, json: string) =>
  delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: json } }] });
const DONE = 'data: [DONE]\n\n';

function read(...pieces: string[]): AnswerEvent[] {
  const events: AnswerEvent[] = [];
  const reader = new AnswerReader((one) => events.push(one));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return events;
}

const WHOLE =
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
const EVENTS: AnswerEvent[] = [
  { kind: 'thinking', text: 'Hm. ' },
  { kind: 'text', text: 'Hällo ' },
  { kind: 'text', text: 'wörld 😀' },
  { kind: 'toolCall', id: 'call_a', name: 'read', input: { path: 'a' } },
  { kind: 'toolCall', id: 'call_b', name: 'list', input: {} },
  { kind: 'usage', input: 7, output: 9 },
];

describe('A streamed answer', () => {
  it('is text and reasoning as they come, whole tool calls, and usage', () => {
    assert.deepEqual(read(WHOLE), EVENTS);
  });

  it('is the same wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: WHOLE.length }), { maxLength: 20 }), (places) => {
        const cuts = [0, ...places.toSorted((one, other) => one - other), WHOLE.length];
        assert.deepEqual(read(...cuts.map((cut, index) => WHOLE.slice(cuts[index - 1] ?? 0, cut))), EVENTS);
      }),
    );
  });

  it('is the same with the line ends of Windows, without spaces, and without a last line end', () => {
    assert.deepEqual(read(WHOLE.replaceAll('\n', '\r\n')), EVENTS);
    assert.deepEqual(read(WHOLE.replaceAll('data: ', 'data:')), EVENTS);
    assert.deepEqual(read(WHOLE.trimEnd()), EVENTS);
  });

  it('reasons under either name', () => {
    assert.deepEqual(read(delta({ reasoning_content: 'x' }) + DONE), [{ kind: 'thinking', text: 'x' }]);
  });

  it('calls tools also where the server numbers or names nothing', () => {
    assert.deepEqual(read(call(undefined, undefined, 'read', '') + DONE), [
      { kind: 'toolCall', id: 'call_0', name: 'read', input: {} },
    ]);
  });

  it('is whole by its reason to finish, also without the last mark', () => {
    assert.deepEqual(read(delta({ content: 'x' }, 'stop')), [{ kind: 'text', text: 'x' }]);
  });

  it('is none where it ends before that', () => {
    assert.throws(() => read(delta({ content: 'x' })), /ended before it was complete/);
    assert.throws(() => read(''), AnswerError);
  });

  it('fails with the sentence of the backend, where it sends one', () => {
    assert.throws(() => read(event({ error: { message: 'Too long' } })), /^AnswerError: Too long$/);
    assert.throws(() => read(event({ error: 'x' })), /broke the answer off/);
    assert.deepEqual(read(event({ error: null, choices: [] }) + DONE), []);
  });

  it('fails where a tool is called with what is no object, and names the tool but not the arguments', () => {
    for (const json of ['{"a":', '7', 'null', '["secret"]', '"secret"']) {
      assert.throws(
        () => read(call(0, 'a', 'read', json) + DONE),
        (error: Error) =>
          error instanceof AnswerError && error.message.includes('read') && !error.message.includes('secret'),
      );
    }
    assert.throws(() => read(call(0, 'a', undefined, '{}') + DONE), /without a name/);
  });

  it('fails where calls have no end, before they fill the memory', () => {
    const reader = new AnswerReader(() => undefined);
    const piece = call(0, 'a', 'read', 'x'.repeat(1024 * 1024));
    assert.throws(() => {
      for (let count = 0; count < 20; count++) reader.push(piece);
    }, /than can be taken/);
    const more = Array.from({ length: 300 }, (_, index) => call(index, 'a', 'read', '{}'));
    assert.throws(() => read(...more), /than can be taken/);
  });

  it('fails with one line of bounded length, whatever the backend says', () => {
    assert.throws(
      () => read(event({ error: { message: `a\n\n# b${'x'.repeat(10_000)}` } })),
      (error: Error) => error.message.startsWith('a # b') && error.message.length === 500,
    );
  });

  it('fails for what is no JSON, and for a line without an end', () => {
    assert.throws(() => read('data: {\n'), /no JSON/);
    assert.throws(() => read('x'.repeat(17 * 1024 * 1024)), /no event stream/);
  });

  it('passes over whatever it does not know', () => {
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
