import assert from 'node:assert/strict';
import { describeFound, findTools } from '../../../../../src/dialects/responses/input/foundTools.ts';
import { ToolNames } from '../../../../../src/dialects/responses/tools/toolNames.ts';
import { rejection, translate } from '../../../../support/responsesDialect.ts';

const SEARCH = { type: 'tool_search', execution: 'client' };
const MAIL = {
  type: 'namespace',
  name: 'mail',
  description: '',
  tools: [{ type: 'function', name: 'send', description: 'Sends.', defer_loading: true }],
};
const CALL = { type: 'tool_search_call', call_id: '1', execution: 'client', arguments: { query: 'mail' } };
const FOUND = { type: 'tool_search_output', call_id: '1', execution: 'client', status: 'completed', tools: [MAIL] };

describe('findTools()', () => {
  it("offers what the client's search found, and tells the model", () => {
    const { chat, plan } = translate({ tools: [SEARCH], input: [{ role: 'user', content: 'a' }, CALL, FOUND] });
    assert.deepEqual(
      chat.tools?.map((tool) => tool.function.name),
      ['tool_search', 'mail__send'],
    );
    assert.deepEqual(plan.tools['mail__send'], { kind: 'function', name: 'send', namespace: 'mail' });
    assert.deepEqual(chat.messages.slice(1), [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'tool_search', arguments: '{"query":"mail"}' } }],
      },
      {
        role: 'tool',
        tool_call_id: '1',
        content: 'These tools were found. You can call them now:\n- mail__send: Sends.',
      },
    ]);
  });

  it('offers the tools that an item adds', () => {
    const { chat } = translate({
      input: [
        { type: 'additional_tools', role: 'developer', tools: [MAIL] },
        { role: 'user', content: 'a' },
      ],
    });
    assert.equal(chat.tools?.length, 1);
    assert.equal(chat.messages.length, 1);
  });

  it('offers what another server found, without its search', () => {
    const server = { call_id: null, execution: 'server' };
    const { chat } = translate({
      input: [
        { ...CALL, ...server },
        { ...FOUND, ...server },
        { role: 'user', content: 'a' },
      ],
    });
    assert.equal(chat.tools?.length, 1);
    assert.equal(chat.messages.length, 1);
  });

  it('rejects invalid searches, and names the field', () => {
    assert.equal(rejection({ input: [CALL, { ...FOUND, tools: [7] }] }).param, 'input[1].tools[0]');
    assert.equal(rejection({ input: [{ ...CALL, arguments: 'x' }, FOUND] }).param, 'input[0].arguments');
    assert.equal(rejection({ input: [FOUND] }).param, 'input[0].call_id');
  });

  it('finds nothing in anything else', () => {
    for (const input of [undefined, 'x', {}, [null, 7, {}]]) assert.deepEqual(findTools(input, new ToolNames()), []);
  });
});

describe('describeFound()', () => {
  it('says if nothing was found', () => {
    assert.equal(describeFound([]), 'No tools were found.');
  });
});
