import assert from 'node:assert/strict';
import { DEFAULT_CONTEXT, DEFAULT_OUTPUT, chatModels, describeModel } from '../../../src/chat/models.ts';

/** As the real backend describes it. */
const GLM = {
  id: 'glm-5-2',
  object: 'model',
  created: 0,
  owned_by: 'opensecret',
  tasks: ['generate'],
  display_name: 'GLM 5.2',
  short_name: 'GLM 5.2',
  context_window: 384_000,
  max_context_tokens: 384_000,
  access: 'pro',
  capabilities: { chat: true, vision: false, reasoning: true, tool_use: true },
  badges: ['Coding'],
};
const EMBED = { id: 'nomic-embed-text', object: 'model', tasks: ['embed'], display_name: 'Nomic', short_name: 'Nomic' };
const VERIFIED = {
  environment: 'production',
  pcr0: '0'.repeat(96),
  approvedBy: 'pinned',
  moduleId: 'i-0',
  timestamp: 0,
  certificateNotBefore: 0,
  certificateNotAfter: 0,
  document: '',
} as const;
const models = (...data: unknown[]) => chatModels({ object: 'list', data }, {});
const one = (change: object, override = {}) =>
  chatModels({ data: [{ ...GLM, ...change }] }, { 'glm-5-2': override })[0];

describe('The chat models of a list', () => {
  it('have name, sizes and abilities as the backend states them', () => {
    assert.deepEqual(models(GLM), [
      {
        id: 'glm-5-2',
        name: 'GLM 5.2',
        maxInputTokens: 384_000 - DEFAULT_OUTPUT,
        maxOutputTokens: DEFAULT_OUTPUT,
        tools: true,
        images: false,
        reasoning: true,
      },
    ]);
  });

  it('are those that chat, in their order', () => {
    const speech = [
      { id: 'whisper', tasks: ['transcribe'] },
      { id: 'kokoro', tasks: ['speech'] },
    ];
    const list = models({ id: 'b', tasks: ['generate'] }, EMBED, ...speech, { id: 'a', tasks: ['generate', 'vision'] });
    assert.deepEqual(
      list.map(({ id }) => id),
      ['b', 'a'],
    );
  });

  it('chat where the backend says so in any way, or says nothing and the name does not speak against it', () => {
    assert.equal(models({ id: 'x', tasks: ['embed'], capabilities: { chat: true } }).length, 1);
    assert.equal(models({ id: 'x', tasks: ['generate'], capabilities: { chat: false } }).length, 0);
    assert.equal(models({ id: 'x' }).length, 1);
    for (const id of ['text-embedding-3-small', 'whisper-1', 'tts-1', 'bge-reranker'])
      assert.equal(models({ id }).length, 0);
  });

  it('have sane sizes and abilities where the backend says nothing', () => {
    const sizes = { maxInputTokens: DEFAULT_CONTEXT - DEFAULT_OUTPUT, maxOutputTokens: DEFAULT_OUTPUT };
    const abilities = { tools: true, images: false, reasoning: false };
    assert.deepEqual(models({ id: 'local' }), [{ id: 'local', name: 'local', ...sizes, ...abilities }]);
  });

  it('see images where a task or an ability says so', () => {
    assert.equal(one({ capabilities: undefined, tasks: ['generate', 'vision'] })?.images, true);
    assert.equal(one({ capabilities: { vision: true } })?.images, true);
    assert.equal(one({ capabilities: { vision: false }, tasks: ['generate', 'vision'] })?.images, false);
  });

  it('never give more than a quarter of a small context', () => {
    const small = one({ context_window: 8192 });
    assert.deepEqual([small?.maxInputTokens, small?.maxOutputTokens], [6144, 2048]);
  });

  it('take the sizes of other servers, and none that is no size', () => {
    const bare = { context_window: undefined, max_context_tokens: undefined };
    assert.equal(one({ ...bare, max_model_len: 32_768 })?.maxInputTokens, 32_768 - 8192);
    for (const context_window of [0, -1, 1.5, '8192', Number.NaN, null, 1e300]) {
      assert.equal(one({ ...bare, context_window })?.maxInputTokens, DEFAULT_CONTEXT - DEFAULT_OUTPUT);
    }
    assert.equal(one({ max_output_tokens: 1000 })?.maxOutputTokens, 1000);
  });

  it('are what a person says they are', () => {
    const model = one({}, { contextWindow: 100_000, maxOutputTokens: 5000, tools: false, images: true });
    assert.deepEqual(
      [model?.maxInputTokens, model?.maxOutputTokens, model?.tools, model?.images],
      [95_000, 5000, false, true],
    );
    const nonsense = one({}, { contextWindow: 'much', tools: 'yes' });
    assert.deepEqual([nonsense?.maxInputTokens, nonsense?.tools], [384_000 - DEFAULT_OUTPUT, true]);
  });

  it('have a name of one line, whatever the backend sends', () => {
    assert.equal(one({ display_name: ' a\n\tb ' })?.name, 'a b');
    assert.equal(one({ display_name: 'x'.repeat(1000) })?.name.length, 100);
    assert.equal(one({ display_name: 7, short_name: '' })?.name, 'glm-5-2');
  });

  it('have no id that would steer a terminal, and none without end', () => {
    const bad = ['a\u001b[201~\rb', 'a\nb', 'a\u0003', 'a\u009b', 'a\u202eb', 'a\u2028b', '\ud800', 'x'.repeat(201)];
    for (const id of bad) assert.deepEqual(models({ ...GLM, id }), [], JSON.stringify(id));
    for (const id of ['kimi-k2/thinking:latest', 'Größe 7 (neu)', '模型'])
      assert.equal(models({ ...GLM, id })[0]?.id, id);
  });

  it('are none in what is no list', () => {
    for (const list of [
      undefined,
      null,
      7,
      'x',
      [],
      {},
      { data: {} },
      { data: [null, 7, {}, { id: '' }, { id: 7 }] },
    ]) {
      assert.deepEqual(chatModels(list, {}), []);
    }
  });
});

describe('The session with a model', () => {
  const t = (message: string, name: unknown) => message.replace('{0}', String(name));

  it('is called verified where it is, and nowhere else', () => {
    const verified = { ...VERIFIED, kind: 'verified' } as const;
    const [model] = models(GLM);
    assert.ok(model);
    const plain = { ...model, reasoning: false };
    assert.match(describeModel(plain, verified, t), /^GLM 5\.2, .* into a verified enclave$/);
    const development = { kind: 'development', moduleId: null } as const;
    assert.match(describeModel(plain, development, t), /to a development backend, which is not verified$/);
    assert.doesNotMatch(describeModel(plain, null, t), /verified/);
    const reasoning = { ...plain, reasoning: true };
    assert.match(
      describeModel(reasoning, null, t),
      /^GLM 5\.2, over an encrypted session\. It reasons before it answers\.$/,
    );
  });
});
