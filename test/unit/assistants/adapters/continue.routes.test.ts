import { continueDev } from '../../../../src/assistants/adapters/continue.ts';
import { perTestHome } from '../../../support/assistantHome.ts';
import { assertJudgement } from '../../../support/judgements.ts';

const FILE = '.continue/config.yaml';
const STATE = '.continue/index/globalContext.json';

describe('continueRoutes()', () => {
  const home = perTestHome();

  it('finds models of roles that ours does not have', async () => {
    home().write(
      FILE,
      'models:\n  - name: Tab\n    provider: mistral\n    model: codestral\n    roles: [autocomplete]\n',
    );
    await home().connect(continueDev);
    const says = /Completions to mistral/;
    await assertJudgement(home(), continueDev, { kind: 'partly', says, remedy: 'open' });
  });

  it('uses ours, which comes first, unless another one is selected or comes before', async () => {
    const theirs = '  - name: Claude\n    provider: anthropic\n    model: claude\n';
    home().write(FILE, `models:\n${theirs}`);
    await home().connect(continueDev);
    await assertJudgement(home(), continueDev, { kind: 'sealed' });
    home().write(STATE, JSON.stringify({ selectedModelsByProfileId: { local: { chat: 'Claude' } } }));
    await assertJudgement(home(), continueDev, { kind: 'partly', says: /Chat to anthropic/ });
    home().write(STATE, '{}');
    home().write(FILE, home().read(FILE).replace(theirs, '').replace('models:\n', `models:\n${theirs}`));
    await assertJudgement(home(), continueDev, { kind: 'elsewhere', says: /Chat to anthropic/ });
  });

  it('does not know what other assistants and blocks do', async () => {
    await home().connect(continueDev);
    home().write('project/.continue/models/x.yaml', 'name: x\n');
    const folders = [home().pathOf('project')];
    await assertJudgement(home(), continueDev, { kind: 'unknown', says: /The model "x"/, remedy: 'open' }, { folders });
  });

  it('finds where development data goes, and an HTTP proxy of our entry', async () => {
    await home().connect(continueDev);
    const text = home().read(FILE);
    home().write(FILE, `${text}data:\n  - name: mine\n    destination: https://data.example/x\n    schema: 0.2.0\n`);
    await assertJudgement(home(), continueDev, { kind: 'partly', says: /Development data to data\.example/ });
    home().write(FILE, text.replace('requestOptions:\n', 'requestOptions:\n      proxy: http://proxy.example:1\n'));
    await assertJudgement(home(), continueDev, { kind: 'partly', says: /proxy\.example:1/ });
  });

  it('does not count the exception of one open folder for another', async () => {
    await home().connect(continueDev);
    home().write(FILE, home().read(FILE).replace('127.0.0.1\n', 'example.com\n'));
    const folders = [home().pathOf('one'), home().pathOf('other')];
    home().write('one/.env', 'HTTP_PROXY=http://proxy.example:3128\n');
    home().write('other/.env', 'NO_PROXY=127.0.0.1\n');
    await assertJudgement(home(), continueDev, { kind: 'partly' }, { folders });
  });
});
