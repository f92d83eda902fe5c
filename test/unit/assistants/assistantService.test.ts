// Assistants connected to a real proxy: their files, their keys, and one tiny request each.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ApiError, answerApiError } from '../../../src/devEnclave/model/apiErrors.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { ApiHandler, ApiResponseWriter } from '../../../src/devEnclave/model/apiHandler.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../../src/assistants/adapters/qwenCode.ts';
import { SNIPPETS } from '../../../src/assistants/snippets.ts';
import type { Assistant } from '../../../src/assistants/types.ts';
import { AssistantService } from '../../../src/assistants/assistantService.ts';
import type { Proposal } from '../../../src/assistants/assistantService.ts';
import { freePort } from '../../../src/supervisor/freePort.ts';
import { HostFolder } from '../../../src/keys/hostFolder.ts';
import { Secrets } from '../../../src/extension/keys/secrets.ts';
import { baseUrlOf } from '../../../src/shared/status.ts';
import { API_KEY, perTest } from '../../support/e2e/scope.ts';
import { EditorWindow } from '../../support/editorWindow.ts';
import { Vault } from '../../support/secretVault.ts';

const MODEL = { id: 'glm-5-2', contextWindow: 400_000, maxOutput: 32_000 };
const FILE = '.config/opencode/opencode.jsonc';
const THEIRS = '{\n  // mine\n  "theme": "gruvbox"\n}\n';

describe('The connections of assistants', () => {
  const scope = perTest();
  /** What the enclave was asked: key and body. */
  let asked: { readonly credential: string | null; readonly body: string }[];
  let answer: ApiHandler;
  let editor: EditorWindow;
  let home: string;
  let vault: Vault;
  let storage: ReturnType<Vault['storage']>;
  let secrets: Secrets;
  let connections: AssistantService;
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
    secrets = new Secrets(storage, new HostFolder(join(home, 'storage')));
    await secrets.setApiKey(API_KEY);
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
    limit = 30_000;
    connections = new AssistantService({
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
    const proposal = await connections.propose(assistant, MODEL);
    assert.ok(proposal.kind === 'proposal', JSON.stringify(proposal));
    return proposal;
  };
  const connect = async (assistant: Assistant) => {
    const applied = await connections.agree(await propose(assistant));
    assert.equal(applied.kind, 'applied', JSON.stringify(applied));
  };
  const keyOf = async (name: string) => (await secrets.findAccessKey(name, 'assistant'))?.key;
  const configState = async (assistant: Assistant) => (await connections.inspect(assistant)).kind;

  it('finds those that have left traces in the home folder, or an extension in this editor', async () => {
    put(THEIRS);
    const found = (await connections.look()).filter(({ detected }) => detected);
    assert.deepEqual(
      found.map(({ assistant }) => assistant.name),
      ['Kilo Code', 'opencode'],
    );
  });

  it('makes no key and writes nothing before the person agrees', async () => {
    put(THEIRS);
    const { preview } = await propose(opencode);
    assert.equal(preview.path, join(home, FILE));
    assert.equal(text(), THEIRS);
    assert.equal(await keyOf('opencode'), undefined);
  });

  it('gives each assistant a key of its own, by which its check reaches the model', async () => {
    for (const assistant of FILE_ASSISTANTS) {
      await connect(assistant);
      assert.deepEqual(await connections.inspect(assistant), { kind: 'current', model: MODEL.id });
      const { kind, message } = await connections.check(assistant);
      assert.equal(kind, 'answered', message);
      assert.match(message, /^glm-5-2 answered: first byte after \d+ ms, \d+ tokens in, \d+ out\.$/);
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

  it('takes a change back to the byte, with its key', async () => {
    put(THEIRS);
    await connect(opencode);
    assert.notEqual(text(), THEIRS);
    assert.equal((await connections.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS);
    assert.equal(await keyOf('opencode'), undefined);
    assert.deepEqual(await connections.undo(opencode), {
      kind: 'refused',
      path: '',
      message: 'There is nothing to take back for opencode.',
    });
  });

  it('takes back what it wrote in several steps as one, also in a window that opens later', async () => {
    put(THEIRS);
    await connect(opencode);
    const other = await connections.propose(opencode, { id: 'gpt-oss-120b' });
    assert.ok(other.kind === 'proposal');
    assert.equal((await connections.agree(other)).kind, 'applied');
    const later = new AssistantService({
      supervisor: { connect: () => Promise.reject(new Error()), secretsChanged: () => Promise.resolve() },
      secrets: new Secrets(vault.storage(), new HostFolder(join(home, 'storage'))),
      assistants: FILE_ASSISTANTS,
      baseUrl: () => undefined,
      models: () => [],
      isInstalled: () => false,
      places: { home },
    });
    assert.equal((await later.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS);
  });

  it('leaves a file that somebody has changed since it was shown', async () => {
    put(THEIRS);
    const proposal = await propose(opencode);
    put('{ "theme": "light" }');
    const { kind } = await connections.agree(proposal);
    assert.equal(kind, 'refused');
    assert.equal(text(), '{ "theme": "light" }');
  });

  it('takes out its entry alone where somebody has written to the file since, and revokes the key', async () => {
    put(THEIRS);
    await connect(opencode);
    put(text().replace('gruvbox', 'light'));
    const result = await connections.undo(opencode);
    assert.ok(result.kind === 'undone');
    assert.match(result.left ?? '', /only our entry was taken out of it/);
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.equal(await keyOf('opencode'), undefined);
  });

  it('takes out its entry also where somebody wrote between two changes of ours', async () => {
    put(THEIRS);
    await connect(opencode);
    put(text().replace('gruvbox', 'light'));
    const other = await connections.propose(opencode, { id: 'gpt-oss-120b' });
    assert.ok(other.kind === 'proposal');
    assert.equal((await connections.agree(other)).kind, 'applied');
    assert.equal((await connections.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.equal(await configState(opencode), 'absent');
  });

  it('writes nothing where it cannot keep what takes it back', async () => {
    put(THEIRS);
    const proposal = await propose(opencode);
    storage.beforeStore = (name) => (name.startsWith('undo.') ? Promise.reject(new Error('full')) : Promise.resolve());
    await assert.rejects(connections.agree(proposal), /full/);
    assert.equal(text(), THEIRS);
  });

  it('notices a changed port and mends all that point to the old one', async () => {
    await connect(opencode);
    await connect(qwenCode);
    assert.equal(await editor.change({ port: await freePort() }), true);
    await editor.health('connected');
    assert.equal(await configState(opencode), 'old');
    assert.deepEqual(await connections.check(opencode), {
      kind: 'failed',
      message: 'opencode points to an old address. Mend it, then check again.',
    });
    const proposals = await connections.proposeMending(await connections.look());
    assert.deepEqual(
      proposals.map((each) => each.kind === 'proposal' && each.assistant.id),
      ['opencode', 'qwen-code'],
    );
    for (const proposal of proposals) {
      assert.ok(proposal.kind === 'proposal');
      await connections.agree(proposal);
    }
    for (const assistant of [opencode, qwenCode]) {
      assert.equal(await configState(assistant), 'current');
      assert.equal((await connections.check(assistant)).kind, 'answered');
    }
    assert.deepEqual(await connections.proposeMending(await connections.look()), []);
  });

  it('gives another key to whom it mends: the one of before was sent to whoever has the old port', async () => {
    await connect(opencode);
    const told = await keyOf('opencode');
    assert.equal(await editor.change({ port: await freePort() }), true);
    await editor.health('connected');
    const proposal = await propose(opencode);
    assert.equal(await keyOf('opencode'), told); // nobody has agreed yet
    assert.ok(proposal.preview.changes.some((change) => change.includes('apiKey')));
    await connections.agree(proposal);
    const ask = async (key = '') => {
      const url = `${baseUrlOf(editor.supervisor.status) ?? ''}/models`;
      return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;
    };
    assert.deepEqual([await ask(told), await ask(await keyOf('opencode'))], [401, 200]);
    await connections.undo(opencode);
    assert.equal(existsSync(join(home, FILE)), false);
  });

  it('notices a revoked key, and mends it with another', async () => {
    await connect(opencode);
    const before = await keyOf('opencode');
    const [key] = (await secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    await secrets.revokeAccessKey(key?.id ?? '');
    assert.equal(await configState(opencode), 'old');
    for (const proposal of await connections.proposeMending(await connections.look())) {
      assert.ok(proposal.kind === 'proposal');
      await connections.agree(proposal);
    }
    assert.notEqual(await keyOf('opencode'), before);
    assert.equal((await connections.check(opencode)).kind, 'answered');
    // Two steps, and still the state of before all.
    await connections.undo(opencode);
    assert.equal(existsSync(join(home, FILE)), false);
  });

  it('says in a sentence what a check has met', async () => {
    await connect(opencode);
    answer = (_request, response) => {
      answerApiError(response, new ApiError(429, 'inference_capacity', `The key ${API_KEY} is busy`));
      return Promise.resolve();
    };
    const busy = await connections.check(opencode);
    assert.equal(busy.kind, 'failed');
    assert.match(busy.message, /^glm-5-2 did not answer \(status 429\)\. .*busy/);
    assert.ok(!busy.message.includes(API_KEY));
    await editor.supervisor.stop();
    const { message } = await connections.check(opencode);
    assert.equal(message, 'glm-5-2 could not be asked: the proxy is not running, or does not answer.');
  });

  it('tells an answer that broke off, and one that does not come, from a proxy that is not there', async () => {
    await connect(opencode);
    const begin = (response: ApiResponseWriter) => {
      response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
      response.write(Buffer.from('data: {"choices":[{"delta":{"content":"O"}}]}\n\n'));
    };
    answer = (_request, response) => {
      begin(response);
      response.fail('broken');
      return Promise.resolve();
    };
    const broken = await connections.check(opencode);
    assert.equal(broken.message, 'The answer of glm-5-2 broke off after 1 pieces.');
    for (const isSilent of [true, false]) {
      limit = 200;
      answer = async (_request, response) => {
        if (!isSilent) begin(response);
        await once(response.signal, 'abort');
      };
      const late = await connections.check(opencode);
      assert.equal(late.message, 'glm-5-2 could not be asked: no whole answer within 0.2 s.');
    }
  });

  it('tells its own checks from what the assistant itself asks', async () => {
    await connect(opencode);
    const [key] = (await secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    assert.ok(key);
    assert.equal((await connections.check(opencode)).kind, 'answered');
    assert.equal(await editor.answered.find('the answer', () => true), key.id);
    assert.deepEqual([connections.wasCheck(key.id), connections.wasCheck(key.id)], [true, false]);
    answer = (_request, response) => {
      response.fail('broken');
      return Promise.resolve();
    };
    assert.equal((await connections.check(opencode)).kind, 'failed');
    assert.equal(connections.wasCheck(key.id), false);
  });

  it('writes texts to copy, each with a key of its own that counts', async () => {
    const keys = new Set<string>();
    for (const snippet of SNIPPETS) {
      if (snippet.kind !== 'snippet') continue;
      const written = await connections.write(snippet, MODEL, 'posix');
      keys.add(/sealed-[\w-]{43}/.exec(written)?.[0] ?? '');
      assert.equal((await connections.checkSnippet(snippet, MODEL)).kind, 'answered');
    }
    assert.equal(keys.size, SNIPPETS.filter(({ kind }) => kind === 'snippet').length);
    assert.ok(!keys.has(''));
  });
});
