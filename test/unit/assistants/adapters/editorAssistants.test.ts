// The assistants that live in the editor: in its settings, and in its list of endpoints.
import assert from 'node:assert/strict';
import { customEndpoint } from '../../../../src/assistants/adapters/customEndpoint.ts';
import { llamaVscode } from '../../../../src/assistants/adapters/llamaVscode.ts';
import type { Assistant, Change } from '../../../../src/assistants/types.ts';
import { KEY, MODEL, OTHER_KEY, URL, connectionTo } from '../../../support/assistantFiles.ts';

const CONNECTION = connectionTo('/nowhere');
const EXPECTED = { home: '/nowhere', baseUrl: URL, key: KEY };

async function planned(assistant: Assistant, connection = CONNECTION): Promise<Change> {
  const plan = await assistant.plan(connection);
  assert.ok(plan.kind === 'change', JSON.stringify(plan));
  return plan;
}

describe('The settings of llama.vscode', () => {
  const THEIRS = { endpoint_chat: 'http://10.0.0.7:8011', api_key_chat: 'their-own-key', ai_api_version: 'v2' };
  let values: Map<string, unknown>;
  /** The name whose writing fails. */
  let broken: string | undefined;
  /** The name that a workspace sets. */
  let overridden: string | undefined;
  const assistant = llamaVscode({
    isInstalled: () => true,
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

  beforeEach(() => {
    values = new Map();
    broken = undefined;
    overridden = undefined;
  });

  it('are not written for a workspace that has its own, nor taken for ours', async () => {
    await assistant.apply(await planned(assistant));
    overridden = 'endpoint_chat';
    for (const found of [await assistant.plan(CONNECTION), await assistant.inspect(EXPECTED)]) {
      assert.ok(found.kind === 'refused');
      assert.match(found.message, /^The open workspace sets llama-vscode\.endpoint_chat itself\./);
    }
  });

  it('are set where there are none, and a second time changes nothing', async () => {
    const { preview } = await planned(assistant);
    assert.equal(values.size, 0);
    assert.ok(!JSON.stringify(preview).includes(KEY));
    assert.deepEqual(preview.changes[0], 'sets endpoint_chat to "http://127.0.0.1:8123"');
    assert.equal((await assistant.apply(await planned(assistant))).kind, 'applied');
    assert.deepEqual(set(), {
      endpoint_chat: 'http://127.0.0.1:8123',
      endpoint_tools: 'http://127.0.0.1:8123',
      ai_model: MODEL,
      api_key_chat: KEY,
      api_key_tools: KEY,
    });
    assert.deepEqual(await assistant.plan(CONNECTION), { kind: 'unchanged', path: preview.path });
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'current', model: MODEL });
  });

  it('are restored as they were', async () => {
    values = new Map(Object.entries(THEIRS));
    const change = await planned(assistant);
    assert.ok(!JSON.stringify(change.preview).includes('their-own-key'));
    const applied = await assistant.apply(change);
    assert.ok(applied.kind === 'applied');
    assert.equal(values.get('ai_api_version'), 'v1');
    assert.equal((await assistant.undo(applied)).kind, 'undone');
    assert.deepEqual(set(), THEIRS);
  });

  it('are left alone where somebody has changed them meanwhile', async () => {
    const change = await planned(assistant);
    values.set('ai_model', 'another');
    assert.equal((await assistant.apply(change)).kind, 'refused');
    assert.deepEqual(set(), { ai_model: 'another' });
    const applied = await assistant.apply(await planned(assistant));
    assert.ok(applied.kind === 'applied');
    values.set('ai_model', 'yet another');
    assert.equal((await assistant.undo(applied)).kind, 'refused');
    assert.equal(values.get('ai_model'), 'yet another');
  });

  it('are all written, or none', async () => {
    values = new Map(Object.entries(THEIRS));
    broken = 'api_key_tools';
    assert.equal((await assistant.apply(await planned(assistant))).kind, 'refused');
    assert.deepEqual(set(), THEIRS);
  });

  it('are told to be old, or of somebody else', async () => {
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'absent' });
    await assistant.apply(await planned(assistant));
    assert.deepEqual(await assistant.inspect({ ...EXPECTED, baseUrl: 'http://127.0.0.1:1/v1', key: OTHER_KEY }), {
      kind: 'old',
      baseUrl: true,
      key: true,
      model: MODEL,
    });
    values = new Map(Object.entries(THEIRS));
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'other', what: 'http://10.0.0.7:8011/v1' });
  });
});

describe('The Custom Endpoint of VS Code', () => {
  let added: unknown[];
  let remembered: string | undefined;
  let isTaken: boolean;
  const assistant = customEndpoint({
    exists: () => Promise.resolve(true),
    add: (group) => {
      if (isTaken) return Promise.reject(new Error('there is one of this name'));
      added.push(group);
      return Promise.resolve();
    },
    remembered: () => Promise.resolve(remembered),
  });
  const MODELS = [
    { id: 'glm-5-2', name: 'GLM 5.2', contextWindow: 400_000, maxOutput: 16_000, tools: true, images: false },
    { id: 'unknown' },
  ];

  beforeEach(() => {
    added = [];
    remembered = undefined;
    isTaken = false;
  });

  it('is one group of all models, with what is known of them', async () => {
    const change = await planned(assistant, { ...CONNECTION, models: MODELS });
    assert.ok(!JSON.stringify(change.preview).includes(KEY));
    const applied = await assistant.apply(change);
    assert.ok(applied.kind === 'applied');
    assert.deepEqual(added, [
      {
        name: 'Sealed Proxy',
        vendor: 'customendpoint',
        apiKey: KEY,
        apiType: 'chat-completions',
        models: [
          {
            id: 'glm-5-2',
            name: 'GLM 5.2',
            url: URL,
            toolCalling: true,
            vision: false,
            maxInputTokens: 384_000,
            maxOutputTokens: 16_000,
          },
          { id: 'unknown', name: 'unknown', url: URL, toolCalling: true, vision: false },
        ],
      },
    ]);
    remembered = applied.after;
    assert.deepEqual(await assistant.inspect(EXPECTED), { kind: 'current', model: 'glm-5-2' });
    assert.equal((await assistant.inspect({ ...EXPECTED, key: undefined })).kind, 'old');
    assert.equal((await assistant.plan({ ...CONNECTION, models: MODELS })).kind, 'unchanged');
  });

  it('is refused with what to do where VS Code does not take it, and is left to the person to remove', async () => {
    isTaken = true;
    const change = await planned(assistant);
    const result = await assistant.apply(change);
    assert.ok(result.kind === 'refused');
    assert.match(
      result.message,
      /"Chat: Manage Language Models" once; if there is a group "Sealed Proxy" from before, remove it there/,
    );
    const undone = await assistant.undo({ ...change, kind: 'applied', madeFolder: undefined });
    assert.ok(undone.kind === 'undone');
    assert.match(undone.left ?? '', /^Nobody but you can remove the group: run "Chat: Manage Language Models"/);
  });
});
