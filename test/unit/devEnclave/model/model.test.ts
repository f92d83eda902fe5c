import assert from 'node:assert/strict';
import { createModel } from '../../../../src/devEnclave/model/model.ts';
import { CHAT_PATH, apiRequest, ask } from '../../../support/devEnclave/apiClient.ts';

const EMBEDDINGS = '/v1/embeddings';
const model = createModel({ paceMs: 0 });

async function embed(fields: object): Promise<{ embedding: unknown; index: number }[]> {
  const answer = await ask(model, apiRequest(EMBEDDINGS, fields));
  assert.equal(answer.status, 200, answer.body.toString());
  return (answer.json() as { data: { embedding: unknown; index: number }[] }).data;
}

async function vector(input: string): Promise<number[]> {
  const [first] = await embed({ input });
  return first?.embedding as number[];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, component, index) => sum + component * (b[index] ?? NaN), 0);
}

describe('createModel() and the list of models', () => {
  it('lists capabilities for chat models only', async () => {
    const answer = await ask(model, apiRequest('/v1/models?limit=5', undefined));
    assert.equal(answer.status, 200);
    const { object, data } = answer.json() as { object: string; data: Record<string, unknown>[] };
    assert.equal(object, 'list');
    const chat = data.filter((entry) => 'capabilities' in entry);
    const flags = (name: string) =>
      new Set(chat.map((entry) => (entry['capabilities'] as Record<string, boolean>)[name]));
    for (const name of ['vision', 'reasoning', 'tool_use'])
      assert.deepEqual([...flags(name)].sort(), [false, true], name);
    for (const entry of chat) {
      const { vision } = entry['capabilities'] as { vision: boolean };
      assert.deepEqual(entry['tasks'], vision ? ['generate', 'vision'] : ['generate']);
      assert.equal(entry['context_window'], entry['max_context_tokens']);
    }
    const brief = ['id', 'object', 'created', 'owned_by', 'tasks', 'display_name', 'short_name'];
    const others = data.filter((entry) => !chat.includes(entry));
    assert.deepEqual(
      others.map(({ id }) => id),
      ['nomic-embed-text', 'whisper-large-v3'],
    );
    for (const entry of others) assert.deepEqual(Object.keys(entry), brief);
  });
});

describe('createModel() and its routes', () => {
  const body = { model: 'llama3-3-70b', messages: [{ role: 'user', content: 'a' }] };

  it('requires an API key that begins with dev-', async () => {
    for (const credential of [null, 'key', 'DEV-key', 'xdev-']) {
      for (const [target, value] of [
        [CHAT_PATH, body],
        [EMBEDDINGS, { input: 'a' }],
        ['/v1/models', undefined],
      ] as const) {
        const answer = await ask(model, apiRequest(target, value, { credential }));
        assert.equal(answer.status, 401);
        assert.equal((answer.json() as { status: number }).status, 401);
      }
    }
  });

  it('rejects other paths and methods', async () => {
    for (const target of ['/', '/v1', '/v1/models/', '/v1/models/glm-5-2', '/v1/completions']) {
      assert.equal((await ask(model, apiRequest(target, undefined))).status, 404, target);
    }
    const answer = await ask(model, apiRequest(CHAT_PATH, undefined));
    assert.equal(answer.status, 405);
    assert.deepEqual(answer.header('allow'), ['POST']);
  });

  it('accepts a query', async () => {
    assert.equal((await ask(model, apiRequest(`${CHAT_PATH}?a=1`, body))).status, 200);
  });
});

describe('createModel() and embeddings', () => {
  it('returns the same unit vector of 768 numbers for the same text', async () => {
    const a = await vector('the quick brown fox');
    assert.equal(a.length, 768);
    assert.ok(Math.abs(dot(a, a) - 1) < 1e-6);
    assert.deepEqual(a, await vector('the quick brown fox'));
  });

  it('returns similar vectors for texts with the same words', async () => {
    const [fox, other, numbers] = await Promise.all([
      vector('the quick brown fox'),
      vector('a quick brown dog'),
      vector('one two three four'),
    ]);
    assert.ok(dot(fox, other) > dot(fox, numbers) + 0.2);
  });

  it('accepts several texts or lists of tokens and keeps their order', async () => {
    const data = await embed({ model: 'nomic-embed-text', input: ['a', 'b', 'a'] });
    assert.deepEqual(
      data.map(({ index }) => index),
      [0, 1, 2],
    );
    assert.deepEqual(data[0]?.embedding, data[2]?.embedding);
    assert.notDeepEqual(data[0]?.embedding, data[1]?.embedding);
    assert.equal((await embed({ input: [1, 2, 3] })).length, 1);
    assert.equal((await embed({ input: [[1, 2], [3]] })).length, 2);
    assert.equal((await embed({ input: '?!' })).length, 1);
  });

  it('encodes vectors in Base64 as little-endian float32', async () => {
    const [encoded] = await embed({ input: 'a b', encoding_format: 'base64' });
    const bytes = Buffer.from(encoded?.embedding as string, 'base64');
    const floats = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    assert.deepEqual(floats, await vector('a b'));
  });

  it('rejects invalid requests', async () => {
    const wrong = [
      { input: '' },
      { input: [] },
      { input: ['a', ''] },
      { input: 1 },
      {},
      { input: 'a', model: 'glm-5-2' },
      { input: 'a', encoding_format: 'int8' },
      { input: 'a', dimensions: 256 },
    ];
    for (const fields of wrong) {
      const answer = await ask(model, apiRequest(EMBEDDINGS, fields));
      assert.equal(answer.status, 400, JSON.stringify(fields));
      assert.equal(answer.header('x-opensecret-error-code').length, 1);
    }
    const request = apiRequest(EMBEDDINGS, {}, { body: Buffer.from('{') });
    assert.equal((await ask(model, request)).status, 400);
  });
});
