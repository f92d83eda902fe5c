import assert from 'node:assert/strict';
import { customEndpoint } from '../../../../src/assistants/adapters/customEndpoint.ts';
import type { Change } from '../../../../src/assistants/files/change.ts';
import { KEY, URL, endpointFor } from '../../../support/assistantFiles.ts';

const ENDPOINT = endpointFor('/nowhere');
const EXPECTED = { home: '/nowhere', baseUrl: URL, key: KEY };

describe('customEndpoint()', () => {
  let added: unknown[];
  let remembered: string | undefined;
  let isTaken: boolean;
  /** The file with the list; undefined if it cannot be reached. */
  let file: string | undefined;
  const assistant = customEndpoint({
    exists: () => Promise.resolve(true),
    add: (group) => {
      if (isTaken) return Promise.reject(new Error('the name exists'));
      added.push(group);
      return Promise.resolve();
    },
    remembered: () => Promise.resolve(remembered),
    edit: (edit) => {
      const next = file === undefined ? undefined : edit(file);
      if (next === undefined || next === file) return Promise.resolve(false);
      file = next;
      return Promise.resolve(true);
    },
  });
  const disconnect = () => assistant.disconnect({ places: { home: '/nowhere' }, isOurs: () => true });
  const planned = async (endpoint = ENDPOINT): Promise<Change> => {
    const plan = await assistant.plan(endpoint);
    assert.ok(plan.kind === 'change', JSON.stringify(plan));
    return plan;
  };
  const MODELS = [
    {
      id: 'glm-5-2',
      name: 'GLM 5.2',
      limits: { contextWindow: 400_000, maxOutput: 16_000 },
      tools: true,
      images: false,
    },
    { id: 'unknown' },
  ];

  beforeEach(() => {
    added = [];
    remembered = undefined;
    file = undefined;
    isTaken = false;
  });

  it('adds one group with all models and what is known of them', async () => {
    const change = await planned({ ...ENDPOINT, models: MODELS });
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
    assert.equal((await assistant.inspect({ ...EXPECTED, key: undefined })).kind, 'outdated');
    assert.equal((await assistant.plan({ ...ENDPOINT, models: MODELS })).kind, 'unchanged');
  });

  it('gives advice if VS Code does not accept the group, and when the user must remove it', async () => {
    isTaken = true;
    const change = await planned();
    const result = await assistant.apply(change);
    assert.ok(result.kind === 'refused');
    assert.match(
      result.message,
      /Run "Chat: Manage Language Models" once\. If it lists a group "Sealed Proxy", remove it\./,
    );
    const undone = await assistant.undo({ ...change, kind: 'applied' });
    assert.ok(undone.kind === 'undone');
    assert.match(
      undone.left ?? '',
      /^An extension cannot remove the group of models\. Run "Chat: Manage Language Models"/,
    );
  });

  it('disconnects by removing its group from the list of VS Code, and nothing else', async () => {
    const theirs =
      '{ "name": "Ollama", "vendor": "customendpoint" }, // mine\n  { "name": "Sealed Proxy", "vendor": "x" }';
    file = `[\n  ${theirs},\n  { "name": "Sealed Proxy", "vendor": "customendpoint", "models": [] }\n]\n`;
    assert.deepEqual(await disconnect(), { kind: 'undone' });
    assert.equal(file, `[\n  ${theirs}\n]\n`);
    assert.deepEqual(await disconnect(), { kind: 'unchanged' });
  });

  it('says what the user has to remove if the list cannot be reached', async () => {
    remembered = '{}';
    for (const text of [undefined, 'not JSON', '{}']) {
      file = text;
      const result = await disconnect();
      assert.ok(result.kind === 'refused');
      assert.match(result.message, /an extension cannot remove a group\. Run .* and remove "Sealed Proxy" yourself\.$/);
    }
  });
});
