import { cline } from '../../../../src/assistants/adapters/cline.ts';
import { perTestHome } from '../../../support/assistantHome.ts';
import { assertJudgement } from '../../../support/judgements.ts';

const FILE = '.cline/data/settings/providers.json';

describe('clineRoutes()', () => {
  const home = perTestHome();
  const change = (fields: object) => {
    home().write(FILE, JSON.stringify({ ...(JSON.parse(home().read(FILE)) as object), ...fields }));
  };

  beforeEach(async () => {
    await home().connect(cline);
  });

  it('finds another selected provider, and a mode with its own', async () => {
    change({ modes: { voiceInput: { providerId: 'cline', modelId: 'x' }, plan: { provider: 'ignored' } } });
    const says = /The mode "voiceInput" to cline/;
    await assertJudgement(home(), cline, { kind: 'partly', says, remedy: 'connect' });
    change({ lastUsedProvider: 'anthropic' });
    await assertJudgement(home(), cline, { kind: 'elsewhere', says: /Chat to anthropic/, remedy: 'connect' });
    await home().connect(cline);
    await assertJudgement(home(), cline, { kind: 'sealed' });
  });

  it('does not trust a file that Cline takes for an empty one', async () => {
    const { providers } = JSON.parse(home().read(FILE)) as { providers: Readonly<Record<string, object>> };
    const entry = { settings: { provider: 'anthropic', apiKey: 'x' }, updatedAt: '2026-01-01T00:00:00.000Z' };
    for (const [part, fields] of [
      ['version', { version: 2 }],
      ['modes', { modes: [] }],
      ['modes.voiceInput', { modes: { voiceInput: { providerId: 'openai-compatible' } } }],
      ['providers.foo', { providers: { ...providers, foo: 5 } }],
      ['providers.anthropic', { providers: { ...providers, anthropic: { ...entry, updatedAt: 'yesterday' } } }],
      ['providers.anthropic', { providers: { ...providers, anthropic: { ...entry, tokenSource: 'other' } } }],
      ['providers.anthropic', { providers: { ...providers, anthropic: { ...entry, settings: { apiKey: 'x' } } } }],
    ] as const) {
      change({ version: 1, modes: {}, providers, ...fields });
      const says = new RegExp(`All prompts \\(${part} in providers\\.json\\)`);
      await assertJudgement(home(), cline, { kind: 'unknown', says, remedy: 'open' });
    }
    change({ version: 1, modes: {}, providers: { ...providers, anthropic: entry } });
    await assertJudgement(home(), cline, { kind: 'sealed' });
  });

  it('does not know where its sandbox sends prompts', async () => {
    const says = /All prompts \(the variable CLINE_SANDBOX\)/;
    await assertJudgement(home(), cline, { kind: 'unknown', says }, { editor: { CLINE_SANDBOX: '1' } });
    await assertJudgement(home(), cline, { kind: 'sealed' }, { editor: { CLINE_SANDBOX: '0' } });
  });

  it('reads the .env file of an open folder', async () => {
    const folders = [home().pathOf('project')];
    home().write('project/.env', 'HTTP_PROXY=http://proxy.example:3128\n');
    const says = /HTTP_PROXY in \.env/;
    await assertJudgement(home(), cline, { kind: 'elsewhere', says, remedy: 'open' }, { folders });
    await assertJudgement(home(), cline, { kind: 'sealed' }, { folders, editor: { NO_PROXY: '127.0.0.1' } });
  });

  it('does not count the exception of one open folder for another', async () => {
    const folders = [home().pathOf('one'), home().pathOf('other')];
    home().write('one/.env', 'HTTP_PROXY=http://proxy.example:3128\n');
    home().write('other/.env', 'NO_PROXY=127.0.0.1\n');
    await assertJudgement(home(), cline, { kind: 'partly', remedy: 'open' }, { folders });
  });
});
