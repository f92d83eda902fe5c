import assert from 'node:assert/strict';
import { readConversation } from '../../../../src/dialects/messages/conversation.ts';
import { IMAGE } from '../../../support/messagesRequests.ts';
import { translateMessages } from '../../../support/translateMessages.ts';

const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'Read', input });
const result = (id: string, content: unknown = `Result of ${id}`, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});
const image = (data = IMAGE) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: readonly object[]) => ({ role: 'user', content });
const assistant = (...content: readonly object[]) => ({ role: 'assistant', content });

const imagePart = (data = IMAGE) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } });
const call = (id: string, json = '{}') => ({ id, type: 'function', function: { name: 'Read', arguments: json } });
const tool = (id: string, content = `Result of ${id}`) => ({ role: 'tool', tool_call_id: id, content });
const rejects = (message: object, problem: RegExp) => {
  assert.throws(() => readConversation([message], true), { name: 'DialectError', status: 400, message: problem });
};

describe('readConversation()', () => {
  it('keeps system and developer messages where they stand', () => {
    assert.deepEqual(
      translateMessages(
        user(text('One')),
        { role: 'system', content: [text('Two'), text('Three')] },
        { role: 'developer', content: 'Four' },
        assistant(text('Five')),
        user(text('Six')),
      ),
      [
        { role: 'user', content: 'One' },
        { role: 'system', content: 'Two\n\nThree' },
        { role: 'system', content: 'Four' },
        { role: 'assistant', content: 'Five' },
        { role: 'user', content: 'Six' },
      ],
    );
  });

  it('puts results directly after their calls, whatever stands between or before them', () => {
    assert.deepEqual(
      translateMessages(
        assistant(use('a'), use('b')),
        { role: 'system', content: 'Meanwhile' },
        user(text('Before'), result('b'), text('After')),
        user(result('a'), text('Last')),
      ),
      [
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        tool('b'),
        tool('a'),
        { role: 'system', content: 'Meanwhile' },
        { role: 'user', content: 'Before\n\nAfter' },
        { role: 'user', content: 'Last' },
      ],
    );
  });

  it('puts the results of one message in the order of the calls, because many models are not shown the IDs', () => {
    const content = [result('c'), result('a'), result('b', [image()])];
    const [, ...messages] = translateMessages(assistant(use('a'), use('b'), use('c')), user(...content));
    assert.deepEqual(
      messages.map((message) => ('tool_call_id' in message ? message.tool_call_id : message.role)),
      ['a', 'b', 'c', 'user'],
    );
  });

  for (const [name, messages, problem] of [
    [
      'a call that has no result before the model goes on',
      [user(text('One')), assistant(use('a'), use('b')), user(result('a')), assistant(text('Yes')), user(text('Go'))],
      /^messages\[1\]: the tool_use block "b" has no tool_result in the next message of the user\./,
    ],
    [
      'a call that has no result at the end',
      [assistant(use('a')), user(text('Stop'))],
      /^messages\[0\]: the tool_use block "a" has no tool_result/,
    ],
    [
      'a result without a call',
      [user(text('One')), assistant(text('Yes')), user(text('Two'), result('a'))],
      /^messages\[2\]\.content\[1\]: the tool_result for "a" has no tool_use block with this id in the message before it\./,
    ],
    [
      'a result that belongs to an earlier message',
      [assistant(use('a')), user(result('a')), assistant(use('b')), user(result('a'), result('b'))],
      /^messages\[3\]\.content\[0\]: the tool_result for "a"/,
    ],
    [
      'a second result',
      [assistant(use('a')), user(result('a'), result('a'))],
      /^messages\[1\]\.content\[1\]: the tool_result for "a"/,
    ],
    [
      'two calls with the same id',
      [assistant(use('a'), use('a')), user(result('a'))],
      /^messages\[0\]: two tool_use blocks have the id "a"\./,
    ],
    [
      'two calls with the same id in messages that follow each other',
      [assistant(use('a')), assistant(use('a')), user(result('a'))],
      /^messages\[1\]: two tool_use blocks have the id "a"\./,
    ],
  ] as const) {
    it(`rejects ${name}, and names the message`, () => {
      assert.throws(() => translateMessages(...messages), { name: 'DialectError', status: 400, message: problem });
    });
  }

  it('accepts an id again once its call has a result, because some backends use the same ones in each turn', () => {
    const messages = translateMessages(assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a')));
    assert.equal(messages.length, 4);
  });

  it('sends images of results after all results of the turn', () => {
    assert.deepEqual(
      translateMessages(
        assistant(use('a'), use('b')),
        user(result('a', [text('A'), image('aaaa')]), result('b', [image('bbbb')]), text('Compare them')),
      ),
      [
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        tool('a', 'A'),
        tool('b', 'The result is in the next message of the user.'),
        {
          role: 'user',
          content: [
            { type: 'text', text: 'The result of the tool call a:' },
            imagePart('aaaa'),
            { type: 'text', text: 'The result of the tool call b:' },
            imagePart('bbbb'),
            { type: 'text', text: 'Compare them' },
          ],
        },
      ],
    );
  });

  it('tells the model when a tool failed', () => {
    assert.deepEqual(translateMessages(assistant(use('a')), user(result('a', 'No file', { is_error: true }))).at(-1), {
      ...tool('a', 'The tool failed:\nNo file'),
    });
  });

  it('accepts results without content, and of several blocks', () => {
    const results = (content: unknown) => translateMessages(assistant(use('a')), user(result('a', content))).slice(1);
    assert.deepEqual(results(null), [tool('a', '')]);
    assert.deepEqual(results([]), [tool('a', '')]);
    assert.deepEqual(results([text('One'), text('Two')]), [tool('a', 'One\n\nTwo')]);
  });

  it('tells a model what it cannot read in a result, because rejecting it would end the conversation', () => {
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
    const entries = [assistant(use('a'), use('b')), user(result('a', [image()]), result('b', [text('PDF'), pdf]))];
    const { messages } = readConversation(entries, false);
    assert.deepEqual(messages.slice(1), [
      tool('a', 'The tool returned an image, which this model cannot see.'),
      tool('b', 'PDF\n\nThe tool returned a PDF document, which this model cannot read. Convert it to text.'),
    ]);
  });

  it('gives thinking back to the model as reasoning, without what is empty or encrypted', () => {
    assert.deepEqual(
      translateMessages(
        assistant(
          { type: 'thinking', thinking: 'One. ', signature: 'a' },
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'redacted_thinking', data: 'abc' },
          { type: 'thinking', thinking: 'Two.', signature: 'b' },
          text('Yes'),
          text(' and no'),
        ),
        assistant(use('a', { path: 'x', lines: [1, 2] })),
        user(result('a')),
      )[0],
      {
        role: 'assistant',
        content: 'Yes and no',
        reasoning: 'One. Two.',
        tool_calls: [call('a', '{"path":"x","lines":[1,2]}')],
      },
    );
  });

  it('joins parallel calls that come as several messages', () => {
    assert.deepEqual(translateMessages(assistant(use('a')), assistant(use('b')), user(result('a'), result('b'))), [
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      tool('a'),
      tool('b'),
    ]);
  });

  it('drops a system message that is only for the next answer, once the user has gone on', () => {
    const hint = { role: 'system', content: 'Hint', clear_at: 'next_user_message' };
    assert.equal(translateMessages(user(text('One')), hint).length, 2);
    assert.equal(translateMessages(user(text('One')), hint, assistant(text('Yes')), user(text('Two'))).length, 3);
  });

  it('takes the effort of a system message for its turn only', () => {
    const effortOf = (...messages: readonly object[]) => readConversation(messages, true).effort;
    const high = { role: 'system', output_config: { effort: 'high' } };
    assert.equal(effortOf(user(text('One')), high), 'high');
    assert.equal(effortOf(user(text('One')), high, assistant(use('a')), user(result('a'))), 'high');
    assert.equal(effortOf(user(text('One')), high, assistant(text('Yes')), user(text('Two'))), undefined);
  });

  it('reports which tools the messages offer, define and withdraw', () => {
    const change = (type: string, tool: object) => ({ type, tool });
    const definition = { name: 'New', input_schema: {} };
    const { toolChanges, messages } = readConversation(
      [
        assistant(use('a')),
        user(result('a', [{ type: 'tool_reference', tool_name: 'WebFetch' }])),
        {
          role: 'system',
          content: [
            change('tool_addition', { type: 'tool_reference', name: 'Read' }),
            change('tool_removal', { type: 'tool_reference', name: 'Bash' }),
            change('tool_addition', { type: 'tool_definition', definition }),
          ],
        },
      ],
      true,
    );
    assert.equal(messages.length, 2);
    assert.deepEqual(toolChanges, [
      { kind: 'offer', name: 'WebFetch' },
      { kind: 'offer', name: 'Read' },
      { kind: 'withdraw', name: 'Bash' },
      { kind: 'define', path: 'messages[2].content[2].tool.definition', definition },
    ]);
    rejects(
      { role: 'system', content: [change('tool_addition', { type: 'mcp_toolset_reference' })] },
      /tool\.type: must/,
    );
  });

  it('rejects what it cannot translate, with the path of the block', () => {
    for (const [message, problem] of [
      [assistant(text('a'), image()), /^messages\[0\]\.content\[1\]\.type: blocks of type "image"/],
      [assistant({ type: 'server_tool_use', id: 'a' }), /content\[0\]\.type: blocks of type "server_tool_use"/],
      [user({ type: 'container_upload', file_id: 'a' }), /blocks of type "container_upload" are not supported/],
      [user({ type: 'constructor' }), /blocks of type "constructor" are not supported/],
      [{ role: 'system', content: [image()] }, /blocks of type "image" are not supported/],
      [user(result('a', [{ type: 'browser_state' }])), /content\[0\]\.content\[0\]\.type/],
      [user({ ...result('a'), tool_use_id: 5 }), /content\[0\]\.tool_use_id: must be a string/],
      [assistant(use('a', 'text')), /content\[0\]\.input: must be an object/],
      [assistant({ type: 'thinking', thinking: null }), /content\[0\]\.thinking: must be a string/],
      [{ role: 'user', content: 5 }, /^messages\[0\]\.content: must be a string or an array of blocks\.$/],
    ] as const) {
      rejects(message, problem);
    }
  });
});
