import assert from 'node:assert/strict';
import type { ModelChoice } from '../../../../src/assistants/adapters/assistant.ts';
import { claudeCode } from '../../../../src/assistants/adapters/claudeCode.ts';
import { KEY, MESSAGES_URL, MODEL, OTHER_KEY, THEIR_KEY } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

const FILE = '.claude/settings.json';
const LARGE: ModelChoice = { id: 'glm-5-2', limits: { contextWindow: 200_000, maxOutput: 16_384 } };
const SWITCHES = ['BEDROCK', 'VERTEX', 'FOUNDRY', 'MANTLE', 'ANTHROPIC_AWS', 'ANTHROPIC_GOOGLE_CLOUD'].map(
  (provider) => `CLAUDE_CODE_USE_${provider}`,
);
const SMALL: ModelChoice = { id: 'gemma-small', limits: { contextWindow: 32_768, maxOutput: 4096 } };

describe('claudeCode', () => {
  const home = perTestHome();

  const env = () => (JSON.parse(home().read(FILE)) as { env?: unknown }).env;
  const withModels = (model: ModelChoice, smallModel?: ModelChoice) => ({ ...home().endpoint, model, smallModel });

  it('writes the address, the key, the models with their sizes, and turns off what is sent elsewhere', async () => {
    await home().connect(claudeCode, withModels(LARGE, SMALL));
    assert.deepEqual(env(), {
      ANTHROPIC_BASE_URL: MESSAGES_URL,
      ANTHROPIC_AUTH_TOKEN: KEY,
      ANTHROPIC_MODEL: LARGE.id,
      ANTHROPIC_DEFAULT_FABLE_MODEL: LARGE.id,
      ANTHROPIC_DEFAULT_OPUS_MODEL: LARGE.id,
      ANTHROPIC_DEFAULT_SONNET_MODEL: LARGE.id,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: SMALL.id,
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '200000',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '4096',
      CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...Object.fromEntries(SWITCHES.map((name) => [name, '0'])),
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    });
  });

  it('keeps the small model and the sizes when it is repaired', async () => {
    await home().connect(claudeCode, withModels(LARGE, SMALL));
    const before = home().read(FILE);
    await home().connect(claudeCode, { ...withModels({ id: LARGE.id }), key: OTHER_KEY });
    assert.equal(home().read(FILE), before.replace(KEY, OTHER_KEY));
  });

  it('removes the sizes of a previous model if those of the new one are unknown', async () => {
    await home().connect(claudeCode, withModels(LARGE, SMALL));
    await home().connect(claudeCode, withModels({ id: 'other' }, { id: 'other' }));
    assert.doesNotMatch(home().read(FILE), /_TOKENS/);
  });

  it('also sets the variables that would take precedence, and restores them', async () => {
    const before = {
      ANTHROPIC_SMALL_FAST_MODEL: 'claude-haiku',
      CLAUDE_CODE_SUBAGENT_MODEL: 'claude-sonnet',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_USE_VERTEX: 'true',
      CLAUDE_CODE_USE_FOUNDRY: '0',
    };
    home().write(FILE, JSON.stringify({ env: before }));
    const applied = await home().connect(claudeCode, withModels(LARGE, SMALL));
    const {
      ANTHROPIC_SMALL_FAST_MODEL: small,
      CLAUDE_CODE_SUBAGENT_MODEL: subagent,
      ...after
    } = env() as Record<string, string>;
    assert.deepEqual([small, subagent], [SMALL.id, LARGE.id]);
    assert.deepEqual([after['CLAUDE_CODE_USE_BEDROCK'], after['CLAUDE_CODE_USE_VERTEX']], ['0', '0']);
    assert.deepEqual(await claudeCode.inspect(home().expected), { kind: 'current', model: LARGE.id });
    home().write(FILE, home().read(FILE).replace('{', '{"theirs": 1, '));
    assert.equal((await claudeCode.undo(applied)).kind, 'undone');
    assert.deepEqual(JSON.parse(home().read(FILE)), { theirs: 1, env: before });
  });

  it('leaves the token that the user has written in place of ours, and nothing else', async () => {
    home().write(FILE, JSON.stringify({ env: { ANTHROPIC_MODEL: 'claude-opus-5' } }));
    const applied = await home().connect(claudeCode);
    home().write(FILE, home().read(FILE).replace(KEY, THEIR_KEY));
    await claudeCode.disconnect({ places: { home: home().path }, applied, isOurs: () => true });
    assert.deepEqual(env(), { ANTHROPIC_MODEL: 'claude-opus-5', ANTHROPIC_AUTH_TOKEN: THEIR_KEY });
  });

  it('keeps the values that the user has written since, and restores the others', async () => {
    home().write(FILE, JSON.stringify({ env: { ANTHROPIC_MODEL: 'claude-opus-5', NO_PROXY: 'intra.example' } }));
    const applied = await home().connect(claudeCode);
    home().write(FILE, home().read(FILE).replace(`"ANTHROPIC_MODEL":"${MODEL}"`, '"ANTHROPIC_MODEL":"later"'));
    assert.equal((await claudeCode.undo(applied)).kind, 'undone');
    assert.deepEqual(env(), { ANTHROPIC_MODEL: 'later', NO_PROXY: 'intra.example' });
  });

  it('adds our address to the exceptions from HTTP proxies, those of the file or else of the shell', async () => {
    const environment = { NO_PROXY: 'shell.example' };
    home().write(FILE, JSON.stringify({ env: { no_proxy: 'file.example' } }));
    await home().connect(claudeCode, { ...home().endpoint, environment });
    const { NO_PROXY: upper, no_proxy: lower } = env() as Record<string, string>;
    assert.deepEqual([upper, lower], ['shell.example,127.0.0.1,localhost', 'file.example,127.0.0.1,localhost']);
  });

  it('uses CLAUDE_CONFIG_DIR', async () => {
    const claudeHome = home().pathOf('elsewhere');
    const change = await home().plan(claudeCode, { ...home().endpoint, claudeHome });
    assert.equal(change.path, home().pathOf('elsewhere/settings.json'));
  });

  it('shows the sizes of the models in the preview', async () => {
    const { preview } = await home().plan(claudeCode, withModels(LARGE, SMALL));
    assert.ok(preview.changes.includes('sets env.CLAUDE_CODE_MAX_CONTEXT_TOKENS to "200000"'), preview.changes.join());
    assert.ok(preview.after.includes('"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "200000"'), preview.after);
  });
});
