import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ChatReader } from '../../../src/dialects/chatReader.ts';
import type { ChatDelta } from '../../../src/dialects/chatReader.ts';

/** Its outcome now. */
const outcomeOf = (reader: ChatReader) => reader.outcome;
const newReader = () => new ChatReader((index) => `made_${index}`);
const chunk = (delta: object, more: object = {}) => JSON.stringify({ choices: [{ index: 0, delta, ...more }] });
const fragment = (fields: object, name?: string, json?: string) => ({
  ...fields,
  function: { ...(name !== undefined && { name }), ...(json !== undefined && { arguments: json }) },
});
const calls = (...fragments: readonly object[]) => chunk({ tool_calls: fragments });
const finish = (reason: string) => chunk({}, { finish_reason: reason });

/** All deltas of these events. */
function read(...events: readonly string[]): ChatDelta[] {
  const reader = newReader();
  return events.flatMap((event) => reader.read(event));
}

/** The calls in these deltas, each with all of its arguments. */
function callsOf(deltas: readonly ChatDelta[]): string[] {
  const found: string[] = [];
  for (const delta of deltas) {
    if (delta.kind === 'toolCall') {
      assert.equal(delta.index, found.length, 'calls are numbered in the order of their beginnings');
      found.push(`${delta.id} ${delta.name} `);
    } else if (delta.kind === 'arguments') found[delta.index] = `${found[delta.index] ?? '?'}${delta.json}`;
  }
  return found;
}

const rejects = (run: () => unknown, message: RegExp, status = 502) => {
  assert.throws(run, { name: 'DialectError', status, message });
};

describe('ChatReader', () => {
  it('reads texts, refusals and reasoning, and leaves out empty ones', () => {
    assert.deepEqual(
      read(
        chunk({ role: 'assistant', content: '', reasoning: '' }),
        chunk({ reasoning: 'a' }),
        chunk({ reasoning_content: 'b' }),
        chunk({ reasoning: 'c', reasoning_content: 'c' }),
        chunk({ content: 'd' }),
        chunk({ refusal: 'e' }),
        chunk({ content: null, tool_calls: null }),
        '[DONE]',
      ),
      [
        { kind: 'reasoning', text: 'a' },
        { kind: 'reasoning', text: 'b' },
        { kind: 'reasoning', text: 'c' },
        { kind: 'text', text: 'd' },
        { kind: 'refusal', text: 'e' },
      ],
    );
  });

  it('reads a complete response', () => {
    const reader = newReader();
    const message = { content: 'a', reasoning: 'b', tool_calls: [fragment({ id: 'c' }, 'run', '{}')] };
    const usage = { prompt_tokens: 5, completion_tokens: 3 };
    const body = JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }], usage });
    assert.deepEqual(reader.read(body), [
      { kind: 'reasoning', text: 'b' },
      { kind: 'text', text: 'a' },
      { kind: 'toolCall', index: 0, id: 'c', name: 'run' },
      { kind: 'arguments', index: 0, json: '{}' },
    ]);
    assert.deepEqual(reader.outcome, {
      finish: 'toolCalls',
      reported: {},
      usage: { input: 5, output: 3, cached: 0, reasoning: 0 },
    });
  });

  it('reads calls by their number, also if they are interleaved', () => {
    const deltas = read(
      calls(fragment({ index: 0, id: 'a' }, 'run', ''), fragment({ index: 1, id: 'b' }, 'stop', '{')),
      calls(fragment({ index: 0 }, undefined, '{"x"')),
      calls(fragment({ index: 1 }, undefined, '}'), fragment({ index: 0 }, undefined, ':1}')),
    );
    assert.deepEqual(callsOf(deltas), ['a run {"x":1}', 'b stop {}']);
  });

  it('reads calls by their id, or in their order, if they have no number', () => {
    assert.deepEqual(
      callsOf(
        read(
          calls(fragment({ id: 'a' }, 'run', '{')),
          calls(fragment({ id: 'b' }, 'stop', '{')),
          calls(fragment({ id: 'a' }, undefined, '}')),
          calls(fragment({}, undefined, '}')),
        ),
      ),
      ['a run {}', 'b stop {}'],
    );
    assert.deepEqual(
      callsOf(
        read(
          calls(fragment({}, 'run')),
          calls(fragment({}, 'run', '{}')),
          calls(fragment({}, 'run', '{"x":1}')),
          calls(fragment({}, 'stop', '{}')),
        ),
      ),
      ['made_0 run {}', 'made_1 run {"x":1}', 'made_2 stop {}'],
    );
  });

  it('waits for the name of a call', () => {
    const deltas = read(
      calls(fragment({ index: 0 }, undefined, '{"x"')),
      calls(fragment({ index: 0, id: 'a' }, 'run', ':1}')),
    );
    assert.deepEqual(deltas, [
      { kind: 'toolCall', index: 0, id: 'a', name: 'run' },
      { kind: 'arguments', index: 0, json: '{"x"' },
      { kind: 'arguments', index: 0, json: ':1}' },
    ]);
  });

  it('reads a call that has the number of an earlier one, but an id of its own', () => {
    const deltas = read(
      calls(fragment({ index: 0, id: 'a' }, 'run', '{}')),
      calls(fragment({ index: 0, id: 'b' }, 'run', '{"x"')),
      calls(fragment({ index: 0 }, undefined, ':1}')),
    );
    assert.deepEqual(callsOf(deltas), ['a run {}', 'b run {"x":1}']);
    const sameCall = read(
      calls(fragment({ index: 0, id: 'a' }, 'run', '{"x"')),
      calls(fragment({ index: 0, id: 'z' }, undefined, ':1}')),
    );
    assert.deepEqual(callsOf(sameCall), ['a run {"x":1}'], 'some backends send another id with each fragment');
  });

  it('reads arguments that are an object in place of its text', () => {
    const call = { index: 0, id: 'a', function: { name: 'run', arguments: { x: 1 } } };
    assert.deepEqual(callsOf(read(calls(call))), ['a run {"x":1}']);
  });

  it('joins a character that two events share, because many clients cannot', () => {
    const [high, low] = ['\ud83d', '\ude00'];
    assert.deepEqual(read(chunk({ content: `a${high}` }), chunk({ content: `${low}b` }), finish('stop')), [
      { kind: 'text', text: 'a' },
      { kind: 'text', text: '😀b' },
    ]);
    const inCalls = read(
      calls(fragment({ index: 0, id: 'a' }, 'run', `{"x":"${high}`)),
      calls(fragment({ index: 0 }, undefined, `${low}"}`)),
    );
    assert.deepEqual(callsOf(inCalls), ['a run {"x":"😀"}']);
  });

  it('joins characters wherever a text is split', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (content) => {
        const deltas = read(...content.split('').map((unit) => chunk({ content: unit })));
        const texts = deltas.map((delta) => (delta.kind === 'text' ? delta.text : ''));
        assert.ok(texts.every((text) => text !== '' && text.isWellFormed()));
        assert.equal(texts.join(''), content);
      }),
    );
  });

  it('replaces half a character whose other half does not come', () => {
    const half = '\ud83d';
    assert.deepEqual(read(chunk({ reasoning: half }), chunk({ content: `b${half}c` }), chunk({ content: half })), [
      { kind: 'reasoning', text: '\ufffd' },
      { kind: 'text', text: 'b\ufffdc' },
    ]);
    assert.deepEqual(read(chunk({ content: half }), finish('stop')), [{ kind: 'text', text: '\ufffd' }]);
    assert.deepEqual(
      callsOf(
        read(
          calls(fragment({ index: 0, id: 'a' }, 'run', half)),
          calls(fragment({ index: 1, id: 'b' }, 'run', '\ude00')),
        ),
      ),
      ['a run \ufffd', 'b run \ufffd'],
    );
    assert.deepEqual(read(chunk({ content: half }, { finish_reason: 'stop' })), [{ kind: 'text', text: '\ufffd' }]);
  });

  it('translates the reason of the end', () => {
    for (const [reason, expected] of [
      ['stop', 'stop'],
      ['length', 'length'],
      ['content_filter', 'contentFilter'],
      ['tool_calls', 'stop'],
      ['something_new', 'stop'],
    ] as const) {
      const reader = newReader();
      reader.read(chunk({ content: 'a' }));
      assert.equal(outcomeOf(reader), undefined);
      reader.read(finish(reason));
      assert.equal(outcomeOf(reader)?.finish, expected);
    }
    const reader = newReader();
    reader.read(calls(fragment({ index: 0 }, 'run', '{}')));
    reader.read(finish('stop'));
    assert.equal(reader.outcome?.finish, 'toolCalls', 'some backends say "stop" after calls');
  });

  it('has the usage, also if it comes after the end or without choices', () => {
    const reader = newReader();
    reader.read(finish('stop'));
    assert.deepEqual(outcomeOf(reader), { finish: 'stop', usage: undefined, reported: {} });
    const usage = {
      prompt_tokens: 50,
      completion_tokens: 30,
      prompt_tokens_details: { cached_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 10 },
    };
    reader.read(JSON.stringify({ choices: [], usage }));
    assert.deepEqual(outcomeOf(reader)?.usage, { input: 50, cached: 20, output: 30, reasoning: 10 });
    reader.read(JSON.stringify({ choices: [], usage: null }));
    assert.deepEqual(outcomeOf(reader)?.usage, { input: 50, cached: 20, output: 30, reasoning: 10 });
  });

  it('has the tier that the backend states first, if it is a name', () => {
    const tierOf = (...events: readonly object[]) => {
      const reader = newReader();
      for (const event of events) reader.read(JSON.stringify({ choices: [], ...event }));
      reader.read(finish('stop'));
      return reader.outcome?.reported?.service_tier;
    };
    assert.equal(tierOf({ service_tier: 'flex' }, { service_tier: 'priority' }), 'flex');
    const inside = { choices: [{ delta: { content: '"service_tier":"flex"', service_tier: 'flex' } }] };
    for (const event of [
      {},
      inside,
      ...[null, ['flex'], '', 'a b', 'x'.repeat(65)].map((tier) => ({ service_tier: tier })),
    ]) {
      assert.equal(tierOf(event), undefined, JSON.stringify(event));
    }
  });

  it('ignores counts that cannot be true', () => {
    const usageOf = (usage: object) => {
      const reader = newReader();
      reader.read(JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage }));
      return reader.outcome?.usage;
    };
    for (const bad of [-1, 1.5, 1e12, '5', null]) {
      assert.equal(usageOf({ prompt_tokens: bad, completion_tokens: 1 }), undefined);
    }
    const details = {
      prompt_tokens_details: { cached_tokens: 9 },
      completion_tokens_details: { reasoning_tokens: -1 },
    };
    assert.deepEqual(usageOf({ prompt_tokens: 5, completion_tokens: 3, ...details }), {
      input: 5,
      cached: 5,
      output: 3,
      reasoning: 0,
    });
  });

  it('throws the error that the backend reports', () => {
    rejects(() => read('{"error":{"message":"Too many requests."}}'), /^Too many requests\.$/);
    rejects(() => read('{"error":"broken"}'), /^The backend stopped with an error\. Try again\.$/);
    rejects(() => read('{"error":{"message":"No such thing.","code":404}}'), /^No such thing\.$/, 404);
    rejects(() => read('{"error":{"message":"No.","code":200}}'), /^No\.$/);
    assert.deepEqual(read(JSON.stringify({ error: null, choices: [{ delta: { content: 'a' } }] })), [
      { kind: 'text', text: 'a' },
    ]);
  });

  it('throws for what is not valid', () => {
    rejects(() => read('{"choices":'), /not valid JSON/);
    rejects(() => read(calls(fragment({ index: 0, id: 'a' })), finish('tool_calls')), /without a name/);
    rejects(
      () => read(calls(fragment({}, 'run')), calls(fragment({}, undefined, '{'), fragment({}, undefined, '}'))),
      /mixed up/,
    );
    const many = Array.from({ length: 257 }, (_, index) => calls(fragment({ index }, 'run', '{}')));
    rejects(() => read(...many), /too many tools/);
  });

  it('takes a call that was cut off before its name as none', () => {
    for (const reason of ['length', 'content_filter']) {
      const reader = newReader();
      reader.read(calls(fragment({ index: 0, id: 'a' })));
      reader.read(finish(reason));
      assert.notEqual(outcomeOf(reader), undefined);
    }
  });

  it('throws for a call without a name also if the stream ends without a reason', () => {
    rejects(() => read(calls(fragment({ index: 0, id: 'a' })), '[DONE]'), /without a name/);
  });

  it('throws for a response that is too long', () => {
    const reader = newReader();
    const event = chunk({ content: 'x'.repeat(8 * 1024 * 1024) });
    rejects(() => {
      for (let count = 0; count < 9; count++) reader.read(event);
    }, /too long/);
  });

  it('throws for more values than it can read while others wait, at any depth, but not for what a string contains', () => {
    const many = 140_000;
    for (const json of [
      `[${'0,'.repeat(many)}0]`,
      '['.repeat(many) + ']'.repeat(many),
      `{"a":[${'{},'.repeat(many)}{}]}`,
    ]) {
      JSON.parse(json);
      rejects(() => read(json), /too many values/);
    }
    assert.deepEqual(read(chunk({ content: ',[{:'.repeat(many) })), [{ kind: 'text', text: ',[{:'.repeat(many) }]);
  });

  it('reads text as a list of parts', () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'image_url' }, null, { type: 'text', text: 'b' }];
    const deltas = read(JSON.stringify({ choices: [{ delta: { content } }] }));
    assert.deepEqual(deltas, [
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ]);
  });

  it('takes anything else as empty', () => {
    for (const event of ['null', '[]', '7', '{}', '{"choices":{}}', '{"choices":[null]}', chunk({ content: 7 })]) {
      assert.deepEqual(read(event), []);
    }
    assert.deepEqual(read(calls(7 as never)), []);
  });

  it('gives a call another id if one before has the same', () => {
    const deltas = read(
      calls(fragment({ index: 0, id: 'a' }, 'Read', '{}'), fragment({ index: 1, id: 'a' }, 'Bash', '{}')),
    );
    assert.deepEqual(callsOf(deltas), ['a Read {}', 'made_1 Bash {}']);
  });

  it('takes each call of a complete response as one, whatever its number and its id are', () => {
    for (const [fields, ids] of [
      [{ id: 'a' }, ['a', 'made_1', 'made_2']],
      [{ index: 0 }, ['made_0', 'made_1', 'made_2']],
      [{ index: 0, id: 'a' }, ['a', 'made_1', 'made_2']],
      [{}, ['made_0', 'made_1', 'made_2']],
    ] as const) {
      const complete = ['add', 'add', 'sub'].map((name) => fragment(fields, name, '{"x":1}'));
      const body = JSON.stringify({ choices: [{ message: { tool_calls: complete }, finish_reason: 'tool_calls' }] });
      const expected = [`${ids[0]} add`, `${ids[1]} add`, `${ids[2]} sub`].map((call) => `${call} {"x":1}`);
      assert.deepEqual(callsOf(read(body)), expected);
    }
  });

  it('begins a call with a name that is not that of the call with the same id', () => {
    const deltas = read(calls(fragment({ id: 'a' }, 'add', '{}'), fragment({ id: 'a' }, 'sub', '{}')));
    assert.deepEqual(callsOf(deltas), ['a add {}', 'made_1 sub {}']);
    const again = read(calls(fragment({ id: 'a' }, 'add', '{')), calls(fragment({ id: 'a' }, 'add', '}')));
    assert.deepEqual(callsOf(again), ['a add {}'], 'some backends send the name with each fragment');
  });

  it('rejects a response of very many parts', () => {
    const reader = newReader();
    const both = chunk({ reasoning: 'a', content: 'b' });
    for (let count = 0; count < 500; count++) reader.read(both);
    for (let count = 0; count < 2000; count++) reader.read(chunk({ content: 'b' }));
    rejects(() => reader.read(both), /too many parts/);
  });

  it('rejects more text than a model can say, in texts and in arguments', () => {
    const long = 'x'.repeat(1024 * 1024);
    for (const event of [chunk({ content: long }), calls(fragment({ index: 0, id: 'a' }, 'Read', long))]) {
      const reader = newReader();
      for (let count = 0; count < 4; count++) reader.read(event);
      rejects(() => reader.read(event), /too long/);
    }
  });
});
