import assert from 'node:assert/strict';
import { findModel, offeredModel } from '../../../src/dialects/requestModel.ts';

const modelList = {
  data: [
    { id: 'thinker', capabilities: { reasoning: true, vision: false }, context_window: 1000 },
    { id: 'talker' },
    { id: 'text-embedder' },
  ],
};

describe('findModel()', () => {
  it('finds the model that was asked for, also if there is a replacement', () => {
    assert.deepEqual(findModel('thinker', { modelList, replacementModel: 'talker' }, 'messages'), {
      id: 'thinker',
      isReplacement: false,
      reasons: true,
      seesImages: false,
      contextWindow: 1000,
    });
  });

  it('replaces a name that the backend does not offer', () => {
    for (const name of ['gpt-5', '', 'text-embedder']) {
      assert.deepEqual(findModel(name, { modelList, replacementModel: 'talker' }, 'messages'), {
        id: 'talker',
        isReplacement: true,
        reasons: false,
        seesImages: true,
        contextWindow: undefined,
      });
    }
  });

  it('does not replace a name that is too long for one', () => {
    assert.throws(
      () => findModel('x'.repeat(201), { modelList, replacementModel: 'talker' }, 'messages'),
      /^DialectError: The backend does not offer the model "x{200}"/,
    );
  });

  it('names the models if there is no replacement, or the backend does not offer it either', () => {
    const rejection = (message: string) => ({
      name: 'DialectError',
      status: 404,
      param: 'model',
      code: 'model_not_found',
      message,
    });
    assert.throws(
      () => findModel('gpt-5', { modelList, replacementModel: undefined }, 'messages'),
      rejection(
        'The backend does not offer the model "gpt-5". Its models: thinker, talker. Use one of them, or set sealedProxy.messagesModel (PROXY_MESSAGES_MODEL) to one of them.',
      ),
    );
    assert.throws(
      () => findModel('gpt-5', { modelList: undefined, replacementModel: 'gone' }, 'responses'),
      rejection(
        'The backend does not offer the model "gpt-5" or its replacement "gone". Its models: none. Use one of them, or set sealedProxy.responsesModel (PROXY_RESPONSES_MODEL) to one of them.',
      ),
    );
  });
});

describe('offeredModel()', () => {
  it('finds the metadata of a model', () => {
    assert.equal(offeredModel(modelList, 'thinker')['context_window'], 1000);
  });

  it('names the models, and no replacement: metadata is never that of another model', () => {
    for (const id of ['gpt-5', 'text-embedder']) {
      assert.throws(() => offeredModel(modelList, id), {
        status: 404,
        code: 'model_not_found',
        message: `The backend does not offer the model "${id}". Its models: thinker, talker. Use one of them.`,
      });
    }
  });
});
