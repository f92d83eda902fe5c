import assert from 'node:assert/strict';
import { codex } from '../../../../src/assistants/adapters/codex.ts';
import { toml } from '../../../../src/assistants/formats/toml.ts';
import { KEY, MODEL, OTHER_KEY, RESPONSES_URL, URL } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

const FILE = '.codex/config.toml';
const ENTRY = {
  name: 'Sealed Proxy',
  base_url: RESPONSES_URL,
  wire_api: 'responses',
  experimental_bearer_token: KEY,
};

describe('codex', () => {
  const home = perTestHome();

  const withModel = (id: string, contextWindow?: number) => ({
    ...home().endpoint,
    model: { id, ...(contextWindow !== undefined && { limits: { contextWindow, maxOutput: 8192 } }) },
  });

  it('writes the provider, the model and its context window, and turns statistics off', async () => {
    const { after } = await home().plan(codex, withModel(MODEL, 131_072));
    assert.deepEqual(toml.read(after), {
      model: MODEL,
      model_provider: 'sealed-proxy',
      model_context_window: 131_072,
      model_providers: { 'sealed-proxy': ENTRY },
      analytics: { enabled: false },
    });
  });

  it('changes the context window with the model, and removes that of another model', async () => {
    home().write(FILE, 'model = "gpt-5.6"\nmodel_context_window = 400000 # mine\n');
    await home().connect(codex, withModel(MODEL, 131_072));
    assert.match(home().read(FILE), /^model_context_window = 131072 # mine$/m);
    home().write(FILE, home().read(FILE).replace('131072', '65536'));
    await home().connect(codex, { ...withModel(MODEL, 131_072), key: OTHER_KEY });
    assert.match(home().read(FILE), /^model_context_window = 65536 # mine$/m);
    await home().connect(codex, withModel('other'));
    assert.doesNotMatch(home().read(FILE), /model_context_window/);
  });

  it('is configured in inline tables and dotted keys as well', async () => {
    for (const text of [
      'model_providers = { ollama = { name = "O", base_url = "x" } }\n',
      'model_providers.ollama.name = "O"\nmodel_providers.ollama.base_url = "x"\n',
      '[model_providers]\nollama.name = "O"\n[tools]\nweb_search = true\n',
    ]) {
      home().write(FILE, text);
      const applied = await home().connect(codex);
      assert.deepEqual(await codex.inspect(home().expected), { kind: 'current', model: MODEL });
      assert.ok(home().read(FILE).includes('ollama'));
      home().write(FILE, home().read(FILE) + '# edited\n');
      assert.equal((await codex.undo(applied)).kind, 'undone');
      assert.deepEqual(toml.read(home().read(FILE)), toml.read(text));
    }
  });

  it('keeps what Codex itself has added to the file since, and restores the previous values', async () => {
    const before = 'model = "gpt-5.6" # big\nmodel_provider = "work"\n\n[model_providers.work]\nname = "Work"\n';
    home().write(FILE, before);
    const applied = await home().connect(codex, withModel(MODEL, 131_072));
    const trust = '\n[projects."/home/me/x"]\ntrust_level = "trusted"\n';
    home().write(FILE, home().read(FILE) + trust);
    assert.equal((await codex.undo(applied)).kind, 'undone');
    assert.equal(home().read(FILE), before + trust);
  });

  it('keeps a model that belongs to another provider when it is disconnected', async () => {
    const applied = await home().connect(codex);
    const text = home().read(FILE).replace('model_provider = "sealed-proxy"', 'model_provider = "openai"');
    home().write(FILE, text.replace(MODEL, 'gpt-5.6'));
    const state = { kind: 'current', model: 'gpt-5.6' };
    assert.deepEqual(await codex.inspect(home().expected), state);
    await codex.undo(applied);
    assert.deepEqual(toml.read(home().read(FILE)), { model: 'gpt-5.6', model_provider: 'openai' });
  });

  it('replaces an entry of the user with its ID, and gives it back', async () => {
    const before = '[model_providers.sealed-proxy]\nname = "Mine"\nbase_url = "http://x/v1"\nenv_key = "MY_KEY"\n';
    home().write(FILE, before);
    const applied = await home().connect(codex);
    const { model_providers: providers } = toml.read(home().read(FILE)) as { model_providers: unknown };
    assert.deepEqual(providers, { 'sealed-proxy': { ...ENTRY, name: 'Mine' } });
    home().write(FILE, `# edited\n${home().read(FILE)}`);
    await codex.undo(applied);
    assert.deepEqual(toml.read(home().read(FILE)), toml.read(before));
  });

  it('uses CODEX_HOME', async () => {
    const codexHome = home().pathOf('elsewhere');
    const change = await home().plan(codex, { ...home().endpoint, codexHome });
    assert.equal(change.path, home().pathOf('elsewhere/config.toml'));
    await codex.apply(change);
    assert.deepEqual(await codex.inspect({ ...home().expected, codexHome }), { kind: 'current', model: MODEL });
    assert.equal((await codex.inspect(home().expected)).kind, 'absent');
    assert.equal(await codex.detect({ home: home().path, codexHome }), true);
    assert.equal(await codex.detect({ home: home().path }), false);
  });

  it('hides every secret of the file in the preview', async () => {
    const secrets = ['tok-plain-1', 'tok-plain-2', 'tok-plain-3', 'tok-plain-4'];
    home().write(
      FILE,
      `[mcp_servers.x]\nenv = { API_KEY = "${secrets[0]}", "MY_TOKEN" = '${secrets[1]}' }\nbearer_token="${secrets[2]}"\n` +
        `[model_providers.y]\nenv_key = "VARIABLE"\napi_key = """${secrets[3]}"""\n`,
    );
    const { preview } = await home().plan(codex);
    for (const text of [preview.before, preview.after]) {
      for (const secret of secrets) assert.ok(!text.includes(secret), text);
      assert.ok(text.includes('env_key = "VARIABLE"'));
    }
    assert.ok(preview.after.includes(`base_url = "${RESPONSES_URL}"`));
    assert.ok(URL.endsWith('/v1'));
  });
});
