import assert from 'node:assert/strict';
import { qwenCode } from '../../../../src/assistants/adapters/qwenCode.ts';
import { MODEL } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';
import { assertJudgement, judgementOf } from '../../../support/judgements.ts';

const FILE = '.qwen/settings.json';
const HTTP_PROXY = 'http://proxy.example:3128';
type Fields = Record<string, unknown>;

describe('qwenCodeRoutes()', () => {
  const home = perTestHome();
  const settings = () => JSON.parse(home().read(FILE)) as Fields;
  const change = (fields: Fields) => {
    home().write(FILE, JSON.stringify({ ...settings(), ...fields }));
  };

  beforeEach(async () => {
    await home().connect(qwenCode);
  });

  it('finds the models for single tasks, which connecting sets and undo restores', async () => {
    change({ fastModel: 'other', advisorModel: `openai:${MODEL}`, agents: { builtin: { exploreModel: 'other' } } });
    const { kind, routes, remedy } = await judgementOf(home(), qwenCode);
    assert.deepEqual([kind, remedy?.kind], ['partly', 'connect']);
    const leaving = routes.filter(({ destination }) => destination.kind === 'elsewhere').map(({ prompts }) => prompts);
    assert.deepEqual(leaving, ['Suggestions', 'The agent "Explore"']);
    const before = home().read(FILE);
    const applied = await home().connect(qwenCode);
    await assertJudgement(home(), qwenCode, { kind: 'sealed' });
    await qwenCode.undo(applied);
    assert.equal(home().read(FILE), before);
  });

  it('finds an entry for the same model before ours, which connecting makes the second one and undo restores', async () => {
    const { openai } = settings()['modelProviders'] as { openai: readonly unknown[] };
    const other = { id: MODEL, baseUrl: 'https://other.example/v1' };
    for (const list of [[other, ...openai], [other]]) {
      change({ modelProviders: { openai: list } });
      if (list.length > 1) {
        const says = /Chat to other\.example \(modelProviders\.openai/;
        await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says, remedy: 'connect' });
      }
      const before = home().read(FILE);
      const applied = await home().connect(qwenCode);
      await assertJudgement(home(), qwenCode, { kind: 'sealed' });
      const { openai: after } = settings()['modelProviders'] as { openai: readonly unknown[] };
      assert.deepEqual(after, [...openai, other]);
      await qwenCode.undo(applied);
      assert.equal(home().read(FILE), before);
    }
  });

  it('finds an entry for the same model that its address selects, which connecting replaces and undo restores', async () => {
    const { openai } = settings()['modelProviders'] as { openai: readonly unknown[] };
    const other = { id: MODEL, baseUrl: 'https://other.example/v1' };
    change({ model: { name: MODEL, baseUrl: other.baseUrl }, modelProviders: { openai: [...openai, other] } });
    const says = /Chat to other\.example \(model\.baseUrl/;
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says, remedy: 'connect' });
    const before = home().read(FILE);
    const applied = await home().connect(qwenCode);
    await assertJudgement(home(), qwenCode, { kind: 'sealed' });
    const project = { model: { baseUrl: other.baseUrl } };
    home().write('project/.qwen/settings.json', JSON.stringify(project));
    const folders = [home().pathOf('project')];
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says, remedy: 'open' }, { folders });
    await qwenCode.undo(applied);
    assert.equal(home().read(FILE), before);
  });

  it('finds an entry for the same model in the list of another provider with the same protocol', async () => {
    const { openai } = settings()['modelProviders'] as { openai: readonly unknown[] };
    const mine = [{ id: MODEL, baseUrl: 'https://other.example/v1' }];
    change({ modelProviders: { mine, openai } });
    await assertJudgement(home(), qwenCode, { kind: 'sealed' }); // ignored without a protocol
    change({ providerProtocol: { mine: 'openai' } });
    const says = /Chat to other\.example \(modelProviders/;
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says, remedy: 'connect' });
    await home().connect(qwenCode);
    await assertJudgement(home(), qwenCode, { kind: 'sealed' });
    const fast = { fastModel: MODEL };
    change(fast);
    await assertJudgement(home(), qwenCode, { kind: 'partly', says: /Suggestions to other\.example/ });
  });

  it('finds a model for a single task that has an entry without an address', async () => {
    const { openai } = settings()['modelProviders'] as { openai: readonly unknown[] };
    change({ fastModel: MODEL, modelProviders: { openai: [...openai, { id: MODEL }] } });
    await assertJudgement(home(), qwenCode, { kind: 'partly', says: /Suggestions/ });
  });

  it("finds another model in a project's or an organization's settings, and its list of models", async () => {
    const folders = [home().pathOf('project')];
    for (const path of ['project/.qwen/settings.json', 'system/etc/qwen-code/settings.json']) {
      home().write(path, JSON.stringify({ model: { name: 'other' } }));
      await assertJudgement(
        home(),
        qwenCode,
        { kind: 'elsewhere', says: /Chat to other/, remedy: 'open' },
        { folders },
      );
      home().write(path, JSON.stringify({ modelProviders: { openai: [{ id: 'x', baseUrl: 'https://x' }] } }));
      await assertJudgement(home(), qwenCode, { kind: 'unknown', remedy: 'open' }, { folders });
      home().write(path, '{}');
    }
    home().write('system/etc/qwen-code/system-defaults.json', JSON.stringify({ model: { name: 'other' } }));
    await assertJudgement(home(), qwenCode, { kind: 'sealed' }, { folders });
  });

  it('finds an HTTP proxy in its settings and .env files, unless our address is an exception', async () => {
    change({ proxy: HTTP_PROXY });
    await assertJudgement(home(), qwenCode, { kind: 'sealed' });
    change({ env: { SEALED_PROXY_KEY: home().endpoint.key } });
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says: /proxy\.example:3128 \(proxy in settings/ });
    change({ proxy: '' });
    home().write('.env', `export HTTPS_PROXY="${HTTP_PROXY}"\n`);
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says: /HTTPS_PROXY in \.env/ });
  });

  it('lets a variable of the shell take precedence over that of the file', async () => {
    const editor = { HTTP_PROXY, no_proxy: 'example.com' };
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere' }, { editor: { ...editor, NO_PROXY: '127.0.0.1' } });
    await assertJudgement(home(), qwenCode, { kind: 'sealed' }, { editor: { HTTP_PROXY, NO_PROXY: 'example.com' } });
  });

  it('lets a variable of a .env file take precedence over that of the file, even an empty one', async () => {
    const folders = [home().pathOf('project')];
    for (const list of ['example.com', '']) {
      home().write('project/.env', `HTTP_PROXY=${HTTP_PROXY}\nno_proxy=${list}\n`);
      const says = /HTTP proxy proxy\.example:3128 \(HTTP_PROXY in \.env\)/;
      await assertJudgement(home(), qwenCode, { kind: 'elsewhere', says, remedy: 'open' }, { folders });
    }
    home().write('project/.env', `HTTP_PROXY=${HTTP_PROXY}\n`);
    await assertJudgement(home(), qwenCode, { kind: 'sealed' }, { folders });
  });

  it('counts an empty variable of the shell, which keeps that of the file away', async () => {
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere' }, { editor: { HTTP_PROXY, no_proxy: '' } });
  });

  it('reads the nearest .env file around a project, also above its repository', async () => {
    const folders = [home().pathOf('work/project')];
    home().write('work/project/.git/HEAD', '');
    home().write('work/.env', `HTTP_PROXY=${HTTP_PROXY}\nno_proxy=example.com\n`);
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere' }, { folders });
    home().write('work/project/.env', `X=1\n`);
    await assertJudgement(home(), qwenCode, { kind: 'sealed' }, { folders });
    // The outer one is not read, so its exception does not help.
    home().write('work/project/.env', `HTTP_PROXY=${HTTP_PROXY}\n`);
    home().write('work/.env', 'no_proxy=127.0.0.1\n');
    change({ env: { SEALED_PROXY_KEY: home().endpoint.key } });
    await assertJudgement(home(), qwenCode, { kind: 'elsewhere' }, { folders });
  });

  it('finds hooks that post prompts, in the files of the user, of a project and of an organization', async () => {
    const folders = [home().pathOf('project')];
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'http', url: 'https://hooks.example/x' }] }] };
    const files = ['project/.qwen/settings.json', 'system/etc/qwen-code/settings.json'];
    for (const file of [FILE, ...files, 'system/etc/qwen-code/system-defaults.json']) {
      const before = file === FILE ? home().read(FILE) : '{}';
      home().write(file, JSON.stringify({ ...(JSON.parse(before) as object), hooks }));
      const says = /: The hook "UserPromptSubmit" to hooks\.example \(hooks\.UserPromptSubmit in [\w.-]+\.json\)\.$/;
      await assertJudgement(home(), qwenCode, { kind: 'partly', says, remedy: 'open' }, { folders });
      home().write(file, before);
      await assertJudgement(home(), qwenCode, { kind: 'sealed' }, { folders });
    }
  });

  it('finds the model of an agent, also in its model configuration', async () => {
    for (const head of ['model: other', 'modelConfig:\n  model: other', 'modelConfig: { model: "openai:other" }']) {
      home().write('.qwen/agents/x.md', `---\nname: helper\ndescription: helps\n${head}\n---\nYou help.\n`);
      const says = /The agent "helper" to (?:openai:)?other \(model(?:Config\.model)? in x\.md\)/;
      await assertJudgement(home(), qwenCode, { kind: 'partly', says, remedy: 'open' });
    }
  });

  it('does not know the provider if none is selected', async () => {
    change({ security: {} });
    await assertJudgement(home(), qwenCode, { kind: 'unknown', says: /selectedType/, remedy: 'connect' });
  });

  it('finds prompts in telemetry, wherever its target is', async () => {
    const otlpEndpoint = 'http://collector.example:4318';
    const says = /: Prompts in telemetry to collector\.example:4318 \(telemetry\.enabled in settings\.json\)/;
    for (const more of [{}, { target: 'local' }, { target: 'gcp' }]) {
      change({ telemetry: { enabled: true, otlpEndpoint, ...more } });
      await assertJudgement(home(), qwenCode, { kind: 'partly', says, remedy: 'open' });
    }
    change({ telemetry: { enabled: true, otlpEndpoint, outfile: '/tmp/x' } });
    await assertJudgement(home(), qwenCode, { kind: 'sealed' });
  });

  it('finds the arguments of tools in telemetry without prompts', async () => {
    change({ telemetry: { enabled: true, otlpEndpoint: 'http://collector.example', logPrompts: false } });
    await assertJudgement(home(), qwenCode, { kind: 'partly', says: /: Arguments of tools in telemetry to collector/ });
  });

  it('finds telemetry that a variable turns on or off', async () => {
    const editor = { QWEN_TELEMETRY_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example' };
    const says = /telemetry to collector\.example \(the variable QWEN_TELEMETRY_ENABLED\)/;
    await assertJudgement(home(), qwenCode, { kind: 'partly', says, remedy: 'copy' }, { editor });
    change({ telemetry: { enabled: true } });
    await assertJudgement(home(), qwenCode, { kind: 'sealed' }, { editor: { QWEN_TELEMETRY_ENABLED: 'false' } });
  });
});
