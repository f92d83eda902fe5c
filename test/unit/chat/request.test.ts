import assert from 'node:assert/strict';
import type { ChatModel } from '../../../src/chat/models.ts';
import { chatRequest } from '../../../src/chat/request.ts';
import type { Conversation, Message, Part } from '../../../src/chat/request.ts';

const MODEL: ChatModel = {
  id: 'glm-5-2',
  name: 'GLM',
  maxInputTokens: 1000,
  maxOutputTokens: 100,
  tools: true,
  images: true,
  reasoning: true,
};
const PIXEL = Uint8Array.of(1, 2, 3);

const text = (value: string): Part => ({ kind: 'text', text: value });
const image: Part = { kind: 'image', mime: 'image/png', data: PIXEL };
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } };
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });

function request(messages: readonly Message[], change: Partial<Conversation> = {}): Record<string, unknown> {
  const conversation = { messages, tools: [], toolRequired: false, options: {}, ...change };
  return JSON.parse(chatRequest(MODEL, conversation)) as Record<string, unknown>;
}
const messages = (...list: Message[]) => request(list)['messages'];

describe('chatRequest()', () => {
  it('asks the chosen model for a stream with usage', () => {
    assert.deepEqual(request([user(text('Hello'))]), {
      model: 'glm-5-2',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('keeps all roles, and the order of parts', () => {
    const list = messages(
      { role: 'system', parts: [text('Be '), text('brief.')] },
      user(text('a'), image, text('b')),
      assistant(text('c'), { kind: 'thinking' }, text('d')),
    );
    assert.deepEqual(list, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'a' }, IMAGE, { type: 'text', text: 'b' }] },
      { role: 'assistant', content: 'cd' },
    ]);
  });

  it('contains tool calls and their results with their ids', () => {
    const list = messages(
      assistant(
        text('Let me look.'),
        { kind: 'toolCall', id: '1', name: 'read', input: { path: 'a' } },
        { kind: 'toolCall', id: '2', name: 'list', input: undefined },
      ),
      user(
        { kind: 'toolResult', id: '1', parts: [text('one'), text(' two')] },
        { kind: 'toolResult', id: '2', parts: [] },
        text('Go on.'),
      ),
    );
    const call = (id: string, name: string, json: string) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    });
    assert.deepEqual(list, [
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [call('1', 'read', '{"path":"a"}'), call('2', 'list', '{}')],
      },
      { role: 'tool', tool_call_id: '1', content: 'one two' },
      { role: 'tool', tool_call_id: '2', content: '' },
      { role: 'user', content: 'Go on.' },
    ]);
  });

  it('sends null as the content of a message with only tool calls', () => {
    const [message] = messages(assistant({ kind: 'toolCall', id: '1', name: 'read', input: {} })) as {
      content: unknown;
    }[];
    assert.equal(message?.content, null);
  });

  it('sends images that a tool returned as a user message', () => {
    const list = messages(
      user({ kind: 'toolResult', id: '1', parts: [text('a picture'), image] }, text('What is it?')),
    );
    assert.deepEqual(list, [
      { role: 'tool', tool_call_id: '1', content: 'a picture' },
      { role: 'user', content: [IMAGE, { type: 'text', text: 'What is it?' }] },
    ]);
  });

  it('keeps the results of tools that were called together next to each other', () => {
    const call = (id: string): Part => ({ kind: 'toolCall', id, name: 'view', input: {} });
    const result = (id: string, ...parts: Part[]): Part => ({ kind: 'toolResult', id, parts });
    const list = messages(
      assistant(call('1'), call('2'), call('3')),
      user(result('1', text('one'), image)),
      user(text('Two is a text.'), result('2', text('two'))),
      user(result('3', image)),
      assistant(text('I see.')),
      user(result('4', image)),
    ) as { role: string; content: unknown }[];
    assert.deepEqual(
      list.slice(1).map(({ role, content }) => [role, content]),
      [
        ['tool', 'one'],
        ['tool', 'two'],
        ['tool', ''],
        ['user', [IMAGE, { type: 'text', text: 'Two is a text.' }, IMAGE]],
        ['assistant', 'I see.'],
        ['tool', ''],
        ['user', [IMAGE]],
      ],
    );
  });

  it('keeps an empty message', () => {
    assert.deepEqual(messages(assistant()), [{ role: 'assistant', content: '' }]);
  });

  it('offers tools with their schemas, and states whether one must be called', () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } };
    const tools = [
      { name: 'read', description: 'Reads', schema },
      { name: 'list', description: 'Lists', schema: undefined },
    ];
    const body = request([user(text('x'))], { tools });
    assert.deepEqual(body['tools'], [
      { type: 'function', function: { name: 'read', description: 'Reads', parameters: schema } },
      {
        type: 'function',
        function: { name: 'list', description: 'Lists', parameters: { type: 'object', properties: {} } },
      },
    ]);
    assert.equal(body['tool_choice'], 'auto');
    assert.equal(request([], { tools, toolRequired: true })['tool_choice'], 'required');
    assert.equal(request([], { toolRequired: true })['tool_choice'], undefined);
  });

  it('passes options on, except for reserved fields', () => {
    const options = { temperature: 0.2, max_tokens: 5, model: 'other', stream: false, messages: [], n: 4, tools: [1] };
    const body = request([user(text('x'))], { options });
    assert.deepEqual(
      [body['temperature'], body['max_tokens'], body['model'], body['stream']],
      [0.2, 5, 'glm-5-2', true],
    );
    assert.deepEqual([body['n'], body['tools']], [undefined, undefined]);
    assert.equal((body['messages'] as unknown[]).length, 1);
  });

  it('leaves out options that the editor adds for itself', () => {
    const options = {
      temperature: 0.2,
      _conversationId: 'c',
      _otelTraceContext: { traceId: 't' },
      _enableThinking: true,
    };
    const body = request([user(text('x'))], { options });
    assert.deepEqual(Object.keys(body).toSorted(), ['messages', 'model', 'stream', 'stream_options', 'temperature']);
  });

  it('names the reasoning effort only to a model that reasons', () => {
    const effortOf = (model: ChatModel, change: Partial<Conversation> = {}) => {
      const conversation = { messages: [user(text('x'))], tools: [], toolRequired: false, options: {}, ...change };
      return (JSON.parse(chatRequest(model, conversation)) as Record<string, unknown>)['reasoning_effort'];
    };
    const set: ChatModel = { ...MODEL, reasoningEffort: 'high' };
    assert.equal(effortOf(MODEL), undefined);
    assert.equal(effortOf(set), 'high');
    assert.equal(effortOf(set, { reasoningEffort: 'low' }), 'low');
    assert.equal(effortOf(set, { options: { reasoning_effort: 'medium' }, reasoningEffort: 'low' }), 'medium');
    assert.equal(effortOf({ ...set, reasoning: false }, { reasoningEffort: 'low' }), undefined);
  });
});
