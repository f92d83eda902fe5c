// A user of VS Code's own chat with the models of Sealed Proxy. The tests write the responses while the chat shows them.
// Each test continues where the previous one ended.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { ScriptedModel } from '../../support/vscode/scriptedModel.ts';
import type { PendingChat } from '../../support/vscode/scriptedModel.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe("VS Code's chat", () => {
  const scope = perSuite();
  const model = new ScriptedModel();
  const nonce = randomBytes(8).toString('hex');
  let notes: string;
  let picture: string;
  let window: Workbench;
  let chat: ChatView;

  before(async function () {
    const enclave = await scope.enclave({ handler: model.handler });
    const editor = await Editor.start({
      'sealedProxy.backendUrl': enclave.url,
      'sealedProxy.port': await freePort(),
      'chat.disableAIFeatures': false,
    });
    scope.onClose(() => editor.stop());
    notes = join(editor.profile.folder('project'), 'notes.txt');
    writeFileSync(notes, `The word is ${nonce}.\n`);
    picture = join(editor.profile.folder('project'), 'picture.png');
    copyFileSync(fromRoot('media/icon.png'), picture);
    window = await editor.open('project');
    await window.waitForStatus('Sealed Proxy: set API key', 'key');
    await window.setApiKey('dev-the-key-of-a-user');
    await window.waitForStatus('Sealed Proxy: development');
    await window.dismiss('API key accepted. The backend offers 6 chat models, 2 others.');
    chat = await ChatView.open(window);
  });

  it('lists the models that call tools in the model picker', async () => {
    const models = await chat.models('chat-models');
    const offered = models.flatMap((row) => /^(.*)\nSealed Proxy$/.exec(row)?.[1] ?? []);
    const names = ['DeepSeek V4 Flash', 'Gemma 4 31B', 'GLM 5.2', 'GPT-OSS 120B', 'Kimi K2.6'];
    assert.deepEqual(
      offered,
      names.map((name) => `Development ${name}`),
    );
    await chat.choose('Development GLM 5.2');
  });

  it('shows reasoning as thinking, the response while it streams, and how full the context is', async () => {
    const question = await ask('What is sealed here?');
    assert.equal(question.body.model, 'glm-5-2');
    question.think('They want to know what is sealed. ');
    await chat.thinking.getByText('They want to know what is sealed.').waitFor();
    await window.screenshot('chat-thinking');
    question.say('Here is the first half. ');
    await chat.answer.getByText('Here is the first half.').waitFor();
    await window.screenshot('chat-half');
    question.say('There is the second half.');
    question.finish(100_000, 9000, 'stop', { completion_tokens_details: { reasoning_tokens: 8000 } });
    await chat.answer.getByText('Here is the first half. There is the second half.').waitFor();
    assert.match(await chat.contextUsage('chat-whole'), /109\.0K \/ 384K tokens/);
  });

  it('runs a tool, and sends its result to the model', async () => {
    const words = 'What do the notes say?';
    const question = await ask(words);
    assert.ok(question.body.tools?.some(({ function: { name } }) => name === 'read_file'));
    question.call('read_file', { filePath: notes, startLine: 1, endLine: 2 });
    question.finish(100, 5);
    const next = await model.nextChat(words);
    await chat.thinking.getByText('notes.txt').waitFor();
    await window.screenshot('chat-tool');
    const [call, result] = next.body.messages.slice(-2);
    assert.equal(call?.role, 'assistant');
    assert.deepEqual([result?.role, result?.content], ['tool', `The word is ${nonce}.\n`]);
    next.say(`They say ${nonce}.`);
    next.finish(110_000, 7);
    await chat.answer.getByText(`They say ${nonce}.`).waitFor();
    assert.match(await chat.contextUsage('chat-usage-tool'), /110\.0K \/ 384K tokens/);
  });

  it('shows an estimate of how full the context is if the backend does not report it', async () => {
    const question = await ask('How full is it?');
    question.say('word '.repeat(2000));
    question.finishWithoutUsage();
    const [, used] = /(\d{1,3}\.\d)K \/ 384K tokens/.exec(await chat.contextUsage('chat-usage-estimate')) ?? [];
    assert.ok(Number(used) > 2 && Number(used) < 100, used);
  });

  it('sends the reasoning effort that the user has chosen in the model picker', async () => {
    await chat.chooseEffort('High', 'chat-effort');
    const question = await ask('Think hard.');
    assert.equal(question.body.reasoning_effort, 'high');
    question.say('Done.');
    question.finish(100, 5);
    await chat.answer.getByText('Done.').waitFor();
    await chat.chooseEffort('Auto', 'chat-effort-auto');
    const next = await ask('As you like.');
    assert.equal(next.body.reasoning_effort, undefined);
    next.say('Done again.');
    next.finish(100, 5);
    await chat.answer.getByText('Done again.').waitFor();
  });

  it('sends an image from a tool after the results of all tools', async () => {
    const words = 'What is in the picture?';
    await chat.choose('Development Kimi K2.6');
    const question = await ask(words);
    assert.equal(question.body.model, 'kimi-k2-6');
    question.call('view_image', { filePath: picture });
    question.call('read_file', { filePath: notes, startLine: 1, endLine: 2 });
    question.finish(100, 5);
    const next = await model.nextChat(words);
    const messages = next.body.messages.slice(-3);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['tool', 'tool', 'user'],
    );
    assert.match(JSON.stringify(messages[2]), /"url":"data:image\/png;base64,/);
    next.say('It is an icon. ');
    next.finish(120, 7);
    await chat.answer.getByText('It is an icon.').waitFor();
    await window.screenshot('chat-picture');
  });

  it('cancels the request at the enclave as soon as the user stops a response', async () => {
    const question = await ask('Talk on and on.');
    question.say('One word and another. ');
    await chat.answer.getByText('One word and another.').waitFor();
    await chat.stop();
    await withTimeout('the end of the response', DEADLINE, question.over);
    assert.ok(question.isCancelled);
    await window.screenshot('chat-stopped');
    // The editor drops what a cancelled response reports: the gauge still shows the response before it.
    assert.match(await chat.contextUsage('chat-usage-stopped'), /\b127 \/ 256K tokens/);
    assert.equal(await chat.answer.getByText('One word and another.').count(), 1);
  });

  it('says below a response that it was cut off', async () => {
    const question = await ask('Tell me a long story.');
    question.say('Once upon a time, ');
    question.finish(100, 5, 'length');
    await chat.answer.getByText('The response was cut off, because it reached the maximum length.').waitFor();
    assert.equal(await chat.answer.getByText('Once upon a time,').count(), 1);
    await window.screenshot('chat-cut-off');
    const next = await ask('Continue.');
    assert.ok(
      next.body.messages.some(({ role, content }) => role === 'assistant' && /Once upon/.test(String(content))),
    );
    next.say('there was a seal.');
    next.finish(100, 5);
    await chat.answer.getByText('there was a seal.').waitFor();
  });

  it('explains in one sentence why a request failed', async () => {
    const question = await ask('Are you busy?');
    question.refuse(429, 'Too many at once.', '7');
    const message = 'The backend is busy. Try again in 7 s. Details: Too many at once.';
    await chat.answer.getByText(message).waitFor();
    await window.screenshot('chat-refused');
    assert.doesNotMatch(await chat.answer.innerText(), /:\d+:\d+/, 'no stack trace');
  });

  async function ask(words: string): Promise<PendingChat> {
    await chat.ask(words);
    return model.nextChat(words);
  }
});
