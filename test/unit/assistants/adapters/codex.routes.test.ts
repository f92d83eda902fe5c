import assert from 'node:assert/strict';
import { codex } from '../../../../src/assistants/adapters/codex.ts';
import { perTestHome } from '../../../support/assistantHome.ts';
import { assertJudgement } from '../../../support/judgements.ts';

const FILE = '.codex/config.toml';
const HTTP_PROXY = 'http://proxy.example:3128';

describe('codexRoutes()', () => {
  const home = perTestHome();

  it('finds a profile with its own provider, which connecting removes and undo restores', async () => {
    await home().connect(codex);
    const before = `profile = "work"\n${home().read(FILE)}\n[profiles.work]\nmodel_provider = "ollama"\n`;
    home().write(FILE, before);
    await assertJudgement(home(), codex, {
      kind: 'elsewhere',
      says: /Chat to ollama \(profile in config\.toml\)/,
      remedy: 'connect',
    });
    const applied = await home().connect(codex);
    await assertJudgement(home(), codex, { kind: 'sealed' });
    home().write(FILE, `${home().read(FILE)}\n[tui]\nanimations = false\n`);
    assert.equal((await codex.undo(applied)).kind, 'undone');
    assert.match(home().read(FILE), /^profile = "work"$/m);
  });

  it("finds the organization's provider, and telemetry", async () => {
    await home().connect(codex);
    home().write('system/etc/codex/managed_config.toml', 'model_provider = "corp"\n');
    await assertJudgement(home(), codex, { kind: 'elsewhere', says: /Chat to corp/, remedy: 'open' });
    home().write(
      'system/etc/codex/managed_config.toml',
      '[otel]\nexporter = { otlp-http = { endpoint = "http://x" } }\n',
    );
    await assertJudgement(home(), codex, { kind: 'partly', says: /telemetry/ });
    home().write('system/etc/codex/managed_config.toml', '');
    home().write('system/etc/codex/config.toml', 'model_provider = "corp"\n'); // the user's file takes precedence
    await assertJudgement(home(), codex, { kind: 'sealed' });
  });

  it('does not know what an earlier version does with a project', async () => {
    await home().connect(codex);
    home().write('project/.codex/config.toml', 'model_provider = "corp"\n');
    await assertJudgement(home(), codex, { kind: 'unknown', remedy: 'open' }, { folders: [home().pathOf('project')] });
  });

  it('reads the variables of its own file, which take precedence over the shell', async () => {
    await home().connect(codex);
    home().write('.codex/.env', `HTTP_PROXY=${HTTP_PROXY}\n`);
    await assertJudgement(home(), codex, { kind: 'elsewhere', says: /HTTP_PROXY in \.env/, remedy: 'open' });
    home().write('.codex/.env', 'NO_PROXY="127.0.0.1"\n');
    await assertJudgement(home(), codex, { kind: 'sealed' }, { editor: { HTTP_PROXY, NO_PROXY: 'example.com' } });
    await assertJudgement(home(), codex, { kind: 'sealed' }, { editor: { HTTPS_PROXY: HTTP_PROXY } });
    home().write('.codex/.env', 'NO_PROXY=*\n');
    await assertJudgement(home(), codex, { kind: 'unknown' }, { editor: { HTTP_PROXY } });
  });

  it('does not count an exception if the variable that wins is empty', async () => {
    await home().connect(codex);
    const editor = { HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY: '', no_proxy: '127.0.0.1' };
    await assertJudgement(home(), codex, { kind: 'elsewhere', says: /through the HTTP proxy/ }, { editor });
  });
});
