// AssistantService with a real proxy: the assistants' files, their keys, and one short request each.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiError, answerApiError } from '../../src/devEnclave/model/apiErrors.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { LogicalHandler, LogicalResponseWriter } from '../../src/devEnclave/model/logical.ts';
import { FILE_ASSISTANTS } from '../../src/assistants/registry.ts';
import { opencode } from '../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../src/assistants/adapters/qwenCode.ts';
import { SNIPPETS } from '../../src/assistants/snippets.ts';
import type { Assistant } from '../../src/assistants/types.ts';
import { AssistantService } from '../../src/assistants/assistantService.ts';
import type { Proposal } from '../../src/assistants/assistantService.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { MachineStore } from '../../src/keys/machineStore.ts';
import { Secrets } from '../../src/keys/secrets.ts';
import { baseUrlOf } from '../../src/shared/status.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';
import { EditorWindow } from '../support/editorWindow.ts';
import { Vault } from '../support/secretVault.ts';

const MODEL = { id: 'glm-5-2', contextWindow: 400_000, maxOutput: 32_000 };
const FILE = '.config/opencode/opencode.jsonc';
const THEIRS = '{\n  // mine\n  "theme": "gruvbox"\n}\n';

describe('AssistantService', () => {
  const scope = perTest();
  /** The key and the body of each request that reached the enclave. */
  let asked: { readonly credential: string | null; readonly body: string }[];
  let answer: LogicalHandler;
  let editor: EditorWindow;
  let home: string;
  let vault: Vault;
  let storage: ReturnType<Vault['storage']>;
  let secrets: Secrets;
  let assistants: AssistantService;
  let limit: number;

  beforeEach(async () => {
    const model = createModel({ paceMs: 0 });
    asked = [];
    answer = model;
    const enclave = await scope.enclave({
      handler: (request, response) => {
        if (request.target !== '/v1/chat/completions') return model(request, response);
        asked.push({ credential: request.credential, body: Buffer.from(request.body ?? []).toString() });
        return answer(request, response);
      },
    });
    home = mkdtempSync(join(tmpdir(), 'sealed-proxy-home-'));
    scope.onClose(async () => rm(home, { recursive: true }));
    vault = new Vault();
    storage = vault.storage();
    secrets = new Secrets(storage, new MachineStore(join(home, 'storage')));
    await secrets.setApiKey(API_KEY);
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
    limit = 30_000;
    assistants = new AssistantService({
      get checkLimit() {
        return limit;
      },
      supervisor: {
        connect: () => editor.supervisor.connect(),
        secretsChanged: async (isApiKey) => {
          editor.vault = { ...(await secrets.forProxy()) };
          await editor.supervisor.secretsChanged(isApiKey);
        },
      },
      secrets,
      assistants: FILE_ASSISTANTS,
      baseUrl: () => baseUrlOf(editor.supervisor.status),
      models: () => [MODEL],
      isInstalled: (id) => id === 'kilocode.Kilo-Code',
      places: { home },
    });
    editor.vault = { ...(await secrets.forProxy()) };
    await editor.supervisor.start();
    await editor.health('connected');
  });

  const put = (text: string) => {
    mkdirSync(dirname(join(home, FILE)), { recursive: true });
    writeFileSync(join(home, FILE), text);
  };
  const text = () => readFileSync(join(home, FILE), 'utf8');
  const propose = async (assistant: Assistant): Promise<Proposal> => {
    const proposal = await assistants.propose(assistant, MODEL);
    assert.ok(proposal.kind === 'proposal', JSON.stringify(proposal));
    return proposal;
  };
  const connect = async (assistant: Assistant) => {
    const applied = await assistants.apply(await propose(assistant));
    assert.equal(applied.kind, 'applied', JSON.stringify(applied));
  };
  const keyOf = async (name: string) => (await secrets.findAccessKey(name, 'assistant'))?.key;
  const configState = async (assistant: Assistant) => (await assistants.inspect(assistant)).kind;

  it('detects assistants by their folders and their extensions', async () => {
    put(THEIRS);
    const found = (await assistants.list()).filter(({ detected }) => detected);
    assert.deepEqual(
      found.map(({ assistant }) => assistant.name),
      ['Kilo Code', 'opencode'],
    );
  });

  it('creates no key and writes nothing before the user agrees', async () => {
    put(THEIRS);
    const { preview } = await propose(opencode);
    assert.equal(preview.path, join(home, FILE));
    assert.equal(text(), THEIRS);
    assert.equal(await keyOf('opencode'), undefined);
  });

  it('gives each assistant its own key, with which a check reaches the model', async () => {
    for (const assistant of FILE_ASSISTANTS) {
      await connect(assistant);
      assert.deepEqual(await assistants.inspect(assistant), { kind: 'current', model: MODEL.id });
      const { kind, message } = await assistants.check(assistant);
      assert.equal(kind, 'answered', message);
      assert.match(message, /^glm-5-2 responded: first byte after \d+ ms, \d+ input tokens, \d+ output tokens\.$/);
    }
    const keys = await Promise.all(FILE_ASSISTANTS.map(({ name }) => keyOf(name)));
    assert.equal(new Set(keys).size, FILE_ASSISTANTS.length);
    assert.ok(!keys.includes(undefined));
    assert.deepEqual(
      asked.map(({ credential }) => credential),
      FILE_ASSISTANTS.map(() => API_KEY),
    );
    for (const { body } of asked) assert.match(body, /"stream":true,"stream_options":\{"include_usage":true\}/);
  });

  it('undoes a change byte by byte and revokes the key', async () => {
    put(THEIRS);
    await connect(opencode);
    assert.notEqual(text(), THEIRS);
    assert.equal((await assistants.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS);
    assert.equal(await keyOf('opencode'), undefined);
    assert.deepEqual(await assistants.undo(opencode), {
      kind: 'refused',
      path: '',
      message: 'There is nothing to undo for opencode.',
    });
  });

  it('undoes several changes as one, also in a window that opens later', async () => {
    put(THEIRS);
    await connect(opencode);
    const other = await assistants.propose(opencode, { id: 'gpt-oss-120b' });
    assert.ok(other.kind === 'proposal');
    assert.equal((await assistants.apply(other)).kind, 'applied');
    const later = new AssistantService({
      supervisor: { connect: () => Promise.reject(new Error()), secretsChanged: () => Promise.resolve() },
      secrets: new Secrets(vault.storage(), new MachineStore(join(home, 'storage'))),
      assistants: FILE_ASSISTANTS,
      baseUrl: () => undefined,
      models: () => [],
      isInstalled: () => false,
      places: { home },
    });
    assert.equal((await later.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS);
  });

  it('does not write a file that was edited since the preview', async () => {
    put(THEIRS);
    const proposal = await propose(opencode);
    put('{ "theme": "light" }');
    const { kind } = await assistants.apply(proposal);
    assert.equal(kind, 'refused');
    assert.equal(text(), '{ "theme": "light" }');
  });

  it('removes only its entry if the file was edited since, and revokes the key', async () => {
    put(THEIRS);
    await connect(opencode);
    put(text().replace('gruvbox', 'light'));
    const result = await assistants.undo(opencode);
    assert.ok(result.kind === 'undone');
    assert.match(result.left ?? '', /only the Sealed Proxy entry was removed/);
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.equal(await keyOf('opencode'), undefined);
  });

  it('removes only its entry if the file was edited between two changes', async () => {
    put(THEIRS);
    await connect(opencode);
    put(text().replace('gruvbox', 'light'));
    const other = await assistants.propose(opencode, { id: 'gpt-oss-120b' });
    assert.ok(other.kind === 'proposal');
    assert.equal((await assistants.apply(other)).kind, 'applied');
    assert.equal((await assistants.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.equal(await configState(opencode), 'absent');
  });

  it('writes nothing if the undo entry cannot be stored', async () => {
    put(THEIRS);
    const proposal = await propose(opencode);
    storage.beforeStore = (name) => (name.startsWith('undo.') ? Promise.reject(new Error('full')) : Promise.resolve());
    await assert.rejects(assistants.apply(proposal), /full/);
    assert.equal(text(), THEIRS);
  });

  it('repairs all assistants after the port has changed', async () => {
    await connect(opencode);
    await connect(qwenCode);
    assert.equal(await editor.change({ port: await freePort() }), true);
    await editor.health('connected');
    assert.equal(await configState(opencode), 'old');
    assert.deepEqual(await assistants.check(opencode), {
      kind: 'failed',
      message: 'opencode uses an outdated address. Repair it, then check again.',
    });
    const proposals = await assistants.proposeRepairs(await assistants.list());
    assert.deepEqual(
      proposals.map((each) => each.kind === 'proposal' && each.assistant.id),
      ['opencode', 'qwen-code'],
    );
    for (const proposal of proposals) {
      assert.ok(proposal.kind === 'proposal');
      await assistants.apply(proposal);
    }
    for (const assistant of [opencode, qwenCode]) {
      assert.equal(await configState(assistant), 'current');
      assert.equal((await assistants.check(assistant)).kind, 'answered');
    }
    assert.deepEqual(await assistants.proposeRepairs(await assistants.list()), []);
  });

  it('replaces the key in a repair, because the old address may belong to another program', async () => {
    await connect(opencode);
    const told = await keyOf('opencode');
    assert.equal(await editor.change({ port: await freePort() }), true);
    await editor.health('connected');
    const proposal = await propose(opencode);
    assert.equal(await keyOf('opencode'), told); // the user has not agreed yet
    assert.ok(proposal.preview.changes.some((change) => change.includes('apiKey')));
    await assistants.apply(proposal);
    const ask = async (key = '') => {
      const url = `${baseUrlOf(editor.supervisor.status) ?? ''}/models`;
      return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;
    };
    assert.deepEqual([await ask(told), await ask(await keyOf('opencode'))], [401, 200]);
    await assistants.undo(opencode);
    assert.equal(existsSync(join(home, FILE)), false);
  });

  it('repairs an assistant whose key was revoked', async () => {
    await connect(opencode);
    const before = await keyOf('opencode');
    const [key] = (await secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    await secrets.revokeAccessKey(key?.id ?? '');
    assert.equal(await configState(opencode), 'old');
    for (const proposal of await assistants.proposeRepairs(await assistants.list())) {
      assert.ok(proposal.kind === 'proposal');
      await assistants.apply(proposal);
    }
    assert.notEqual(await keyOf('opencode'), before);
    assert.equal((await assistants.check(opencode)).kind, 'answered');
    // After two changes, undo still restores the original state.
    await assistants.undo(opencode);
    assert.equal(existsSync(join(home, FILE)), false);
  });

  it('reports why a check failed, without the API key', async () => {
    await connect(opencode);
    answer = (_request, response) => {
      answerApiError(response, new ApiError(429, 'inference_capacity', `The key ${API_KEY} is busy`));
      return Promise.resolve();
    };
    const busy = await assistants.check(opencode);
    assert.equal(busy.kind, 'failed');
    assert.match(busy.message, /^The request to glm-5-2 failed with status 429\. .*busy/);
    assert.ok(!busy.message.includes(API_KEY));
    await editor.supervisor.stop();
    const { message } = await assistants.check(opencode);
    assert.equal(message, 'The proxy is not running or does not respond.');
  });

  it('distinguishes a response that ends early, a late response and a missing proxy', async () => {
    await connect(opencode);
    const begin = (response: LogicalResponseWriter) => {
      response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
      response.write(Buffer.from('data: {"choices":[{"delta":{"content":"O"}}]}\n\n'));
    };
    answer = (_request, response) => {
      begin(response);
      response.fail('broken');
      return Promise.resolve();
    };
    const broken = await assistants.check(opencode);
    assert.equal(broken.message, 'The response from glm-5-2 ended early.');
    for (const isSilent of [true, false]) {
      limit = 200;
      answer = async (_request, response) => {
        if (!isSilent) begin(response);
        await once(response.signal, 'abort');
      };
      const late = await assistants.check(opencode);
      assert.equal(late.message, 'glm-5-2 did not complete a response within 0.2 s.');
    }
  });

  it('distinguishes its own checks from requests of the assistant', async () => {
    await connect(opencode);
    const [key] = (await secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    assert.ok(key);
    assert.equal((await assistants.check(opencode)).kind, 'answered');
    assert.equal(await editor.answered.find('the answer', () => true), key.id);
    assert.deepEqual([assistants.wasCheck(key.id), assistants.wasCheck(key.id)], [true, false]);
    answer = (_request, response) => {
      response.fail('broken');
      return Promise.resolve();
    };
    assert.equal((await assistants.check(opencode)).kind, 'failed');
    assert.equal(assistants.wasCheck(key.id), false);
  });

  it('renders snippets, each with a valid key of its own', async () => {
    const keys = new Set<string>();
    for (const snippet of SNIPPETS) {
      if (snippet.kind !== 'snippet') continue;
      const written = await assistants.renderSnippet(snippet, MODEL, 'posix');
      keys.add(/sealed-[\w-]{43}/.exec(written)?.[0] ?? '');
      assert.equal((await assistants.checkSnippet(snippet, MODEL)).kind, 'answered');
    }
    assert.equal(keys.size, SNIPPETS.filter(({ kind }) => kind === 'snippet').length);
    assert.ok(!keys.has(''));
  });
});
