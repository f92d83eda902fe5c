import assert from 'node:assert/strict';
import { createModel } from '../../../../src/devEnclave/model/model.ts';
import { CHAT_PATH, apiRequest, ask } from '../../../support/devEnclave/apiClient.ts';
import { WORKSPACE, wrapped } from '../../../support/devEnclave/editorPrompts.ts';

const READ_FILE = {
  type: 'function',
  function: {
    name: 'read_file',
    parameters: {
      type: 'object',
      properties: {
        filePath: { type: 'string' },
        startLine: { type: 'number' },
        endLine: { type: 'number' },
      },
      required: ['filePath', 'startLine', 'endLine'],
    },
  },
};

interface Completion {
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string | null;
        readonly reasoning?: string;
        readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
      };
    },
  ];
}

describe("createModel(): VS Code's chat", () => {
  const model = createModel({ paceMs: 0 });
  const complete = async (words: string, ...more: readonly object[]) => {
    const messages = [WORKSPACE, wrapped(words)].map((content) => ({ role: 'user', content }));
    const body = { model: 'glm-5-2', messages: [...messages, ...more], tools: [READ_FILE] };
    const answer = await ask(model, apiRequest(CHAT_PATH, body));
    return (answer.json() as Completion).choices[0].message;
  };

  it("repeats the user's own words, and calls no tool that the editor mentions", async () => {
    const { content, reasoning, tool_calls: calls } = await complete('Hello there!');
    assert.equal(content, 'You said: Hello there!');
    assert.match(reasoning ?? '', /^The message has 2 words\./);
    assert.equal(calls, undefined);
  });

  it('reads the file that the user names, and shows its content', async () => {
    const { content, tool_calls: calls } = await complete('What does shop.mjs do?');
    assert.equal(content, null);
    assert.deepEqual(
      calls?.map(({ function: call }) => [call.name, JSON.parse(call.arguments) as unknown]),
      [['read_file', { filePath: '/home/ada/the shop/shop.mjs', startLine: 1, endLine: 100 }]],
    );
    const result = { role: 'tool', tool_call_id: 'call_0', content: 'one();\ntwo();\n' };
    const after = await complete(
      'What does shop.mjs do?',
      { role: 'assistant', content: null, tool_calls: [] },
      result,
    );
    assert.equal(after.content, 'The tool answered: \n\n~~~\none();\ntwo();\n~~~\n');
  });

  it('gives a conversation a title', async () => {
    assert.equal(
      (await complete('Please write a brief title for the following request:\n\nWhat is this?')).content,
      'What is this?',
    );
  });
});
