import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';
import { nextCancellation, state } from './surroundings.ts';

const user = (content: string | vscode.LanguageModelToolResultPart[]) => vscode.LanguageModelChatMessage.User(content);
const assistant = (content: vscode.LanguageModelToolCallPart[]) => vscode.LanguageModelChatMessage.Assistant(content);

/** The model that the extension offers once it is connected. */
async function model(): Promise<vscode.LanguageModelChat> {
  await state('connected');
  const find = async () => (await vscode.lm.selectChatModels({ vendor: 'sealed-proxy', id: 'glm-5-2' }))[0];
  const found = await find();
  if (found !== undefined) return found;
  const changed = new Promise<void>((resolve) => {
    const subscription = vscode.lm.onDidChangeChatModels(() => {
      subscription.dispose();
      resolve();
    });
  });
  await withTimeout('the models', DEADLINE, changed);
  const later = await find();
  assert.ok(later);
  return later;
}

async function ask(
  messages: vscode.LanguageModelChatMessage[],
  options: vscode.LanguageModelChatRequestOptions = {},
): Promise<unknown[]> {
  const response = await (await model()).sendRequest(messages, options);
  const parts: unknown[] = [];
  for await (const part of response.stream) parts.push(part);
  return parts;
}

const textOf = (parts: readonly unknown[]) =>
  parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');

const READ: vscode.LanguageModelChatTool = {
  name: 'read_file',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

describe('Language models', () => {
  it('are the chat models of the backend, and no others', async () => {
    const { name, maxInputTokens, family, vendor } = await model();
    assert.deepEqual([name, family, vendor], ['Development GLM 5.2', 'glm-5-2', 'sealed-proxy']);
    assert.ok(maxInputTokens > 300_000);
    const ids = (await vscode.lm.selectChatModels({ vendor: 'sealed-proxy' })).map(({ id }) => id);
    assert.ok(ids.length > 3 && !ids.some((id) => /embed|whisper|tts/.test(id)), ids.join());
  });

  it('stream their responses in chunks', async () => {
    const parts = await ask([user('/repeat 30 sealed')]);
    assert.equal(textOf(parts).match(/sealed/g)?.length, 30);
    assert.ok(parts.length > 5, String(parts.length));
  });

  it('report the token usage of a response', async () => {
    const parts = await ask([user('/repeat 30 sealed')]);
    const [usage] = parts.filter((part) => part instanceof vscode.LanguageModelDataPart);
    assert.equal(usage?.mimeType, 'usage');
    const costs = JSON.parse(Buffer.from(usage.data).toString()) as Record<string, number>;
    const { prompt_tokens: input = 0, completion_tokens: output = 0, total_tokens: total } = costs;
    assert.ok(input > 0 && output >= 30, JSON.stringify(costs));
    assert.equal(total, input + output);
  });

  it('call a tool, with arguments joined from fragments, and use its result', async () => {
    const question = user('Look with read_file, please');
    const call = (await ask([question], { tools: [READ] })).find(
      (part) => part instanceof vscode.LanguageModelToolCallPart,
    );
    assert.ok(call instanceof vscode.LanguageModelToolCallPart);
    assert.equal(call.name, 'read_file');
    assert.equal(typeof (call.input as { path?: unknown }).path, 'string');
    const result = new vscode.LanguageModelToolResultPart(call.callId, [
      new vscode.LanguageModelTextPart('milk, bread'),
    ]);
    const answer = textOf(await ask([question, assistant([call]), user([result])], { tools: [READ] }));
    assert.match(answer, /milk, bread/);
  });

  it('get the text of a tool result that is a prompt of @vscode/prompt-tsx', async () => {
    const question = user('Look with read_file, please');
    const call = new vscode.LanguageModelToolCallPart('call_1', 'read_file', { path: 'a' });
    const prompt = { node: { type: 1, ctor: 2, children: [{ type: 2, text: 'milk, bread' }] } };
    const part = new vscode.LanguageModelPromptTsxPart(prompt);
    const result = new vscode.LanguageModelToolResultPart('call_1', [part]);
    assert.match(textOf(await ask([question, assistant([call]), user([result])], { tools: [READ] })), /milk, bread/);
  });

  it('count tokens, rather too many than too few', async () => {
    assert.ok((await (await model()).countTokens('Hello, world!')) >= 4);
  });

  it('report failures as the error types of the editor', async () => {
    for (const [status, kind, text] of [
      [429, 'Blocked', /busy/],
      [401, 'NoPermissions', /refused the API key/],
    ] as const) {
      await assert.rejects(ask([user(`/status ${status}`)]), (error) => {
        assert.ok(error instanceof vscode.LanguageModelError);
        assert.equal(error.code, kind);
        assert.match(error.message, text);
        return true;
      });
    }
    await assert.rejects(ask([user('/broken 3')]), /The model provider failed/);
  });

  it('report a response that was cut off as an error', async () => {
    const cutOff = ask([user('/repeat 30 sealed')], { modelOptions: { max_tokens: 5 } });
    await assert.rejects(cutOff, /cut off, because it reached the maximum length/);
  });

  it('cancel the request at the enclave at once', async () => {
    const source = new vscode.CancellationTokenSource();
    const response = await (await model()).sendRequest([user('/stall 3')], {}, source.token);
    const parts = response.stream[Symbol.asyncIterator]();
    assert.equal((await parts.next()).done, false);
    const noticed = nextCancellation();
    source.cancel();
    const rest = (async () => {
      while ((await parts.next()).done !== true);
    })().catch(() => undefined);
    await Promise.all([noticed, withTimeout('the end of the stream', DEADLINE, rest)]);
  });
});
