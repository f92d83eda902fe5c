import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatError } from '../../../src/chat/chatError.ts';
import { ResponseReader } from '../../../src/chat/responseReader.ts';
import type { ResponseEvent } from '../../../src/chat/responseReader.ts';
import { splitBytes } from '../../support/modelSpeech.ts';

const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (value: object, reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: value, finish_reason: reason }] });
const call = (index: number | undefined, id: string | undefined, name: string | undefined, json: string) =>
  delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: json } }] });
const DONE = 'data: [DONE]\n\n';

function read(...chunks: readonly (string | Uint8Array)[]): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const reader = new ResponseReader((one) => events.push(one));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
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
      fc.property(fc.array(fc.nat(), { maxLength: 20 }), (places) => {
        assert.deepEqual(read(...splitBytes(Buffer.from(STREAM), places)), EVENTS);
      }),
    );
  });

  it('accepts CR, CRLF, no space after the colon, and no final line end', () => {
    assert.deepEqual(read(STREAM.replaceAll('\n', '\r\n')), EVENTS);
    assert.deepEqual(read(STREAM.replaceAll('\n', '\r')), EVENTS);
    assert.deepEqual(read(STREAM.replaceAll('data: ', 'data:')), EVENTS);
    assert.deepEqual(read(STREAM.trimEnd()), EVENTS);
  });

  it('reads reasoning under both field names', () => {
    assert.deepEqual(read(delta({ reasoning_content: 'x' }) + DONE), [{ kind: 'thinking', text: 'x' }]);
  });

  it('separates tool calls without an index: by their ids, and by a name after arguments', () => {
    const separate = (...calls: [id: string | undefined, name: string | undefined, json: string][]) =>
      read(calls.map(([id, name, json]) => call(undefined, id, name, json)).join('') + DONE);
    const read1 = { kind: 'toolCall', id: 'a', name: 'read', input: { path: '1' } };
    const read2 = { kind: 'toolCall', id: 'b', name: 'read', input: { path: '2' } };
    assert.deepEqual(separate(['a', 'read', '{"path":"1"}'], ['b', 'read', '{"path":"2"}']), [read1, read2]);
    assert.deepEqual(
      separate(
        ['a', 'read', ''],
        [undefined, 'read', '{"path"'],
        [undefined, undefined, ':"1"}'],
        ['b', 'read', '{'],
        ['b', undefined, '"path":"2"}'],
      ),
      [read1, read2],
    );
    const named = separate(
      [undefined, 'read', '{"path":"1"}'],
      [undefined, 'read', '{"path":"2"}'],
      [undefined, 'list', ''],
    );
    assert.deepEqual(
      named.map((one) => one.kind === 'toolCall' && [one.name, one.input]),
      [
        ['read', { path: '1' }],
        ['read', { path: '2' }],
        ['list', {}],
      ],
    );
  });

  it('separates tool calls without an index in one chunk', () => {
    const functions = [
      { id: 'a', function: { name: 'read', arguments: '{"path":"1"}' } },
      { id: 'b', function: { name: 'read', arguments: '{"path":"2"}' } },
    ];
    const more = [{ id: 'c', function: { name: 'list', arguments: '{}' } }];
    assert.deepEqual(read(delta({ tool_calls: functions }) + delta({ tool_calls: more }) + DONE), [
      { kind: 'toolCall', id: 'a', name: 'read', input: { path: '1' } },
      { kind: 'toolCall', id: 'b', name: 'read', input: { path: '2' } },
      { kind: 'toolCall', id: 'c', name: 'list', input: {} },
    ]);
  });

  it('separates tool calls that have the same index and different ids', () => {
    const stream = call(0, 'a', 'read', '{"path":"1"}') + call(0, 'b', 'read', '{"path":"2"}') + delta({}, 'stop');
    assert.deepEqual(read(stream), [
      { kind: 'toolCall', id: 'a', name: 'read', input: { path: '1' } },
      { kind: 'toolCall', id: 'b', name: 'read', input: { path: '2' } },
    ]);
  });

  it('reads arguments that are an object in place of its text', () => {
    const calls = [{ index: 0, id: 'a', function: { name: 'read', arguments: { path: '1' } } }];
    assert.deepEqual(read(delta({ tool_calls: calls }, 'tool_calls')), [
      { kind: 'toolCall', id: 'a', name: 'read', input: { path: '1' } },
    ]);
  });

  it('gives a call another id if one before has the same, because the editor tells results apart by it', () => {
    const events = read(call(0, 'a', 'read', '{}') + call(1, 'a', 'list', '{}') + delta({}, 'tool_calls'));
    const [first, second] = events.map((one) => (one.kind === 'toolCall' ? one.id : ''));
    assert.equal(first, 'a');
    assert.match(second ?? '', /^call_[0-9a-f-]{36}$/);
  });

  it('fails if the arguments of several tools cannot be told apart', () => {
    const fragments = [{ function: { arguments: '{}' } }, { function: { arguments: '{}' } }];
    assert.throws(() => read(call(undefined, 'a', 'read', '') + delta({ tool_calls: fragments }) + DONE), /mixed up/);
  });

  it('gives each tool call without an id an id of its own, in every response', () => {
    const responses = [1, 2].flatMap(() =>
      read(call(0, undefined, 'read', '') + call(1, undefined, 'read', '') + DONE),
    );
    const ids = responses.map((one) => (one.kind === 'toolCall' ? one.id : ''));
    assert.equal(new Set(ids).size, 4);
    for (const id of ids) assert.match(id, /^call_[0-9a-f-]{36}$/);
  });

  it('reads a refusal as text', () => {
    assert.deepEqual(read(delta({ refusal: 'I cannot help with that.' }) + delta({}, 'stop') + DONE), [
      { kind: 'text', text: 'I cannot help with that.' },
    ]);
  });

  it('reports a response that reached the maximum length, or met a content filter, as cut off', () => {
    for (const [reason, message] of [
      ['length', /^The response was cut off, because it reached the maximum length\./],
      ['content_filter', /^The response was cut off by a content filter/],
    ] as const) {
      const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 9 } });
      const [text, cutOff, tokens, ...others] = read(delta({ content: 'x' }) + delta({}, reason) + usage + DONE);
      assert.deepEqual([text?.kind, cutOff?.kind, tokens?.kind, others.length], ['text', 'cutOff', 'usage', 0]);
      assert.ok(cutOff?.kind === 'cutOff');
      assert.match(cutOff.message, message);
    }
  });

  it('does not report the tool calls of a response that was cut off', () => {
    for (const cut of [call(0, 'a', 'write', '{}'), call(0, 'a', 'write', '{"te'), call(0, 'a', undefined, '')]) {
      const kinds = read(cut + delta({}, 'length') + DONE).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['cutOff']);
    }
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
    const rejects = (run: () => unknown, message: RegExp) => {
      assert.throws(run, { name: 'ChatError', message });
    };
    rejects(() => {
      for (let count = 0; count < 20; count++) reader.push(Buffer.from(chunk));
    }, /too long/);
    const more = Array.from({ length: 300 }, (_, index) => call(index, 'a', 'read', '{}'));
    rejects(() => read(...more), /too many tools/);
  });

  it('limits the length of the message of the backend and makes it one line', () => {
    assert.throws(
      () => read(event({ error: { message: `a\n\n# b${'x'.repeat(10_000)}` } })),
      (error: Error) => error.message.startsWith('a # b') && error.message.length === 2000,
    );
  });

  it('fails for an event that is not JSON, and for an endless line', () => {
    assert.throws(() => read('data: {\n'), { name: 'ChatError', message: /not valid JSON/ });
    assert.throws(() => read('x'.repeat(17 * 1024 * 1024)), /event that is too long/);
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
