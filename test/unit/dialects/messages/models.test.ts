import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { describeModel, listModels } from '../../../../src/dialects/messages/models.ts';
import { MODEL_LIST } from '../../../support/messagesRequests.ts';

const listed = (list: unknown) => JSON.parse(listModels(list)) as { readonly data: readonly ModelInfo[] };
const described = (id: string) => JSON.parse(describeModel(MODEL_LIST, id)) as ModelInfo;

describe('listModels()', () => {
  it('lists the chat models on one page', () => {
    const { data, ...page } = listed(MODEL_LIST);
    assert.deepEqual(page, { has_more: false, first_id: 'glm-5-2', last_id: 'llama3-3-70b' });
    assert.deepEqual(
      data.map(({ id, display_name: name, created_at: created }) => [id, name, created]),
      [
        ['glm-5-2', 'GLM 5.2', '2023-11-14T22:13:20.000Z'],
        ['kimi-k2-6', 'kimi-k2-6', '1970-01-01T00:00:00.000Z'],
        ['llama3-3-70b', 'llama3-3-70b', '1970-01-01T00:00:00.000Z'],
      ],
    );
  });

  it('is an empty page for anything that is not a list', () => {
    for (const list of [undefined, null, 5, {}, { data: 5 }, { data: [null, { id: 5 }] }]) {
      assert.deepEqual(listed(list), { data: [], has_more: false, first_id: null, last_id: null });
    }
  });

  it('survives times and sizes that make no sense', () => {
    for (const value of [-1, 1e300, NaN, '5', null]) {
      const { data } = listed({ data: [{ id: 'a', created: value, context_window: value }] });
      assert.equal(data[0]?.created_at, '1970-01-01T00:00:00.000Z');
      assert.equal(data[0].max_input_tokens, null);
    }
  });

  it('can be read by the official SDK', async () => {
    const json = listModels(MODEL_LIST);
    const fetch = () => Promise.resolve(new Response(json, { headers: { 'content-type': 'application/json' } }));
    const ids: string[] = [];
    for await (const { id } of new Anthropic({ apiKey: 'x', fetch }).models.list()) ids.push(id);
    assert.deepEqual(ids, ['glm-5-2', 'kimi-k2-6', 'llama3-3-70b']);
  });
});

describe('describeModel()', () => {
  it('describes a model with what can be used of it', () => {
    const model = described('kimi-k2-6');
    assert.equal(model.max_input_tokens, 256_000);
    assert.equal(model.max_tokens, 32_000);
    assert.equal(model.capabilities?.image_input.supported, true);
    assert.equal(model.capabilities.effort.high.supported, true);
    assert.equal(described('llama3-3-70b').capabilities?.thinking.supported, false);
  });
});
