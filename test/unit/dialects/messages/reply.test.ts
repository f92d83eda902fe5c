import assert from 'node:assert/strict';
import type { ChatDelta, ChatOutcome } from '../../../../src/dialects/chatReader.ts';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { createReply } from '../../../../src/dialects/messages/reply.ts';

const PLAN = { model: 'claude-opus-5', stream: true, hidesThinking: false, inputEstimate: 70 };
const IDENTITY = { id: 'abc', createdAt: 5 };
const OUTCOME: ChatOutcome = { finish: 'stop', usage: { input: 10, cached: 4, output: 3, reasoning: 1 } };

interface Event {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function parseEvents(text: string): Event[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name = '', json = ''] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      return { name, data: JSON.parse(json) as Event['data'] };
    });
}

function stream(deltas: readonly ChatDelta[], outcome: ChatOutcome = OUTCOME, plan = PLAN): Event[] {
  const reply = createReply(plan, IDENTITY);
  const parts = [reply.begin(), ...deltas.map((delta) => reply.delta(delta)), reply.end(outcome)];
  return parseEvents(parts.join(''));
}

function body(deltas: readonly ChatDelta[], outcome: ChatOutcome = OUTCOME): Readonly<Record<string, unknown>> {
  const reply = createReply({ ...PLAN, stream: false }, IDENTITY);
  assert.equal(reply.begin(), '');
  for (const delta of deltas) assert.equal(reply.delta(delta), '');
  return JSON.parse(reply.body(outcome)) as Readonly<Record<string, unknown>>;
}

describe('createReply()', () => {
  it('streams the events that the API documents, each with its type', () => {
    const events = stream([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: 'Yes' },
      { kind: 'toolCall', index: 0, id: 'call_1', name: 'Read' },
      { kind: 'arguments', index: 0, json: '{"a":1}' },
    ]);
    assert.deepEqual(
      events.map(({ name, data }) => (name === data['type'] ? name : `${name}?`)),
      [
        'message_start',
        ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
        ...['content_block_start', 'content_block_delta', 'content_block_stop'],
        ...['content_block_start', 'content_block_delta', 'content_block_stop'],
        'message_delta',
        'message_stop',
      ],
    );
    assert.deepEqual(
      events.slice(1, -2).map(({ data }) => data['content_block'] ?? data['delta'] ?? data['index']),
      [
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Hm.' },
        { type: 'signature_delta', signature: 'dW5zaWduZWQ=' },
        0,
        { type: 'text', text: '', citations: null },
        { type: 'text_delta', text: 'Yes' },
        1,
        { type: 'tool_use', id: 'call_1', name: 'Read', input: {}, caller: { type: 'direct' } },
        { type: 'input_json_delta', partial_json: '{"a":1}' },
        2,
      ],
    );
  });

  it('names the model as the client did, and an id made from the identity', () => {
    const message = stream([])[0]?.data['message'] as Readonly<Record<string, unknown>>;
    assert.equal(message['model'], 'claude-opus-5');
    assert.equal(message['id'], 'msg_abc');
    assert.equal(message['role'], 'assistant');
    assert.deepEqual(message['content'], []);
    assert.equal(message['stop_reason'], null);
  });

  it('begins a stream with an estimate of the input tokens, because the backend reports them at the end', () => {
    const message = stream([])[0]?.data['message'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    assert.deepEqual([message['usage']?.['input_tokens'], message['usage']?.['output_tokens']], [70, 0]);
  });

  it('reports cached tokens apart from the other input tokens', () => {
    const usage = stream([]).at(-2)?.data['usage'];
    assert.deepEqual(usage, {
      input_tokens: 6,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 4,
      output_tokens: 3,
      output_tokens_details: { thinking_tokens: 1 },
      server_tool_use: null,
    });
  });

  it('reports no tokens if the backend reported none', () => {
    const usage = body([], { finish: 'stop', usage: undefined })['usage'] as Readonly<Record<string, unknown>>;
    assert.deepEqual([usage['input_tokens'], usage['output_tokens'], usage['output_tokens_details']], [0, 0, null]);
  });

  for (const [finish, reason] of [
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['toolCalls', 'tool_use'],
    ['contentFilter', 'refusal'],
  ] as const) {
    it(`stops with ${reason} for ${finish}`, () => {
      const details = reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null;
      const outcome = { ...OUTCOME, finish };
      assert.deepEqual(stream([], outcome).at(-2)?.data['delta'], {
        stop_reason: reason,
        stop_sequence: null,
        stop_details: details,
        container: null,
      });
      assert.equal(body([], outcome)['stop_reason'], reason);
    });
  }

  it('stops with refusal if the model said so', () => {
    const refused = body([{ kind: 'refusal', text: 'No.' }]);
    assert.equal(refused['stop_reason'], 'refusal');
    assert.deepEqual(refused['content'], [{ type: 'text', text: 'No.', citations: null }]);
  });

  it('leaves out thinking that the client turned off', () => {
    const deltas = [{ kind: 'reasoning', text: 'Hm.' } as const, { kind: 'text', text: 'Yes' } as const];
    const events = stream(deltas, OUTCOME, { ...PLAN, hidesThinking: true });
    assert.equal(events.filter(({ name }) => name === 'content_block_start').length, 1);
    assert.equal(JSON.stringify(events).includes('Hm.'), false);
  });

  it('is a complete message without a stream', () => {
    assert.deepEqual(
      body([
        { kind: 'reasoning', text: 'Hm.' },
        { kind: 'text', text: 'Yes' },
        { kind: 'toolCall', index: 0, id: 'call_1', name: 'Read' },
        { kind: 'toolCall', index: 1, id: 'call_2', name: 'List' },
        { kind: 'arguments', index: 0, json: '{"a":1}' },
      ]),
      {
        id: 'msg_abc',
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'dW5zaWduZWQ=' },
          { type: 'text', text: 'Yes', citations: null },
          { type: 'tool_use', id: 'call_1', name: 'Read', input: { a: 1 }, caller: { type: 'direct' } },
          { type: 'tool_use', id: 'call_2', name: 'List', input: {}, caller: { type: 'direct' } },
        ],
        stop_reason: 'end_turn',
        stop_sequence: null,
        stop_details: null,
        usage: {
          input_tokens: 6,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 4,
          output_tokens: 3,
          output_tokens_details: { thinking_tokens: 1 },
          server_tool_use: null,
          cache_creation: null,
          inference_geo: null,
          service_tier: null,
          speed: null,
        },
        container: null,
        diagnostics: null,
      },
    );
  });

  it('fails if the input of a tool is not an object, instead of changing it', () => {
    for (const json of ['{"a":', '5', '[1]']) {
      const call = { kind: 'toolCall', index: 0, id: 'call_1', name: 'Read' } as const;
      assert.throws(() => body([call, { kind: 'arguments', index: 0, json }]), {
        name: 'DialectError',
        status: 502,
        message:
          'The model called the tool Read with an input that is not valid JSON, or has too many values. Try again.',
      });
    }
  });

  it('names the tool in one short line, whatever the backend calls it', () => {
    const call = { kind: 'toolCall', index: 0, id: 'call_1', name: `a\n${'b'.repeat(5000)}` } as const;
    assert.throws(() => body([call, { kind: 'arguments', index: 0, json: '5' }]), {
      message: `The model called the tool a ${'b'.repeat(61)}… with an input that is not valid JSON, or has too many values. Try again.`,
    });
  });

  for (const [finish, reason] of [
    ['length', 'max_tokens'],
    ['contentFilter', 'refusal'],
  ] as const) {
    it(`is a complete message whose last call was cut off, if it stops with ${reason}`, () => {
      const message = body(
        [
          { kind: 'toolCall', index: 0, id: 'call_1', name: 'Read' },
          { kind: 'arguments', index: 0, json: '{"a":1}' },
          { kind: 'toolCall', index: 1, id: 'call_2', name: 'Write' },
          { kind: 'arguments', index: 1, json: '{"text":"Hal' },
        ],
        { ...OUTCOME, finish },
      );
      assert.equal(message['stop_reason'], reason);
      assert.deepEqual(message['content'], [
        { type: 'tool_use', id: 'call_1', name: 'Read', input: { a: 1 }, caller: { type: 'direct' } },
        { type: 'tool_use', id: 'call_2', name: 'Write', input: {}, caller: { type: 'direct' } },
      ]);
    });
  }

  it('sends pings, and an error event if the response breaks off', () => {
    const reply = createReply(PLAN, IDENTITY);
    assert.deepEqual(parseEvents(reply.ping()), [{ name: 'ping', data: { type: 'ping' } }]);
    assert.deepEqual(parseEvents(reply.fail(new DialectError('Overloaded. Try again.', { status: 503 }))), [
      {
        name: 'error',
        data: {
          type: 'error',
          error: { type: 'overloaded_error', message: 'Overloaded. Try again.' },
          request_id: 'req_abc',
        },
      },
    ]);
  });
});
