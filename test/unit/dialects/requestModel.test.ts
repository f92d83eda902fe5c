import assert from 'node:assert/strict';
import { findModel } from '../../../src/dialects/requestModel.ts';

const modelList = {
  data: [
    { id: 'thinker', capabilities: { reasoning: true, vision: false }, context_window: 1000 },
    { id: 'talker' },
    { id: 'text-embedder' },
  ],
};

describe('findModel()', () => {
  it('finds the model that was asked for, also if there is a replacement', () => {
    assert.deepEqual(findModel('thinker', { modelList, replacementModel: 'talker' }), {
      id: 'thinker',
      isReplacement: false,
      reasons: true,
      seesImages: false,
      contextWindow: 1000,
    });
  });

  it('replaces a name that the backend does not offer', () => {
    for (const name of ['gpt-5', '', 'text-embedder']) {
      assert.deepEqual(findModel(name, { modelList, replacementModel: 'talker' }), {
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
      () => findModel('x'.repeat(201), { modelList, replacementModel: 'talker' }),
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
      () => findModel('gpt-5', { modelList, replacementModel: undefined }),
      rejection(
        'The backend does not offer the model "gpt-5". Its models: thinker, talker. Choose one of them, or set a replacement.',
      ),
    );
    assert.throws(
      () => findModel('gpt-5', { modelList: undefined, replacementModel: 'gone' }),
      rejection(
        'The backend does not offer the model "gpt-5" or its replacement "gone". Its models: none. Choose one of them, or set a replacement.',
      ),
    );
  });
});
