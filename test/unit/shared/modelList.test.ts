import assert from 'node:assert/strict';
import {
  chatModelEntries,
  contextWindow,
  firstText,
  modelEntries,
  reasons,
  sizeOf,
} from '../../../src/shared/modelList.ts';

describe('modelEntries()', () => {
  it('has all entries, those that are not objects as empty ones', () => {
    assert.deepEqual(modelEntries({ data: [{ id: 'a' }, 'x', null] }), [{ id: 'a' }, {}, {}]);
  });

  it('is empty for anything that is not a list of models', () => {
    for (const list of [undefined, null, 7, 'x', [], {}, { data: {} }]) assert.deepEqual(modelEntries(list), []);
  });
});

describe('chatModelEntries()', () => {
  const idsOf = (...data: readonly unknown[]) => chatModelEntries({ data }).map(({ id }) => id);

  it('goes by the capabilities, then by the tasks, then by the name', () => {
    assert.deepEqual(
      idsOf(
        { id: 'a', capabilities: { chat: true }, tasks: ['embed'] },
        { id: 'b', capabilities: { chat: false }, tasks: ['generate'] },
        { id: 'c', tasks: ['generate'] },
        { id: 'd', tasks: ['embed'] },
        { id: 'e' },
        { id: 'text-Embed-1' },
        { id: 'whisper-1' },
        { id: 'tts-1' },
        { id: 'rerank-1' },
        { id: 'embed-chat', capabilities: { chat: true } },
      ),
      ['a', 'c', 'e', 'embed-chat'],
    );
  });

  it('leaves out models without a usable id', () => {
    const ids = ['', 'a\nb', 'a\u0000', 'a\u2028', 'a'.repeat(201), 7, undefined];
    assert.deepEqual(idsOf(...ids.map((id) => ({ id })), { id: 'a'.repeat(200) }), ['a'.repeat(200)]);
  });

  it('keeps the other fields', () => {
    const model = { id: 'a', owned_by: 'b', capabilities: { chat: true, reasoning: true } };
    assert.deepEqual(chatModelEntries({ data: [model] }), [model]);
  });
});

describe('reasons()', () => {
  it('is true only for a model that says so', () => {
    assert.equal(reasons({ id: 'a', capabilities: { reasoning: true } }), true);
    for (const capabilities of [undefined, null, {}, { reasoning: 'true' }, { reasoning: false }]) {
      assert.equal(reasons({ id: 'a', capabilities }), false);
    }
  });
});

describe('contextWindow()', () => {
  it('takes the first size that the backend states', () => {
    assert.equal(contextWindow({ id: 'a', context_window: 5, max_model_len: 7 }), 5);
    assert.equal(contextWindow({ id: 'a', context_window: 0, max_context_tokens: 6 }), 6);
    assert.equal(contextWindow({ id: 'a', max_context_tokens: '6', max_model_len: 7 }), 7);
    assert.equal(contextWindow({ id: 'a' }), undefined);
  });
});

describe('sizeOf()', () => {
  it('takes only a positive integer as a size', () => {
    assert.equal(sizeOf(1), 1);
    for (const value of [0, -1, 1.5, 2 ** 60, '1', null, undefined]) assert.equal(sizeOf(value), undefined);
  });
});

describe('firstText()', () => {
  it('takes the first text, as one short line', () => {
    assert.equal(firstText(undefined, 7, '  ', ' a\n\t b ', 'c'), 'a b');
    assert.equal(firstText('x'.repeat(200)), `${'x'.repeat(99)}…`);
    assert.equal(firstText('a\u202eb\u001bc'), 'a\ufffdb\ufffdc');
    assert.equal(firstText(), '');
  });
});
