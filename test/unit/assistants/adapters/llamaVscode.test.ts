import assert from 'node:assert/strict';
import { llamaVscode } from '../../../../src/assistants/adapters/llamaVscode.ts';
import type { Change } from '../../../../src/assistants/files/change.ts';
import { KEY, MODEL, OTHER_KEY, URL, endpointFor } from '../../../support/assistantFiles.ts';

const ENDPOINT = endpointFor('/nowhere');
const EXPECTED = { home: '/nowhere', baseUrl: URL, key: KEY };

describe('llamaVscode()', () => {
  const THEIRS = {
    'llama-vscode.endpoint_chat': 'http://10.0.0.7:8011',
    'llama-vscode.api_key_chat': 'their-own-key',
    'llama-vscode.ai_api_version': 'v2',
  };
  let values: Map<string, unknown>;
  /** The setting that cannot be written. */
  let broken: string | undefined;
  /** The setting that the workspace overrides. */
  let overridden: string | undefined;
  const assistant = llamaVscode({
    read: (name) => values.get(name),
    isOverridden: (name) => name === overridden,
    write: (name, value) => {
      if (name === broken) return Promise.reject(new Error('not now'));
      if (value === undefined) values.delete(name);
      else values.set(name, value);
      return Promise.resolve();
    },
  });
  const set = () => Object.fromEntries(values);

  const planned = async (endpoint = ENDPOINT): Promise<Change> => {
    const plan = await assistant.plan(endpoint);
    assert.ok(plan.kind === 'change', JSON.stringify(plan));
    return plan;
  };

  beforeEach(() => {
    values = new Map();
    broken = undefined;
    overridden = undefined;
  });

  it('refuses to write or inspect settings that the workspace overrides', async () => {
    await assistant.apply(await planned());
    overridden = 'llama-vscode.endpoint_chat';
    for (const found of [await assistant.plan(ENDPOINT), await assistant.inspect(EXPECTED)]) {
      assert.ok(found.kind === 'refused');
      assert.match(found.message, /^The open workspace sets llama-vscode\.endpoint_chat\./);
    }
  });

  it('sets all values, and changes nothing the second time', async () => {
    const { preview } = await planned();
    assert.equal(values.size, 0);
    assert.ok(!JSON.stringify(preview).includes(KEY));
    assert.deepEqual(preview.changes[0], 'sets llama-vscode.endpoint_chat to "http://127.0.0.1:8123"');
    assert.equal((await assistant.apply(await planned())).kind, 'applied');
    assert.deepEqual(set(), {
      'llama-vscode.endpoint_chat': 'http://127.0.0.1:8123',
      'llama-vscode.endpoint_tools': 'http://127.0.0.1:8123',
      'llama-vscode.ai_model': MODEL,
      'llama-vscode.api_key_chat': KEY,
      'llama-vscode.api_key_tools': KEY,
    });
    assert.deepEqual(await assistant.plan(ENDPOINT), { kind: 'unchanged' });
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'current', model: MODEL });
  });

  it('restores the previous values', async () => {
    values = new Map(Object.entries(THEIRS));
    const change = await planned();
    assert.ok(!JSON.stringify(change.preview).includes('their-own-key'));
    const applied = await assistant.apply(change);
    assert.ok(applied.kind === 'applied');
    assert.equal(values.get('llama-vscode.ai_api_version'), 'v1');
    assert.equal((await assistant.undo(applied)).kind, 'undone');
    assert.deepEqual(set(), THEIRS);
  });

  it('refuses to change or restore values that were edited meanwhile', async () => {
    const change = await planned();
    values.set('llama-vscode.ai_model', 'another');
    assert.equal((await assistant.apply(change)).kind, 'refused');
    assert.deepEqual(set(), { 'llama-vscode.ai_model': 'another' });
    const applied = await assistant.apply(await planned());
    assert.ok(applied.kind === 'applied');
    values.set('llama-vscode.ai_model', 'yet another');
    assert.equal((await assistant.undo(applied)).kind, 'refused');
    assert.equal(values.get('llama-vscode.ai_model'), 'yet another');
  });

  it('writes all values or none', async () => {
    values = new Map(Object.entries(THEIRS));
    broken = 'llama-vscode.api_key_tools';
    assert.equal((await assistant.apply(await planned())).kind, 'refused');
    assert.deepEqual(set(), THEIRS);
  });

  it('recognises an outdated endpoint and a foreign one', async () => {
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'absent' });
    await assistant.apply(await planned());
    assert.deepEqual(await assistant.inspect({ ...EXPECTED, baseUrl: 'http://127.0.0.1:1/v1', key: OTHER_KEY }), {
      kind: 'outdated',
      baseUrl: true,
      key: true,
      model: MODEL,
    });
    values = new Map(Object.entries(THEIRS));
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'other', what: 'http://10.0.0.7:8011/v1' });
  });

  it('disconnects: restores the previous settings, or removes its own if they were edited since', async () => {
    const disconnect = (applied?: Change & { readonly kind: 'change' }) =>
      assistant.disconnect({
        places: { home: '/nowhere' },
        applied: applied && { ...applied, kind: 'applied' },
        isOurs: (key) => key === KEY,
      });
    values = new Map(Object.entries(THEIRS));
    assert.deepEqual(await disconnect(), { kind: 'unchanged' });
    const change = await planned();
    await assistant.apply(change);
    assert.deepEqual(await disconnect(change), { kind: 'undone' });
    assert.deepEqual(set(), THEIRS);
    await assistant.apply(change);
    values.set('llama-vscode.endpoint_tools', 'http://10.0.0.7:8012');
    assert.deepEqual(await disconnect(change), { kind: 'undone' });
    assert.deepEqual(set(), { 'llama-vscode.ai_api_version': 'v1' });
  });
});
