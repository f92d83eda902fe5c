// What is particular to one assistant or another.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { cline } from '../../../../src/assistants/adapters/cline.ts';
import { continueDev } from '../../../../src/assistants/adapters/continue.ts';
import { kilo } from '../../../../src/assistants/adapters/kilo.ts';
import { opencode } from '../../../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../../../src/assistants/adapters/qwenCode.ts';
import type { Assistant, Change, AssistantEndpoint } from '../../../../src/assistants/types.ts';
import { KEY, MODEL, OTHER_KEY, URL, connectionTo } from '../../../support/assistantFiles.ts';

describe('The entry of an assistant', () => {
  let home: string;
  let connection: AssistantEndpoint;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'sealed-proxy-home-'));
    connection = connectionTo(home);
  });

  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  const planned = async (assistant: Assistant, to = connection): Promise<Change> => {
    const plan = await assistant.plan(to);
    assert.ok(plan.kind === 'change', JSON.stringify(plan));
    return plan;
  };
  const yaml = async (before: string, to = connection) => {
    put('.continue/config.yaml', before);
    return (await planned(continueDev, to)).after;
  };
  const known = () => ({ ...connection, model: { id: MODEL, contextWindow: 131_072, maxOutput: 8192 } });

  it('is put where opencode and Kilo read it', async () => {
    for (const [assistant, first, second] of [
      [opencode, '.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
      [kilo, '.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
    ] as const) {
      assert.equal((await planned(assistant)).path, join(home, first));
      put(second, '{}');
      assert.equal((await planned(assistant)).path, join(home, second));
      put(first, '{}');
      assert.equal((await planned(assistant)).path, join(home, first), 'the one that counts, where there are both');
    }
  });

  it('is put where XDG_CONFIG_HOME says, for those that go by it', async () => {
    const to = { ...connection, configHome: join(home, 'elsewhere') };
    assert.equal((await planned(opencode, to)).path, join(home, 'elsewhere/opencode/opencode.jsonc'));
    assert.equal((await planned(qwenCode, to)).path, join(home, '.qwen/settings.json'));
    assert.equal(
      (await planned(opencode, { ...to, configHome: '' })).path,
      join(home, '.config/opencode/opencode.jsonc'),
    );
    assert.equal(await opencode.detect(to), false);
    await opencode.apply(await planned(opencode, to));
    assert.equal(await opencode.detect(to), true);
    assert.deepEqual(await opencode.inspect({ ...to, baseUrl: URL, key: KEY }), { kind: 'current', model: MODEL });
    assert.deepEqual(await opencode.inspect({ home, baseUrl: URL, key: KEY }), { kind: 'absent' });
  });

  it('has the limits of a model where they are known', async () => {
    const value = JSON.parse((await planned(opencode, known())).after) as {
      provider: Record<string, { models: unknown }>;
    };
    const limit = { context: 131_072, output: 8192 };
    assert.deepEqual(value.provider['sealed-proxy']?.models, { [MODEL]: { name: MODEL, limit } });
    const { models } = parse((await planned(continueDev, known())).after) as {
      models: { defaultCompletionOptions: unknown }[];
    };
    assert.deepEqual(models[0]?.defaultCompletionOptions, { contextLength: 131_072, maxTokens: 8192 });
    const { modelProviders } = JSON.parse((await planned(qwenCode, known())).after) as {
      modelProviders: { openai: { generationConfig: unknown }[] };
    };
    const generationConfig = { contextWindowSize: 131_072, samplingParams: { max_tokens: 8192 } };
    assert.deepEqual(modelProviders.openai[0]?.generationConfig, generationConfig);
    assert.match((await planned(cline, known())).after, /"contextWindow": 131072\n/);
  });

  it("leaves a person's own limits, until it is another model's turn", async () => {
    const cases = [
      [qwenCode, '.qwen/settings.json', /("contextWindowSize": )\d+/],
      [cline, '.cline/data/settings/providers.json', /("contextWindow": )\d+/],
    ] as const;
    for (const [assistant, file, limit] of cases) {
      const own = (await planned(assistant, known())).after.replace(limit, '$14096');
      put(file, own);
      const again = await planned(assistant, { ...known(), key: OTHER_KEY });
      assert.equal(limit.exec(again.after)?.[0], limit.exec(own)?.[0]);
      const other = await planned(assistant, { ...known(), model: { id: 'other', contextWindow: 32_768 } });
      assert.match(limit.exec(other.after)?.[0] ?? '', /: 32768$/);
    }
  });

  it('keeps what a person has added to it in opencode', async () => {
    const entry = (key: string) =>
      `{"provider": {"sealed-proxy": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "${URL}", "apiKey": "${key}", "timeout": false}, "models": {"${MODEL}": {"name": "Mine"}}}}, "model": "sealed-proxy/${MODEL}"}`;
    put('.config/opencode/opencode.json', entry(OTHER_KEY));
    assert.equal((await planned(opencode)).after, entry(KEY));
  });

  it('keeps what a person has added to it in Qwen Code', async () => {
    const entry = (baseUrl: string) =>
      JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        env: { SEALED_PROXY_KEY: KEY },
        modelProviders: { openai: [{ id: MODEL, name: MODEL, envKey: 'SEALED_PROXY_KEY', baseUrl, extra: [1] }] },
        model: { name: MODEL, other: 1 },
      });
    put('.qwen/settings.json', entry('http://127.0.0.1:1/v1'));
    assert.deepEqual(JSON.parse((await planned(qwenCode)).after), JSON.parse(entry(URL)));
  });

  it('takes the place of another server in Cline, and the preview says which', async () => {
    const settings = { provider: 'openai-compatible', apiKey: 'abc', model: 'gpt', baseUrl: 'https://example.com/v1' };
    put(
      '.cline/data/settings/providers.json',
      JSON.stringify({ version: 1, providers: { 'openai-compatible': { settings } } }),
    );
    const { preview } = await planned(cline);
    assert.ok(preview.changes.some((line) => line.includes('"https://example.com/v1"') && line.includes(`"${URL}"`)));
    assert.ok(!JSON.stringify(preview).includes('abc'));
  });

  it('does not take an older configuration of Continue out of use', async () => {
    put('.continue/config.json', '{}');
    const plan = await continueDev.plan(connection);
    assert.ok(plan.kind === 'refused');
    assert.match(plan.message, /config\.json and would no longer do so\. Move it to .*config\.yaml first\.$/);
    put('.continue/config.yaml', 'name: x\n');
    assert.equal((await continueDev.plan(connection)).kind, 'change');
  });

  it('finds its place in every form of YAML, and the rest stays', async () => {
    const entry = (indent: string) =>
      ['- name: Sealed Proxy', '  provider: openai', `  model: ${MODEL}`].map((line) => `${indent}${line}\n`).join('');
    for (const [before, start] of [
      ['# only a comment', '# only a comment\nname: Local Assistant\n'],
      ['name: x', `name: x\nmodels:\n${entry('  ')}`],
      ['models: # mine\nname: x\n', `models: # mine\n${entry('  ')}`],
      ['models:', `models:\n${entry('  ')}`],
      ['models:\n- name: a', `models:\n- name: a\n${entry('')}`],
      ['models:\n- name: a # b\n# c\n\nname: x\n', `models:\n- name: a # b\n${entry('')}`],
      ['models: []\nname: x\n', 'models: [{"name":"Sealed Proxy",'],
      [
        'models: [ {name: a}, # b\n  {name: c} ] # d\n',
        'models: [ {name: a}, # b\n  {name: c} , {"name":"Sealed Proxy",',
      ],
      [
        'models:\n  - name: a\n    prompt: |\n      b\n\n      c\nx: 1\n',
        'models:\n  - name: a\n    prompt: |\n      b\n\n      c\n',
      ],
      ['---\nmodels:\n  - name: a\n...\n', `---\nmodels:\n  - name: a\n${entry('  ')}`],
    ] as const) {
      const after = await yaml(before);
      assert.ok(after.startsWith(start), after);
      put('.continue/config.yaml', after);
      assert.equal((await continueDev.plan(connection)).kind, 'unchanged');
      let at = 0;
      for (const character of after) if (before[at] === character) at++;
      assert.equal(at, before.length, after);
    }
  });

  it('is not called in use where the person has chosen something else since', async () => {
    for (const [assistant, ours, theirs] of [
      [opencode, `"model": "sealed-proxy/${MODEL}"`, '"model": "anthropic/claude"'],
      [cline, '"lastUsedProvider": "openai-compatible"', '"lastUsedProvider": "anthropic"'],
      [qwenCode, '"selectedType": "openai"', '"selectedType": "qwen-oauth"'],
    ] as const) {
      const plan = await assistant.plan(connectionTo(home));
      assert.ok(plan.kind === 'change');
      assert.equal((await assistant.apply(plan)).kind, 'applied');
      const written = readFileSync(plan.path, 'utf8');
      assert.ok(written.includes(ours), written);
      writeFileSync(plan.path, written.replace(ours, theirs));
      const elsewhere = theirs.split('"').at(-2);
      assert.deepEqual(await assistant.inspect({ home, baseUrl: URL, key: KEY }), {
        kind: 'current',
        model: MODEL,
        elsewhere,
      });
      const unknown = await assistant.inspect({ home, baseUrl: undefined, key: KEY });
      assert.ok(unknown.kind === 'current' && unknown.uncompared === true);
    }
  });

  it('is mended in YAML without a change to what a person has written around it', async () => {
    const entry = (model: string, url: string, key: string) =>
      `models:\n  - {name: Sealed Proxy, apiKey: ${key}, provider: openai,   apiBase: ${url}, model: ${model}} # mine\n`;
    const after = await yaml(entry("'old'", 'http://127.0.0.1:1/v1', OTHER_KEY));
    assert.equal(after, entry(`"${MODEL}"`, `"${URL}"`, `"${KEY}"`));
    put('.continue/config.yaml', 'models:\n  - name: Sealed Proxy\n    model: x\n');
    assert.equal((await continueDev.plan(connection)).kind, 'refused');
  });

  it('has every model by its own name', async () => {
    for (const id of [
      'yes',
      '123',
      'null',
      'a: b',
      '# x',
      "it's",
      '- x',
      '"q"',
      '@cf/meta',
      '*x',
      'ü🦙',
      'a\\b',
      '%x',
    ]) {
      const to = { ...connection, model: { id } };
      for (const assistant of [continueDev, cline, kilo, opencode, qwenCode]) {
        const change = await planned(assistant, to);
        const applied = await assistant.apply(change);
        assert.ok(applied.kind === 'applied');
        const configState = await assistant.inspect({ home, baseUrl: URL, key: KEY });
        assert.deepEqual(configState, { kind: 'current', model: id });
        assert.equal((await assistant.undo(applied)).kind, 'undone');
      }
    }
  });
});
