// AssistantService with a real proxy: the files and keys of assistants.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Assistant } from '../../src/assistants/adapters/assistant.ts';
import { opencode } from '../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../src/assistants/adapters/qwenCode.ts';
import { FILE_ASSISTANTS } from '../../src/assistants/registry.ts';
import { SNIPPETS } from '../../src/assistants/snippets.ts';
import { baseUrlOf } from '../../src/shared/status.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { AssistantBench, MODEL_CHOICE } from '../support/assistantBench.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';

const FILE = '.config/opencode/opencode.jsonc';
const THEIRS = '{\n  // mine\n  "theme": "gruvbox"\n}\n';
const OTHER_MODEL = { id: 'gpt-oss-120b' };

describe('AssistantService', () => {
  const scope = perTest();
  let bench: AssistantBench;

  beforeEach(async () => {
    bench = await AssistantBench.open(scope);
  });

  const text = () => bench.read(FILE);
  const stateOf = async (assistant: Assistant) => (await bench.service.inspect(assistant)).kind;
  const movePort = async () => {
    assert.equal(await bench.editor.change({ port: await freePort() }), true);
    await bench.editor.health('connected');
  };
  const repairAll = async () => {
    const proposals = await bench.service.proposeRepairs(await bench.service.list());
    for (const proposal of proposals) {
      assert.ok(proposal.kind === 'proposal');
      await bench.service.apply(proposal);
    }
    return proposals.map((each) => each.kind === 'proposal' && each.assistant.id);
  };

  it('detects assistants by their folders, their extensions and their commands', async () => {
    bench.write(FILE, THEIRS);
    bench.write(process.platform === 'win32' ? 'bin/codex.cmd' : 'bin/codex', '');
    const found = (await bench.service.list()).filter(({ detected }) => detected);
    assert.deepEqual(
      found.map(({ assistant }) => assistant.name),
      ['Codex', 'Kilo Code', 'opencode'],
    );
  });

  it('creates no key and writes nothing before the user agrees', async () => {
    bench.write(FILE, THEIRS);
    const { preview } = await bench.propose(opencode);
    assert.equal(preview.path, bench.pathOf(FILE));
    assert.equal(text(), THEIRS);
    assert.equal(await bench.keyOf('opencode'), undefined);
  });

  it('writes the key that the preview shows by its last characters, and shows another one after that', async () => {
    bench.write(FILE, THEIRS);
    const shown = async () => /••••••••([A-Za-z0-9_-]{4})/.exec((await bench.propose(opencode)).preview.after)?.[1];
    const proposal = await bench.propose(opencode);
    assert.equal((await bench.service.apply(proposal)).kind, 'applied');
    const key = (await bench.keyOf('opencode')) ?? '';
    assert.ok(proposal.preview.after.includes(`••••••••${key.slice(-4)}`));
    await bench.service.undo(opencode);
    assert.notEqual(await shown(), key.slice(-4));
  });

  it('gives each assistant its own key, with which a check reaches the model', async () => {
    for (const assistant of FILE_ASSISTANTS) {
      await bench.agree(assistant);
      assert.deepEqual(await bench.service.inspect(assistant), { kind: 'current', model: MODEL_CHOICE.id });
      const { kind, message } = await bench.service.checks.check(assistant);
      assert.equal(kind, 'answered', message);
      assert.match(message, /^glm-5-2 responded in \d+ ms\.$/);
    }
    const keys = await Promise.all(FILE_ASSISTANTS.map(({ name }) => bench.keyOf(name)));
    assert.equal(new Set(keys).size, FILE_ASSISTANTS.length);
    assert.ok(!keys.includes(undefined));
    assert.deepEqual(
      bench.chatRequests.map(({ credential }) => credential),
      FILE_ASSISTANTS.map(() => API_KEY),
    );
    for (const { body } of bench.chatRequests)
      assert.match(body, /"stream":true,"stream_options":\{"include_usage":true\}/);
  });

  it('undoes a change byte by byte and revokes the key', async () => {
    bench.write(FILE, THEIRS);
    await bench.agree(opencode);
    assert.notEqual(text(), THEIRS);
    assert.equal((await bench.service.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS);
    assert.equal(await bench.keyOf('opencode'), undefined);
    assert.deepEqual(await bench.service.undo(opencode), { kind: 'nothing' });
  });

  it('undoes several changes as one, also in a window that opens later', async () => {
    bench.write(FILE, THEIRS);
    await bench.agree(opencode);
    await bench.agree(opencode, OTHER_MODEL);
    assert.equal((await bench.laterService().undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS);
  });

  it('does not write a file that was edited since the preview', async () => {
    bench.write(FILE, THEIRS);
    const proposal = await bench.propose(opencode);
    bench.write(FILE, '{ "theme": "light" }');
    const { kind } = await bench.service.apply(proposal);
    assert.equal(kind, 'refused');
    assert.equal(text(), '{ "theme": "light" }');
  });

  it('removes only its entry if the file was edited since, and revokes the key', async () => {
    bench.write(FILE, THEIRS);
    await bench.agree(opencode);
    bench.write(FILE, text().replace('gruvbox', 'light'));
    const result = await bench.service.undo(opencode);
    assert.ok(result.kind === 'undone');
    assert.match(result.left ?? '', /only the Sealed Proxy entry was removed/);
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.equal(await bench.keyOf('opencode'), undefined);
  });

  it('removes only its entry if the file was edited between two changes', async () => {
    bench.write(FILE, THEIRS);
    await bench.agree(opencode);
    bench.write(FILE, text().replace('gruvbox', 'light'));
    await bench.agree(opencode, OTHER_MODEL);
    assert.equal((await bench.service.undo(opencode)).kind, 'undone');
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.equal(await stateOf(opencode), 'absent');
  });

  it('writes nothing if the undo entry cannot be stored', async () => {
    bench.write(FILE, THEIRS);
    const proposal = await bench.propose(opencode);
    bench.storage.beforeStore = (name) =>
      name.startsWith('undo.') ? Promise.reject(new Error('full')) : Promise.resolve();
    await assert.rejects(bench.service.apply(proposal), /full/);
    assert.equal(text(), THEIRS);
  });

  it('repairs all assistants after the port has changed', async () => {
    await bench.agree(opencode);
    await bench.agree(qwenCode);
    await movePort();
    assert.equal(await stateOf(opencode), 'outdated');
    assert.deepEqual(await bench.service.checks.check(opencode), {
      kind: 'failed',
      message: 'opencode uses an outdated address. Repair it, then check again.',
    });
    assert.deepEqual(await repairAll(), ['opencode', 'qwen-code']);
    for (const assistant of [opencode, qwenCode]) {
      assert.equal(await stateOf(assistant), 'current');
      assert.equal((await bench.service.checks.check(assistant)).kind, 'answered');
    }
    assert.deepEqual(await repairAll(), []);
  });

  it('replaces the key in a repair, because the old address may belong to another program', async () => {
    await bench.agree(opencode);
    const exposed = await bench.keyOf('opencode');
    await movePort();
    const proposal = await bench.propose(opencode);
    assert.equal(await bench.keyOf('opencode'), exposed); // the user has not agreed yet
    assert.ok(proposal.preview.changes.some((change) => change.includes('apiKey')));
    await bench.service.apply(proposal);
    const ask = async (key = '') => {
      const url = `${baseUrlOf(bench.editor.supervisor.status) ?? ''}/models`;
      return (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status;
    };
    assert.deepEqual([await ask(exposed), await ask(await bench.keyOf('opencode'))], [401, 200]);
    await bench.service.undo(opencode);
    assert.equal(existsSync(bench.pathOf(FILE)), false);
  });

  it('repairs an assistant whose key was revoked', async () => {
    await bench.agree(opencode);
    const before = await bench.keyOf('opencode');
    const [key] = (await bench.secrets.accessKeys()).filter(({ origin }) => origin === 'assistant');
    await bench.secrets.revokeAccessKey(key?.id ?? '');
    assert.equal(await stateOf(opencode), 'outdated');
    assert.deepEqual(await repairAll(), ['opencode']);
    assert.notEqual(await bench.keyOf('opencode'), before);
    assert.equal((await bench.service.checks.check(opencode)).kind, 'answered');
    // After two changes, undo still restores the original state.
    await bench.service.undo(opencode);
    assert.equal(existsSync(bench.pathOf(FILE)), false);
  });

  it('renders snippets, each with a valid key of its own', async () => {
    const keys = new Set<string>();
    for (const snippet of SNIPPETS) {
      const rendered = await bench.service.renderSnippet(snippet, MODEL_CHOICE, 'posix');
      keys.add(/sealed-[\w-]{43}/.exec(rendered)?.[0] ?? '');
      assert.equal((await bench.service.checks.checkSnippet(snippet, MODEL_CHOICE)).kind, 'answered');
    }
    assert.equal(keys.size, SNIPPETS.length);
    assert.ok(!keys.has(''));
  });

  it('disconnects all assistants, even if their files have changed, and says what remains', async () => {
    bench.write(FILE, THEIRS);
    for (const assistant of FILE_ASSISTANTS) await bench.agree(assistant);
    bench.write(FILE, text().replace('gruvbox', 'light'));
    const broken = '.continue/config.yaml';
    bench.write(broken, `models: [ # ${bench.read(broken)}`);
    const leftovers = await bench.laterService().leave.disconnectAll();
    assert.equal(text(), THEIRS.replace('gruvbox', 'light'));
    assert.deepEqual(
      leftovers.map(({ where }) => where),
      ['Continue'],
    );
    assert.ok(leftovers[0]?.message.includes(bench.pathOf(broken)));
    for (const assistant of FILE_ASSISTANTS.filter(({ name }) => name !== 'Continue'))
      assert.equal(await stateOf(assistant), 'absent');
  });

  it('tells the editor when something was connected or disconnected', async () => {
    await bench.agree(opencode);
    assert.ok(bench.changes > 0);
    const before = bench.changes;
    await bench.service.undo(opencode);
    assert.ok(bench.changes > before);
  });
});
