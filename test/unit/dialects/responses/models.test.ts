import assert from 'node:assert/strict';
import { describeModel, listModels } from '../../../../src/dialects/responses/models.ts';

const LIST = {
  data: [
    { id: 'thinker', created: 5, owned_by: 'someone', capabilities: { chat: true, secret: 1 } },
    { id: 'embedder', capabilities: { chat: false } },
    { id: 'plain', created: 'x' },
  ],
};
const THINKER = { id: 'thinker', object: 'model', created: 5, owned_by: 'someone' };

describe('listModels()', () => {
  it('has the chat models with the fields of the format', () => {
    assert.deepEqual(JSON.parse(listModels(LIST)), {
      object: 'list',
      data: [THINKER, { id: 'plain', object: 'model', created: 0, owned_by: '' }],
    });
  });

  it('is empty for anything that is not a list', () => {
    for (const list of [undefined, null, [], 'x', { data: 7 }]) {
      assert.deepEqual(JSON.parse(listModels(list)), { object: 'list', data: [] });
    }
  });
});

describe('describeModel()', () => {
  it('has the same fields for one model', () => {
    assert.deepEqual(JSON.parse(describeModel(LIST, 'thinker')), THINKER);
  });
});
