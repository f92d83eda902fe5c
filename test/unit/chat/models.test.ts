import assert from 'node:assert/strict';
import {
  DEFAULT_CONTEXT,
  DEFAULT_OUTPUT,
  chatModels,
  describeCapabilities,
  describeModel,
  embeddingModel,
  ignoredEfforts,
  nameInEditor,
} from '../../../src/chat/models.ts';
import type { ModelOverrides } from '../../../src/settings/modelOverrides.ts';

/** In the format of the real backend. */
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
const models = (...data: unknown[]) => chatModels({ object: 'list', data }, {});
const one = (change: object, override = {}) =>
  chatModels({ data: [{ ...GLM, ...change }] }, { 'glm-5-2': override })[0];

describe('chatModels()', () => {
  it('uses name, sizes and capabilities that the backend states', () => {
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

  it('returns the models that can chat, in their order', () => {
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

  it('recognizes chat models by capability, by task, or by a name that does not suggest otherwise', () => {
    assert.equal(models({ id: 'x', tasks: ['embed'], capabilities: { chat: true } }).length, 1);
    assert.equal(models({ id: 'x', tasks: ['generate'], capabilities: { chat: false } }).length, 0);
    assert.equal(models({ id: 'x' }).length, 1);
    for (const id of ['text-embedding-3-small', 'whisper-1', 'tts-1', 'bge-reranker'])
      assert.equal(models({ id }).length, 0);
  });

  it('has defaults for models without metadata', () => {
    const sizes = { maxInputTokens: DEFAULT_CONTEXT - DEFAULT_OUTPUT, maxOutputTokens: DEFAULT_OUTPUT };
    const abilities = { tools: true, images: false, reasoning: false };
    assert.deepEqual(models({ id: 'local' }), [{ id: 'local', name: 'local', ...sizes, ...abilities }]);
  });

  it('recognizes image input by task or capability', () => {
    assert.equal(one({ capabilities: undefined, tasks: ['generate', 'vision'] })?.images, true);
    assert.equal(one({ capabilities: { vision: true } })?.images, true);
    assert.equal(one({ capabilities: { vision: false }, tasks: ['generate', 'vision'] })?.images, false);
  });

  it('limits the output to a quarter of a small context window', () => {
    const small = one({ context_window: 8192 });
    assert.deepEqual([small?.maxInputTokens, small?.maxOutputTokens], [6144, 2048]);
  });

  it('reads the size fields of other servers, and ignores invalid sizes', () => {
    const bare = { context_window: undefined, max_context_tokens: undefined };
    assert.equal(one({ ...bare, max_model_len: 32_768 })?.maxInputTokens, 32_768 - 8192);
    for (const context_window of [0, -1, 1.5, '8192', Number.NaN, null, 1e300]) {
      assert.equal(one({ ...bare, context_window })?.maxInputTokens, DEFAULT_CONTEXT - DEFAULT_OUTPUT);
    }
    assert.equal(one({ max_output_tokens: 1000 })?.maxOutputTokens, 1000);
  });

  it('prefers what the user has set, and ignores invalid values', () => {
    const model = one({}, { contextWindow: 100_000, maxOutputTokens: 5000, tools: false, images: true });
    assert.deepEqual(
      [model?.maxInputTokens, model?.maxOutputTokens, model?.tools, model?.images],
      [95_000, 5000, false, true],
    );
    const nonsense = one({}, { contextWindow: 'much', tools: 'yes' });
    assert.deepEqual([nonsense?.maxInputTokens, nonsense?.tools], [384_000 - DEFAULT_OUTPUT, true]);
  });

  it('shortens names to one line', () => {
    assert.equal(one({ display_name: ' a\n\tb ' })?.name, 'a b');
    assert.equal(one({ display_name: 'x'.repeat(1000) })?.name.length, 100);
    assert.equal(one({ display_name: 7, short_name: '' })?.name, 'glm-5-2');
  });

  it('leaves out models with control characters in the id, or a very long one', () => {
    const bad = ['a\u001b[201~\rb', 'a\nb', 'a\u0003', 'a\u009b', 'a\u202eb', 'a\u2028b', '\ud800', 'x'.repeat(201)];
    for (const id of bad) assert.deepEqual(models({ ...GLM, id }), [], JSON.stringify(id));
    for (const id of ['kimi-k2/thinking:latest', 'Größe 7 (neu)', '模型'])
      assert.equal(models({ ...GLM, id })[0]?.id, id);
  });

  it('returns nothing if the input is not a model list', () => {
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

describe('embeddingModel()', () => {
  it('returns the first model for embeddings, by task or by name', () => {
    assert.equal(embeddingModel({ data: [GLM, EMBED, { id: 'other-embed' }] }), 'nomic-embed-text');
    assert.equal(embeddingModel({ data: [{ id: 'text-embedding-3-small' }] }), 'text-embedding-3-small');
    assert.equal(
      embeddingModel({
        data: [
          { id: 'embed', tasks: ['generate'] },
          { id: '', tasks: ['embed'] },
        ],
      }),
      undefined,
    );
    assert.equal(embeddingModel(undefined), undefined);
  });
});

describe('nameInEditor()', () => {
  it('calls a model sealed only if its backend must be attested', () => {
    const [model] = models(GLM);
    assert.ok(model);
    assert.equal(nameInEditor(model, true), 'Sealed GLM 5.2');
    assert.equal(nameInEditor(model, false), 'Development GLM 5.2');
  });
});

describe('describeModel()', () => {
  it('mentions a verified enclave only if the backend must be attested', () => {
    const [model] = models(GLM);
    assert.ok(model);
    const plain = { ...model, reasoning: false };
    assert.match(describeModel(plain, true), /^GLM 5\.2 .* go only to a verified enclave\.$/);
    assert.match(describeModel(plain, false), /go to a development backend, which is not verified\.$/);
    assert.match(describeModel({ ...plain, reasoning: true }, true), /enclave\. It reasons before it answers\.$/);
  });
});

describe('ignoredEfforts()', () => {
  it('names the models that get no reasoning effort although the user has set one', () => {
    const list = { data: [GLM, { ...GLM, id: 'plain', capabilities: { chat: true } }, EMBED] };
    const ignored = (overrides: object) => ignoredEfforts(list, overrides as ModelOverrides);
    assert.deepEqual(ignored({}), []);
    assert.deepEqual(ignored({ 'glm-5-2': { reasoningEffort: 'high' }, elsewhere: { reasoningEffort: 'low' } }), []);
    assert.match(
      ignored({ plain: { reasoningEffort: 'high' } }).join('|'),
      /^The reasoningEffort of plain in sealedProxy\.modelOverrides is ignored: the backend does not report .*\.$/,
    );
    assert.match(ignored({ 'glm-5-2': { reasoningEffort: 'much' } }).join('|'), /must be one of none, .*max\.$/);
    assert.equal(chatModels(list, { 'glm-5-2': { reasoningEffort: 'high' } })[0]?.reasoningEffort, 'high');
    for (const [id, reasoningEffort] of [
      ['plain', 'high'],
      ['glm-5-2', 'much'],
    ] as const)
      for (const model of chatModels(list, { [id]: { reasoningEffort } } as ModelOverrides))
        assert.ok(!('reasoningEffort' in model));
  });
});

describe('describeCapabilities()', () => {
  const model = {
    id: 'glm-5-2',
    name: 'GLM 5.2',
    maxInputTokens: 98_304,
    maxOutputTokens: 32_768,
    tools: true,
    images: false,
    reasoning: false,
  };

  it('names the context and what the model can do', () => {
    assert.equal(describeCapabilities(model), '131k tokens of context · calls tools');
    assert.equal(
      describeCapabilities({ ...model, maxInputTokens: 968_000, images: true, reasoning: true }),
      '1,001k tokens of context · calls tools · reads images · reasons',
    );
  });

  it('warns of a model that calls no tools', () => {
    assert.match(
      describeCapabilities({ ...model, tools: false }),
      /calls no tools, so an agent cannot read or change files/,
    );
  });
});
