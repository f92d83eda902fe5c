import assert from 'node:assert/strict';
import { readInput } from '../../../../src/dialects/responses/input.ts';
import { ToolNames } from '../../../../src/dialects/responses/toolNames.ts';
import { rejection, translateItems } from '../../../support/responsesDialect.ts';

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'run', arguments: `{"id":"${id}"}` });
const result = (id: string, output: unknown = `result ${id}`) => ({
  type: 'function_call_output',
  call_id: id,
  output,
});
const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const thought = (text: string) => ({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] });
const image = (url: string) => ({ type: 'input_image', image_url: url });

const chatCall = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'run', arguments: `{"id":"${id}"}` },
});
const chatResult = (id: string, content = `result ${id}`) => ({ role: 'tool', tool_call_id: id, content });

describe('readInput()', () => {
  it('takes a text as the message of the user', () => {
    assert.deepEqual(readInput({ instructions: undefined, input: 'Hello', seesImages: true }, new ToolNames()), [
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('keeps messages of all roles in their order', () => {
    assert.deepEqual(
      translateItems(
        { role: 'developer', content: 'a' },
        { role: 'user', content: 'b' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'c' }] },
        { role: 'assistant', content: 'd' },
        {
          role: 'user',
          content: [{ type: 'input_text', text: 'e' }, image('data:1'), { type: 'input_text', text: 'f' }],
        },
      ),
      [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'system', content: 'c' },
        { role: 'assistant', content: 'd' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'e' },
            { type: 'image_url', image_url: { url: 'data:1' } },
            { type: 'text', text: 'f' },
          ],
        },
      ],
    );
  });

  it('joins the reasoning, the text and the calls of a turn', () => {
    assert.deepEqual(
      translateItems(user('a'), thought('Hm.'), said('Let me see.'), call('1'), call('2'), result('1'), result('2')),
      [
        { role: 'user', content: 'a' },
        {
          role: 'assistant',
          content: 'Let me see.',
          reasoning: 'Hm.',
          tool_calls: [chatCall('1'), chatCall('2')],
        },
        chatResult('1'),
        chatResult('2'),
      ],
    );
  });

  it('begins a new turn after results', () => {
    assert.deepEqual(translateItems(user('a'), call('1'), result('1'), thought('Hm.'), call('2'), result('2')), [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [chatCall('1')] },
      chatResult('1'),
      { role: 'assistant', content: null, reasoning: 'Hm.', tool_calls: [chatCall('2')] },
      chatResult('2'),
    ]);
  });

  it('puts results directly after their calls, wherever they are', () => {
    assert.deepEqual(translateItems(call('1'), user('Wait.'), call('2'), said('Done.'), result('2'), result('1')), [
      { role: 'assistant', content: null, tool_calls: [chatCall('1')] },
      chatResult('1'),
      { role: 'user', content: 'Wait.' },
      { role: 'assistant', content: null, tool_calls: [chatCall('2')] },
      chatResult('2'),
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  it('puts results in the order of their calls', () => {
    assert.deepEqual(translateItems(call('1'), call('2'), result('2'), result('1')).slice(1), [
      chatResult('1'),
      chatResult('2'),
    ]);
  });

  it('puts the images of results after all results of the turn', () => {
    const screen = [{ type: 'input_text', text: 'Screen:' }, image('data:1')];
    assert.deepEqual(
      translateItems(call('1'), call('2'), result('1', screen), result('2', [image('data:2')]), user('And?')),
      [
        { role: 'assistant', content: null, tool_calls: [chatCall('1'), chatCall('2')] },
        chatResult('1', 'Screen:'),
        chatResult('2', 'The result is an image. It follows the results of the tools.'),
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Images in the result of the tool call 1:' },
            { type: 'image_url', image_url: { url: 'data:1' } },
            { type: 'text', text: 'Images in the result of the tool call 2:' },
            { type: 'image_url', image_url: { url: 'data:2' } },
          ],
        },
        { role: 'user', content: 'And?' },
      ],
    );
  });

  it('replaces the images of results for a model that cannot see them', () => {
    const items = [call('1'), result('1', [{ type: 'input_text', text: 'Screen:' }, image('data:1')])];
    const messages = readInput({ instructions: undefined, input: items, seesImages: false }, new ToolNames());
    const text = 'Screen:\nThe tool returned an image, which this model cannot see.';
    assert.deepEqual(messages.slice(1), [chatResult('1', text)]);
  });

  it('accepts an id again after its result', () => {
    assert.deepEqual(translateItems(call('1'), result('1', 'a'), call('1'), result('1', 'b')), [
      { role: 'assistant', content: null, tool_calls: [chatCall('1')] },
      chatResult('1', 'a'),
      { role: 'assistant', content: null, tool_calls: [chatCall('1')] },
      chatResult('1', 'b'),
    ]);
  });

  it('translates calls of custom tools and of tools in namespaces', () => {
    const messages = translateItems(
      { type: 'custom_tool_call', call_id: '1', name: 'apply_patch', input: '*** "x"\n' },
      { type: 'function_call', call_id: '2', name: 'run', namespace: 'agents', arguments: '{}' },
      { type: 'custom_tool_call_output', call_id: '1', output: 'Done.' },
      result('2'),
    );
    const [turn] = messages;
    assert.deepEqual(turn, {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: '1', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** \\"x\\"\\n"}' } },
        { id: '2', type: 'function', function: { name: 'agents__run', arguments: '{}' } },
      ],
    });
    assert.deepEqual(messages[1], chatResult('1', 'Done.'));
  });

  it('takes the text of reasoning, or else its summary, and joins several', () => {
    const summary = (text: string) => ({ type: 'reasoning', summary: [{ type: 'summary_text', text }], content: null });
    assert.deepEqual(translateItems(summary('A.'), summary('B.'), said('c')), [
      { role: 'assistant', content: 'c', reasoning: 'A.\n\nB.' },
    ]);
    const both = { ...summary('short'), ...{ content: [{ type: 'reasoning_text', text: 'long' }] } };
    assert.deepEqual(translateItems(both, said('c')), [{ role: 'assistant', content: 'c', reasoning: 'long' }]);
  });

  it('reads what the proxy has sealed, and otherwise the text or the summary beside it', () => {
    const summary = [{ type: 'summary_text', text: 'short' }];
    for (const [sealed, reasoning] of [
      ['sealed(long)', 'long'],
      ['gAAAAABfrom-elsewhere', 'short'],
      [null, 'short'],
    ] as const) {
      const item = { type: 'reasoning', summary, encrypted_content: sealed };
      assert.deepEqual(translateItems(item, said('c')), [{ role: 'assistant', content: 'c', reasoning }]);
    }
    const { param } = rejection({ input: [{ type: 'reasoning', summary, encrypted_content: 7 }] });
    assert.equal(param, 'input[0].encrypted_content');
  });

  it('names the option of clients that refer to items by their ids', () => {
    const { message } = rejection({ input: [{ type: 'item_reference', id: 'msg_1' }] });
    assert.match(message, /"store" to false/);
  });

  it('leaves out reasoning without a text, and reasoning that led to nothing', () => {
    const encrypted = { type: 'reasoning', summary: [], encrypted_content: 'abc' };
    assert.deepEqual(translateItems(encrypted, said('a'), thought('Hm.'), user('Stop.')), [
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'Stop.' },
    ]);
  });

  it('leaves out the searches of another server', () => {
    assert.deepEqual(translateItems({ type: 'web_search_call', id: 'ws_1', status: 'completed' }, user('a')), [
      { role: 'user', content: 'a' },
    ]);
  });

  it('rejects calls and outputs that do not belong together', () => {
    const { param, message } = rejection({ input: [result('1')] });
    assert.equal(param, 'input[0].call_id');
    assert.match(message, /stores no conversations/);
    assert.equal(rejection({ input: [user('a'), call('1')] }).param, 'input[1]');
    assert.equal(rejection({ input: [call('1'), call('1'), result('1')] }).param, 'input[1].call_id');
    assert.equal(rejection({ input: [call('')] }).param, 'input[0].call_id');
  });

  it('rejects items that it cannot translate, and names the field', () => {
    for (const [item, param] of [
      [{ type: 'item_reference', id: 'msg_1' }, 'input[0]'],
      [{ type: 'compaction', encrypted_content: 'x' }, 'input[0].type'],
      [{ type: 'computer_call_output' }, 'input[0].type'],
      [{ type: 'toString' }, 'input[0].type'],
      [{ content: 'x' }, 'input[0].type'],
      [{ role: 'tool', content: 'x' }, 'input[0].role'],
      [{ role: 'developer', content: [image('data:1')] }, 'input[0].content[0]'],
      [{ ...call('1'), arguments: {} }, 'input[0].arguments'],
      [{ type: 'custom_tool_call', call_id: '1', name: 'x' }, 'input[0].input'],
      [{ type: 'reasoning', summary: 'x' }, 'input[0].summary'],
      [[], 'input[0]'],
    ] as const) {
      assert.equal(rejection({ input: [item] }).param, param);
    }
  });
});
