import assert from 'node:assert/strict';
import { describeModel } from '../../../src/chat/modelText.ts';

const MODEL = {
  id: 'glm-5-2',
  name: 'GLM 5.2',
  maxInputTokens: 98_304,
  maxOutputTokens: 32_768,
  tools: true,
  images: false,
  reasoning: false,
};

describe('describeModel()', () => {
  it('names the context and what the model can do', () => {
    assert.equal(describeModel(MODEL), '131k tokens of context · calls tools');
    assert.equal(
      describeModel({ ...MODEL, maxInputTokens: 968_000, images: true, reasoning: true }),
      '1,001k tokens of context · calls tools · reads images · reasons',
    );
  });

  it('warns of a model that calls no tools', () => {
    assert.match(describeModel({ ...MODEL, tools: false }), /calls no tools, so an agent cannot read or change files/);
  });
});
