import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { continueDev } from '../../../../src/assistants/adapters/continue.ts';
import { KEY, MODEL, OTHER_KEY, THEIR_KEY, URL } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

const FILE = '.continue/config.yaml';

describe('continueDev', () => {
  const home = perTestHome();

  const connected = async (before: string) => {
    home().write(FILE, before);
    return (await home().plan(continueDev)).after;
  };

  it('contains the limits of a model if they are known', async () => {
    const model = { id: MODEL, limits: { contextWindow: 131_072, maxOutput: 8192 } };
    const { after } = await home().plan(continueDev, { ...home().endpoint, model });
    const { models } = parse(after) as { models: { defaultCompletionOptions: unknown }[] };
    assert.deepEqual(models[0]?.defaultCompletionOptions, { contextLength: 131_072, maxTokens: 8192 });
  });

  it('does not replace an older configuration, which Continue would then ignore', async () => {
    home().write('.continue/config.json', '{}');
    const plan = await continueDev.plan(home().endpoint);
    assert.ok(plan.kind === 'refused');
    assert.match(plan.message, /^Continue would ignore .*config\.json if .*config\.yaml existed\. Move/);
    home().write(FILE, 'name: x\n');
    assert.equal((await continueDev.plan(home().endpoint)).kind, 'change');
  });

  it('adds its entry to every form of YAML and keeps the rest', async () => {
    const entry = (indent: string) =>
      ['- name: Sealed Proxy', '  provider: openai', `  model: ${MODEL}`].map((line) => `${indent}${line}\n`).join('');
    for (const [before, start] of [
      ['# only a comment', '# only a comment\nname: Local Assistant\n'],
      ['name: x', `name: x\nmodels:\n${entry('  ')}`],
      ['models: # mine\nname: x\n', `models: # mine\n${entry('  ')}`],
      ['models:', `models:\n${entry('  ')}`],
      ['models:\n- name: a', `models:\n${entry('')}`],
      ['models:\n# c\n- name: a # b\n\nname: x\n', `models:\n${entry('')}`],
      ['models: []\nname: x\n', 'models: [{"name":"Sealed Proxy",'],
      ['models: [ {name: a}, # b\n  {name: c} ] # d\n', 'models: [ {"name":"Sealed Proxy",'],
      ['models:\n  - name: a\n    prompt: |\n      b\n\n      c\nx: 1\n', `models:\n${entry('  ')}`],
      ['---\nmodels:\n  - name: a\n...\n', `---\nmodels:\n${entry('  ')}`],
    ] as const) {
      const after = await connected(before);
      assert.ok(after.startsWith(start), after);
      home().write(FILE, after);
      assert.equal((await continueDev.plan(home().endpoint)).kind, 'unchanged');
      let at = 0;
      for (const character of after) if (before[at] === character) at++;
      assert.equal(at, before.length, after);
    }
  });

  it('repairs its entry and keeps what the user has written around it', async () => {
    const entry = (model: string, url: string, key: string) =>
      `models:\n  - {name: Sealed Proxy, apiKey: ${key}, provider: openai,   apiBase: ${url}, model: ${model}} # mine\n`;
    const after = await connected(entry("'old'", 'http://127.0.0.1:1/v1', OTHER_KEY));
    assert.equal(after, entry(`"${MODEL}"`, `"${URL}"`, `"${KEY}"`));
  });

  it('refuses its entry without the values to repair', async () => {
    home().write(FILE, `models:\n  - name: Sealed Proxy\n    apiKey: ${KEY}\n    model: x\n`);
    assert.equal((await continueDev.plan(home().endpoint)).kind, 'refused');
  });

  it("keeps a user's own model of the same name", async () => {
    const theirs = `  - name: Sealed Proxy\n    provider: anthropic\n    apiKey: ${THEIR_KEY}\n    model: x\n`;
    const after = await connected(`models:\n${theirs}`);
    assert.ok(after.endsWith(theirs), after);
    assert.ok(after.includes(KEY), after);
  });

  it('removes its entry from every form of a list, and keeps the rest as it is now', async () => {
    for (const before of [
      'models: []\nname: x\n',
      'models: [ {name: a}, # b, c\n  {name: c} ] # d\n',
      'models: [{name: a}]\n',
      'models:\n  # the big one\n  - name: a\n',
      'models: # mine\n  - name: a # b\nname: x\n',
    ]) {
      home().write(FILE, before);
      const applied = await home().connect(continueDev);
      home().write(FILE, `${home().read(FILE)}theirs: 1\n`);
      const result = await continueDev.undo(applied);
      assert.equal(result.kind, 'undone', JSON.stringify(result));
      assert.equal(home().read(FILE), `${before}theirs: 1\n`);
    }
  });

  it('removes its entry from any place in a list', async () => {
    const ours = `{name: Sealed Proxy, apiKey: ${KEY}, apiBase: x, model: y}`;
    for (const [text, wanted] of [
      [`models: [${ours}]\n`, 'models: []\n'],
      [`models: [ ${ours}, {name: a} ]\n`, 'models: [ {name: a} ]\n'],
      [`models: [{name: a}, ${ours}, {name: b}]\n`, 'models: [{name: a}, {name: b}]\n'],
      [`models:\n  [\n    {name: a}, # not, this\n    ${ours},\n  ]\n`, undefined],
      [
        `models:\n  # only, ours\n  - name: Sealed Proxy\n    apiKey: ${KEY}\nname: x\n`,
        'models: []\n  # only, ours\nname: x\n',
      ],
      [`models: # ours\n\n- ${ours}\n`, 'models: [] # ours\n\n'],
      [`"models" :\n  - ${ours}\n`, '"models" : []\n'],
    ] as const) {
      home().write(FILE, text);
      const applied = { kind: 'applied', path: home().pathOf(FILE), before: '', after: '', mixed: true } as const;
      const result = await continueDev.undo(applied);
      assert.equal(result.kind, 'undone', `${text}${JSON.stringify(result)}`);
      const rest = home().read(FILE);
      if (wanted !== undefined) assert.equal(rest, wanted);
      const names = (parse(text) as { models: { name: string }[] }).models.map(({ name }) => name);
      const left = (parse(rest) as { models: { name: string }[] }).models.map(({ name }) => name);
      assert.deepEqual(
        left,
        names.filter((name) => name !== 'Sealed Proxy'),
      );
    }
  });
});
