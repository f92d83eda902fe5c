// One person who talks to our models in VS Code's own chat. The answers are written while the person reads them. The tests
// stand on one another.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { perSuite } from '../../support/e2e/scope.ts';
import { withTimeout } from '../../support/withTimeout.ts';
import { abortedAt, assertAtOnce, noteAbort } from '../../support/vscode/abortClock.ts';
import { ChatView } from '../../support/vscode/chatView.ts';
import { Editor } from '../../support/vscode/editor.ts';
import { ScriptedModel } from '../../support/vscode/scriptedModel.ts';
import type { Question } from '../../support/vscode/scriptedModel.ts';
import { VISIBLE } from '../../support/vscode/workbench.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';

describe("A person in VS Code's own chat", () => {
  const scope = perSuite();
  const model = new ScriptedModel();
  const nonce = randomBytes(8).toString('hex');
  let notes: string;
  let picture: string;
  let window: Workbench;
  let chat: ChatView;

  before(async function () {
    this.timeout(120_000);
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
    await window.waitForStatus('Sealed Proxy', 'key');
    await window.setApiKey('dev-the-key-of-a-person');
    await window.waitForStatus('development 8');
    await window.dismiss('API key accepted, 8 models.');
    chat = await ChatView.open(window);
  });

  it('finds the models that call tools in the picker, and chooses one', async () => {
    const models = await chat.models('chat-models');
    const ours = models.flatMap((row) => /^(.*)\nSealed Proxy$/.exec(row)?.[1] ?? []);
    assert.deepEqual(ours, ['DeepSeek V4 Flash', 'Gemma 4 31B', 'GLM 5.2', 'GPT-OSS 120B', 'Kimi K2.6']);
    await chat.choose('GLM 5.2');
  });

  it('sees reasoning as thinking, the answer while it is made, and how full the context is', async () => {
    const question = await ask('What is sealed here?');
    assert.equal(question.body.model, 'glm-5-2');
    question.think('They want to know what is sealed. ');
    await chat.thinking.getByText('They want to know what is sealed.').waitFor();
    await window.screenshot('chat-thinking');
    question.say('Here is the first half. ');
    await chat.answer.getByText('Here is the first half.').waitFor();
    await window.screenshot('chat-half');
    question.say('There is the second half.');
    question.finish(100_000, 50);
    await chat.answer.getByText('Here is the first half. There is the second half.').waitFor();
    assert.match(await chat.contextUsage('chat-whole'), /100\.0K \/ 384K tokens/);
  });

  it('sees that a tool is used, and the model gets what it has found', async () => {
    const words = 'What do the notes say?';
    const question = await ask(words);
    assert.ok(question.body.tools?.some(({ function: { name } }) => name === 'read_file'));
    question.call('read_file', { filePath: notes, startLine: 1, endLine: 2 });
    question.finish(100, 5);
    const next = await model.asked(words, VISIBLE);
    await chat.thinking.getByText('notes.txt').waitFor();
    await window.screenshot('chat-tool');
    const [call, result] = next.body.messages.slice(-2);
    assert.equal(call?.role, 'assistant');
    assert.deepEqual([result?.role, result?.content], ['tool', `The word is ${nonce}.\n`]);
    next.say(`They say ${nonce}.`);
    next.finish(120, 7);
    await chat.answer.getByText(`They say ${nonce}.`).waitFor();
  });

  it('shows another model a picture by a tool, behind the results of all tools', async () => {
    const words = 'What is in the picture?';
    await chat.choose('Kimi K2.6');
    const question = await ask(words);
    assert.equal(question.body.model, 'kimi-k2-6');
    question.call('view_image', { filePath: picture });
    question.call('read_file', { filePath: notes, startLine: 1, endLine: 2 });
    question.finish(100, 5);
    const next = await model.asked(words, VISIBLE);
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

  it('stops an answer, and the enclave knows at once', async () => {
    await assertAtOnce(async () => {
      const question = await ask('Talk on and on.');
      question.say('One word and another. ');
      await chat.answer.getByText('One word and another.').waitFor();
      await window.bridge.run(noteAbort, undefined);
      await chat.stop();
      const gone = await withTimeout('the end of the answer', VISIBLE, question.over);
      assert.ok(question.isCancelled);
      return { told: await window.bridge.run(abortedAt, undefined), gone };
    });
    await window.screenshot('chat-stopped');
    assert.equal(await chat.answer.getByText('One word and another.').count(), 1);
  });

  it('is told in one sentence why there is no answer', async () => {
    const question = await ask('Are you busy?');
    question.refuse(429, 'Too many at once.', '7');
    const sentence = 'The backend is busy. Try again in 7 s. Details: Too many at once.';
    await chat.answer.getByText(sentence).waitFor();
    await window.screenshot('chat-refused');
    assert.doesNotMatch(await chat.answer.innerText(), /:\d+:\d+/, 'no stack');
  });

  async function ask(words: string): Promise<Question> {
    await chat.ask(words);
    return model.asked(words, VISIBLE);
  }
});
