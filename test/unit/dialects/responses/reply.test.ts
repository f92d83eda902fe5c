import assert from 'node:assert/strict';
import type { ChatDelta, ChatOutcome } from '../../../../src/dialects/chatReader.ts';
import type { ReplyOutcome } from '../../../../src/dialects/dialect.ts';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { ResponsesReply } from '../../../../src/dialects/responses/reply.ts';
import { IDENTITY, STOPPED, bodyOf, eventsOf, streamOf, translate } from '../../../support/responsesDialect.ts';

const TOOLS = [
  { type: 'function', name: 'run', parameters: { type: 'object' } },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'agents', description: '', tools: [{ type: 'function', name: 'stop' }] },
];
const { plan } = translate({ stream: true, tools: TOOLS });
const text = (value: string): ChatDelta => ({ kind: 'text', text: value });
const reasoning = (value: string): ChatDelta => ({ kind: 'reasoning', text: value });
const call = (index: number, name: string): ChatDelta => ({ kind: 'toolCall', index, id: `call_${index}`, name });
const more = (index: number, json: string): ChatDelta => ({ kind: 'arguments', index, json });
const typesOf = (stream: string) => eventsOf(stream).map(({ type }) => type.replace('response.', ''));
const id = (prefix: string, index: number) => `${prefix}_${IDENTITY.id}000${index}`;

describe('ResponsesReply', () => {
  it('writes the events of a text in their order', () => {
    const stream = streamOf(plan, [text('Hel'), text('lo')]);
    assert.deepEqual(typesOf(stream), [
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    const item = { id: id('msg', 0), type: 'message', role: 'assistant' };
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    const part = { type: 'output_text', annotations: [], logprobs: [], text: '' };
    const done = { ...part, text: 'Hello' };
    const expected = [
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...place, part },
      { type: 'response.output_text.delta', ...place, delta: 'Hel', logprobs: [] },
      { type: 'response.output_text.delta', ...place, delta: 'lo', logprobs: [] },
      { type: 'response.output_text.done', ...place, text: 'Hello', logprobs: [] },
      { type: 'response.content_part.done', ...place, part: done },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...item, status: 'completed', content: [done] },
      },
    ];
    assert.deepEqual(
      eventsOf(stream).slice(2, -1),
      expected.map((event, index) => ({ ...event, sequence_number: index + 2 })),
    );
  });

  it('numbers all events from 0', () => {
    const events = eventsOf(streamOf(plan, [reasoning('a'), text('b'), call(0, 'run'), more(0, '{}')]));
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      events.map((_, index) => index),
    );
  });

  it('has a complete response in the first and the last event', () => {
    const { plan: own } = translate({
      stream: true,
      tools: TOOLS,
      tool_choice: 'required',
      instructions: 'Be brief.',
      metadata: { a: 'b' },
      temperature: 0.5,
      max_output_tokens: 9,
      reasoning: { effort: 'low', summary: 'auto' },
      parallel_tool_calls: false,
      store: true,
    });
    const expected = {
      id: `resp_${IDENTITY.id}`,
      object: 'response',
      created_at: IDENTITY.createdAt,
      completed_at: null,
      status: 'in_progress',
      background: false,
      error: null,
      frequency_penalty: 0,
      incomplete_details: null,
      instructions: 'Be brief.',
      max_output_tokens: 9,
      max_tool_calls: null,
      metadata: { a: 'b' },
      model: 'thinker',
      output: [],
      parallel_tool_calls: false,
      presence_penalty: 0,
      previous_response_id: null,
      prompt_cache_key: null,
      reasoning: { effort: 'low', summary: 'auto' },
      safety_identifier: null,
      service_tier: 'auto',
      store: false,
      temperature: 0.5,
      text: { format: { type: 'text' } },
      tool_choice: 'required',
      tools: [{ ...TOOLS[0], description: null, strict: null }, ...TOOLS.slice(1)],
      top_logprobs: 0,
      top_p: 1,
      truncation: 'disabled',
      usage: null,
    };
    const events = eventsOf(streamOf(own, [text('x')]));
    assert.deepEqual(events[0], { type: 'response.created', sequence_number: 0, response: expected });
    assert.deepEqual(events[1], { type: 'response.in_progress', sequence_number: 1, response: expected });
    const last = events.at(-1);
    assert.ok(last?.type === 'response.completed');
    const usage = {
      input_tokens: 50,
      input_tokens_details: { cached_tokens: 20, cache_write_tokens: 0 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 80,
    };
    const { output } = last.response;
    assert.equal(output.length, 1);
    const completed = { status: 'completed', completed_at: STOPPED.completedAt };
    assert.deepEqual(last.response, { ...expected, ...completed, output, usage });
  });

  it('repeats the fields of the request, which are for the client alone', () => {
    const fields = {
      ...{ temperature: 0, top_p: 0.5, presence_penalty: -1, frequency_penalty: 1, max_tool_calls: 3 },
      ...{ safety_identifier: 'user-1', prompt_cache_key: 'cache-1' },
    };
    const body: object = bodyOf(translate(fields).plan, [text('x')]);
    for (const [name, value] of Object.entries(fields)) assert.equal((body as Record<string, unknown>)[name], value);
  });

  it('states the tier that the backend reports, and until then the one that the client wants', () => {
    const { plan: own } = translate({ stream: true, service_tier: 'priority' });
    const tiersWith = (outcome: ReplyOutcome) =>
      eventsOf(streamOf(own, [text('x')], outcome)).flatMap((event) =>
        'response' in event ? [event.response.service_tier] : [],
      );
    assert.deepEqual(tiersWith({ ...STOPPED, reported: { service_tier: 'flex' } }), ['priority', 'priority', 'flex']);
    assert.deepEqual(tiersWith(STOPPED), ['priority', 'priority', 'auto']);
  });

  it('is completed only if the model ended by itself', () => {
    for (const finish of ['length', 'contentFilter'] as const) {
      assert.equal(bodyOf(plan, [text('x')], { ...STOPPED, finish }).completed_at, null);
    }
  });

  it('seals the reasoning once it is complete, if the client asked for it', () => {
    const include = ['reasoning.encrypted_content'];
    for (const fields of [{ include }, { include, reasoning: { summary: 'auto' } }]) {
      const { plan: own } = translate({ ...fields, stream: true });
      const events = eventsOf(streamOf(own, [reasoning('Hm'), reasoning('m.'), text('x')]));
      const sealed = events.flatMap((event) => {
        if (!('item' in event) || event.item.type !== 'reasoning') return [];
        return [[event.type, event.item.encrypted_content]];
      });
      assert.deepEqual(sealed, [
        ['response.output_item.added', undefined],
        ['response.output_item.done', 'sealed(Hmm.)'],
      ]);
      const last = events.at(-1);
      assert.ok(last?.type === 'response.completed');
      const [item] = last.response.output;
      assert.ok(item?.type === 'reasoning');
      assert.equal(item.encrypted_content, 'sealed(Hmm.)');
    }
  });

  it('gives the reasoning as a summary if the client asked for one', () => {
    const { plan: own } = translate({ stream: true, reasoning: { summary: 'auto' } });
    const stream = streamOf(own, [reasoning('Hm'), reasoning('m.'), text('x')]);
    assert.deepEqual(typesOf(stream).slice(2, 9), [
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
    ]);
    assert.deepEqual(bodyOf(own, [reasoning('Hm'), reasoning('m.')]).output[0], {
      id: id('rs', 0),
      type: 'reasoning',
      status: 'completed',
      summary: [{ type: 'summary_text', text: 'Hmm.' }],
    });
  });

  it('gives the reasoning as its text otherwise', () => {
    const stream = streamOf(plan, [reasoning('Hm'), reasoning('m.'), text('x')]);
    assert.deepEqual(typesOf(stream).slice(2, 9), [
      'output_item.added',
      'content_part.added',
      'reasoning_text.delta',
      'reasoning_text.delta',
      'reasoning_text.done',
      'content_part.done',
      'output_item.done',
    ]);
    assert.deepEqual(bodyOf(plan, [reasoning('Hm'), reasoning('m.')]).output[0], {
      id: id('rs', 0),
      type: 'reasoning',
      status: 'completed',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hmm.' }],
    });
  });

  it('turns calls back into those of the client', () => {
    const { output } = bodyOf(plan, [
      call(0, 'agents__stop'),
      more(0, '{"id":1}'),
      call(1, 'patch'),
      more(1, '{"input":"*** x\\n"}'),
      call(2, 'toString'),
    ]);
    assert.deepEqual(output, [
      {
        id: id('fc', 0),
        type: 'function_call',
        status: 'completed',
        arguments: '{"id":1}',
        call_id: 'call_0',
        name: 'stop',
        namespace: 'agents',
      },
      { id: id('ctc', 1), type: 'custom_tool_call', call_id: 'call_1', input: '*** x\n', name: 'patch' },
      {
        id: id('fc', 2),
        type: 'function_call',
        status: 'completed',
        arguments: '{}',
        call_id: 'call_2',
        name: 'toString',
      },
    ]);
  });

  it("turns calls of the client's search for tools back", () => {
    const { plan: own } = translate({ stream: true, tools: [{ type: 'tool_search', execution: 'client' }] });
    const deltas = [call(0, 'tool_search'), more(0, '{"query":'), more(0, '"x"}')];
    const item = { id: id('tsc', 0), type: 'tool_search_call', execution: 'client', call_id: 'call_0' };
    assert.deepEqual(bodyOf(own, deltas).output, [{ ...item, status: 'completed', arguments: { query: 'x' } }]);
    assert.deepEqual(typesOf(streamOf(own, deltas)).slice(2, -1), ['output_item.added', 'output_item.done']);
    const [broken] = bodyOf(own, deltas.slice(0, 2), { ...STOPPED, finish: 'length' }).output;
    assert.deepEqual(broken, { ...item, status: 'incomplete', arguments: {} });
  });

  it('streams the input of a custom tool as plain text', () => {
    const stream = streamOf(plan, [call(0, 'patch'), more(0, '{"input"'), more(0, ':"a\\'), more(0, 'nb"}')]);
    const deltas = eventsOf(stream).flatMap((event) =>
      event.type === 'response.custom_tool_call_input.delta' ? [event.delta] : [],
    );
    assert.deepEqual(deltas, ['a', '\nb']);
    assert.deepEqual(typesOf(stream).slice(-3), ['custom_tool_call_input.done', 'output_item.done', 'completed']);
  });

  it('keeps interleaved calls apart', () => {
    const deltas = [call(0, 'run'), more(0, '{"a"'), call(1, 'run'), more(1, '{"b"'), more(0, ':1}'), more(1, ':2}')];
    const { output } = bodyOf(plan, deltas);
    assert.deepEqual(
      output.map((item) => item.type === 'function_call' && item.arguments),
      ['{"a":1}', '{"b":2}'],
    );
    const done = eventsOf(streamOf(plan, deltas)).flatMap((event) =>
      event.type === 'response.output_item.done' ? [event.output_index] : [],
    );
    assert.deepEqual(done, [0, 1]);
  });

  it('ends items in the order in which they begin', () => {
    const deltas = [reasoning('a'), text('b'), call(0, 'run'), text('c'), more(0, '{}'), reasoning('d'), text('e')];
    const done = eventsOf(streamOf(plan, deltas)).flatMap((event) =>
      event.type === 'response.output_item.done' ? [`${event.output_index} ${event.item.type}`] : [],
    );
    assert.deepEqual(done, ['0 reasoning', '1 message', '2 function_call', '3 message', '4 reasoning', '5 message']);
  });

  it('separates a refusal from the text before it', () => {
    const [item] = bodyOf(plan, [text('Well. '), { kind: 'refusal', text: 'I cannot.' }]).output;
    assert.ok(item?.type === 'message');
    assert.deepEqual(item.content, [
      { type: 'output_text', annotations: [], logprobs: [], text: 'Well. ' },
      { type: 'refusal', refusal: 'I cannot.' },
    ]);
  });

  it('says why a response is incomplete', () => {
    for (const [finish, reason] of [
      ['length', 'max_output_tokens'],
      ['contentFilter', 'content_filter'],
    ] as const) {
      const outcome: ChatOutcome = { ...STOPPED, finish };
      const stream = streamOf(plan, [reasoning('a'), text('b')], outcome);
      assert.equal(typesOf(stream).at(-1), 'incomplete');
      const body = bodyOf(plan, [reasoning('a'), text('b')], outcome);
      assert.equal(body.status, 'incomplete');
      assert.deepEqual(body.incomplete_details, { reason });
      assert.deepEqual(
        body.output.map((item) => 'status' in item && item.status),
        ['completed', 'incomplete'],
      );
    }
  });

  it('has no usage if the backend did not report it', () => {
    assert.equal(bodyOf(plan, [text('x')], { finish: 'stop', usage: undefined }).usage, null);
  });

  it('reports a failure with what is complete, and no end', () => {
    const reply = new ResponsesReply(plan, IDENTITY);
    const begun = reply.begin() + reply.delta(reasoning('a')) + reply.delta(text('b'));
    const events = eventsOf(begun + reply.fail(new DialectError('The connection broke.', { status: 502 })));
    const last = events.at(-1);
    assert.ok(last?.type === 'response.failed');
    assert.equal(last.sequence_number, events.length - 1);
    assert.equal(last.response.status, 'failed');
    assert.deepEqual(last.response.error, { code: 'server_error', message: 'The connection broke.' });
    assert.deepEqual(
      last.response.output.map(({ type }) => type),
      ['reasoning'],
    );
  });

  it('begins before it fails', () => {
    const reply = new ResponsesReply(plan, IDENTITY);
    assert.deepEqual(typesOf(reply.fail(new DialectError('No.', { status: 502 }))), [
      'created',
      'in_progress',
      'failed',
    ]);
  });

  it('pings with a comment, which is not an event', () => {
    assert.equal(new ResponsesReply(plan, IDENTITY).ping(), ': ping\n\n');
  });

  it('gives the same output in a body as in a stream', () => {
    const deltas = [reasoning('a'), text('b'), call(0, 'patch'), more(0, '{"input":"x"}')];
    const last = eventsOf(streamOf(plan, deltas)).at(-1);
    assert.ok(last?.type === 'response.completed');
    assert.deepEqual(last.response, bodyOf(plan, deltas));
  });
});
