import assert from 'node:assert/strict';
import { translateRequest } from '../../../../src/dialects/messages/request.ts';
import { CLAUDE_CODE_REQUEST, IMAGE, MODEL_LIST } from '../../../support/messagesRequests.ts';
import { translateFields } from '../../../support/translateMessages.ts';

const CONTEXT = { modelList: MODEL_LIST, replacementModel: undefined };
const countedMessages = (messages: readonly object[]) =>
  translateRequest({ model: 'kimi-k2-6', messages }, { ...CONTEXT, countsOnly: true }).chat.messages;
const rejects = (fields: object, message: RegExp, status = 400) => {
  assert.throws(() => translateFields(fields), { name: 'DialectError', status, message });
};

describe('translateRequest()', () => {
  it('translates a complete request of Claude Code', () => {
    const { chat, plan } = translateRequest(CLAUDE_CODE_REQUEST, CONTEXT);
    const { messages, tools, ...fields } = chat;
    assert.deepEqual(messages, [
      { role: 'system', content: 'You are an agent.\n\n\nBe brief.' },
      { role: 'user', content: '<system-reminder>\nContext\n</system-reminder>\n\nRead the picture.' },
      { role: 'system', content: '# Environment\nLinux' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning: 'Two tools.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'Read', arguments: '{"path":"picture.png"}' } },
          { id: 'call_2', type: 'function', function: { name: 'Bash', arguments: '{"path":"cat nothing"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'The result is in the next message of the user.' },
      { role: 'tool', tool_call_id: 'call_2', content: 'The tool failed:\nExit code 1\nNo such file' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The result of the tool call call_1:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } },
          { type: 'text', text: 'And now?' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_3',
            type: 'function',
            function: { name: 'ToolSearch', arguments: '{"query":"select:WebFetch"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_3', content: 'The tool WebFetch is available now.' },
      { role: 'user', content: 'Notes\n\nThe notes.' },
    ]);
    assert.deepEqual(
      tools?.map((tool) => tool.function.name),
      ['Read', 'Bash', 'ToolSearch', 'WebFetch'],
    );
    assert.deepEqual(fields, {
      model: 'kimi-k2-6',
      tool_choice: 'auto',
      parallel_tool_calls: false,
      max_tokens: 32_000,
      temperature: 1,
      top_p: 0.9,
      top_k: 40,
      stop: ['END'],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'response', schema: { type: 'object' }, strict: true },
      },
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true },
    });
    assert.deepEqual(plan, {
      model: 'kimi-k2-6',
      stream: true,
      hidesThinking: false,
      inputEstimate: plan.inputEstimate,
    });
  });

  it('makes a plan that another thread can receive', () => {
    const { plan } = translateFields({});
    assert.deepEqual(structuredClone(plan), plan);
    assert.deepEqual(plan, { model: 'kimi-k2-6', stream: false, hidesThinking: true, inputEstimate: 0 });
  });

  it('estimates the tokens of the prompt for a stream, one for four characters', () => {
    const estimateOf = (length: number) =>
      translateFields({ stream: true, messages: [{ role: 'user', content: 'x'.repeat(length) }] }).plan.inputEstimate;
    assert.equal(estimateOf(4000) - estimateOf(0), 1000);
    assert.ok(estimateOf(0) > 0 && estimateOf(0) < 10);
  });

  it('does not change the request', () => {
    const copy = structuredClone(CLAUDE_CODE_REQUEST);
    translateRequest(CLAUDE_CODE_REQUEST, CONTEXT);
    assert.deepEqual(CLAUDE_CODE_REQUEST, copy);
  });

  it('takes a system prompt as text or as blocks, and leaves out only the billing line', () => {
    const system = (value: unknown) => translateFields({ system: value }).chat.messages[0];
    assert.deepEqual(system('Be brief.'), { role: 'system', content: 'Be brief.' });
    assert.deepEqual(system('x-anthropic-billing-header: a=1;\nBe brief.'), { role: 'system', content: 'Be brief.' });
    const quoted = 'Send\nx-anthropic-billing-header: a';
    assert.deepEqual(system([{ type: 'text', text: quoted }]), { role: 'system', content: quoted });
    for (const value of [undefined, null, '', [], [{ type: 'text', text: 'x-anthropic-billing-header: a=1;' }]]) {
      assert.deepEqual(system(value), { role: 'user', content: 'Hello' });
    }
  });

  it('is the same for two requests that differ only in the billing line and in who sends them', () => {
    const request = (version: string) => ({
      ...CLAUDE_CODE_REQUEST,
      metadata: { user_id: version },
      system: [{ type: 'text', text: `x-anthropic-billing-header: cc_version=${version};` }],
    });
    assert.deepEqual(translateRequest(request('1'), CONTEXT), translateRequest(request('2'), CONTEXT));
  });

  it('accepts the mark of a large context window after the name of a model', () => {
    const { chat, plan } = translateFields({ model: 'glm-5-2[1m]' });
    assert.equal(chat.model, 'glm-5-2');
    assert.equal(plan.model, 'glm-5-2[1m]');
  });

  it('replaces a name that the backend does not offer, or reports the models', () => {
    const request = { model: 'claude-opus-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
    const { chat, plan } = translateRequest(request, { ...CONTEXT, replacementModel: 'glm-5-2' });
    assert.equal(chat.model, 'glm-5-2');
    assert.equal(plan.model, 'claude-opus-5');
    rejects({ model: 'claude-opus-5' }, /does not offer the model "claude-opus-5".*glm-5-2, kimi-k2-6/, 404);
  });

  it('does not ask a replacement for more than it can write', () => {
    const limitOf = (model: string) => {
      const request = { model, max_tokens: 128_000, messages: [{ role: 'user', content: 'Hello' }] };
      return translateRequest(request, { ...CONTEXT, replacementModel: 'glm-5-2' }).chat.max_tokens;
    };
    assert.equal(limitOf('claude-opus-5'), 96_000);
    assert.equal(limitOf('glm-5-2'), 128_000);
  });

  it('sends images of tools only to a model that may see them', () => {
    const partsFor = (model: string) => {
      const { chat } = translateRequest({ ...CLAUDE_CODE_REQUEST, model }, CONTEXT);
      return JSON.stringify(chat).match(/"type":"image_url"|which this model cannot see/g);
    };
    assert.deepEqual(partsFor('kimi-k2-6'), ['"type":"image_url"']);
    assert.deepEqual(partsFor('glm-5-2'), ['which this model cannot see']);
  });

  it('sends an effort only to a model that takes one', () => {
    const effortOf = (model: string) =>
      translateFields({ model, output_config: { effort: 'low' } }).chat.reasoning_effort;
    assert.equal(effortOf('glm-5-2'), 'low');
    assert.equal(effortOf('llama3-3-70b'), undefined);
  });

  it('rejects a message of the assistant that the model should continue, except to count its tokens', () => {
    const messages = [
      { role: 'user', content: 'One word:' },
      { role: 'assistant', content: 'The word is' },
      { role: 'system', content: 'Be brief.' },
    ];
    rejects({ messages }, /^messages\[1\]: the backend cannot continue a message/);
    assert.equal(countedMessages(messages).length, 3);
  });

  it('requires a limit of the response, except to count tokens', () => {
    rejects({ max_tokens: undefined }, /^max_tokens: is missing\. Set the most tokens that the response may have\.$/);
    rejects({ max_tokens: null }, /^max_tokens: is missing/);
    assert.equal(countedMessages([{ role: 'user', content: 'Hello' }]).length, 1);
  });

  it('counts the tokens of a conversation whose calls have no results yet', () => {
    const call = { type: 'tool_use', id: 'a', name: 'Read', input: {} };
    const messages = [{ role: 'assistant', content: [call] }];
    rejects({ messages }, /^messages\[0\]/);
    assert.equal(countedMessages(messages).length, 1);
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
    assert.equal(countedMessages([{ role: 'user', content: [result] }]).length, 1);
  });

  it('names the field that is wrong', () => {
    for (const [fields, message] of [
      [{ model: 5 }, /^model: must be a string\.$/],
      [{ stream: 'yes' }, /^stream: must be true or false\.$/],
      [{ messages: undefined }, /^messages: must be an array\.$/],
      [{ messages: [] }, /^messages: must contain at least one message with content\.$/],
      [{ messages: [{ role: 'system' }, { role: 'system', content: '' }] }, /^messages: must contain at least one/],
      [{ messages: ['Hello'] }, /^messages\[0\]: must be an object\.$/],
      [{ system: 5 }, /^system: must be a string or an array of blocks\.$/],
      [{ system: [{ type: 'image' }] }, /^system\[0\]\.type: blocks of type "image" are not supported here\.$/],
      [
        { messages: [{ role: 'tool', content: 'a' }] },
        /^messages\[0\]\.role: must be "user", "assistant" or "system"\.$/,
      ],
    ] as const) {
      rejects(fields, message);
    }
    assert.throws(() => translateRequest([], CONTEXT), { message: 'body: must be an object.' });
  });
});
