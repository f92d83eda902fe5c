import assert from 'node:assert/strict';
import type { Assistant } from '../../../../src/assistants/adapters/assistant.ts';
import { claudeCode } from '../../../../src/assistants/adapters/claudeCode.ts';
import { continueDev } from '../../../../src/assistants/adapters/continue.ts';
import { qwenCode } from '../../../../src/assistants/adapters/qwenCode.ts';
import type { Environment } from '../../../../src/assistants/judging/surroundings.ts';
import { FILE_ASSISTANTS } from '../../../../src/assistants/registry.ts';
import { EXAMPLES } from '../../../support/assistantFiles.ts';
import { apply, perTestHome } from '../../../support/assistantHome.ts';
import { assertJudgement, judgementOf, surroundingsIn } from '../../../support/judgements.ts';

const HTTP_PROXY = 'http://user:secret@proxy.example:3128';

/** Connecting has set an exception from HTTP proxies in their own files. */
const EXEMPT: readonly Assistant[] = [claudeCode, qwenCode, continueDev];

describe('fileAssistant() and where prompts go', () => {
  const home = perTestHome();

  for (const assistant of FILE_ASSISTANTS) {
    describe(`fileAssistant() for ${assistant.name}`, () => {
      it('seals all prompts once it is connected in a new home folder', async () => {
        await home().connect(assistant);
        await assertJudgement(home(), assistant, {
          kind: 'sealed',
          says: / is configured to send all prompts to Sealed Proxy\.$/,
        });
      });

      it('says that it is not connected without our entry', async () => {
        await assertJudgement(home(), assistant, { kind: 'elsewhere', says: /is not connected/, remedy: 'connect' });
      });

      it('is no longer sealed if a variable of the shell names an HTTP proxy, unless our address is an exception', async () => {
        await home().connect(assistant);
        const editor = { HTTP_PROXY, ALL_PROXY: HTTP_PROXY };
        const judgement = await judgementOf(home(), assistant, { editor });
        if (EXEMPT.includes(assistant)) {
          assert.equal(judgement.kind, 'sealed', JSON.stringify(judgement));
          return;
        }
        assert.equal(judgement.kind, 'elsewhere', JSON.stringify(judgement));
        assert.match(judgement.sentence, /through the HTTP proxy proxy\.example:3128 \(the variable HTTP_PROXY\)\.$/);
        assert.doesNotMatch(JSON.stringify(judgement), /secret/);
        assert.equal(judgement.remedy?.kind, 'copy');
        for (const list of ['127.0.0.1', ' example.com , 127.0.0.1 ', '127.0.0.1,localhost'])
          await assertJudgement(home(), assistant, { kind: 'sealed' }, { editor: { ...editor, NO_PROXY: list } });
        for (const list of ['localhost', '127.0.0.2', 'example.com', ''])
          await assertJudgement(home(), assistant, { kind: 'elsewhere' }, { editor: { ...editor, NO_PROXY: list } });
      });

      it("counts the variables of the editor's terminals", async () => {
        if (EXEMPT.includes(assistant)) return;
        await home().connect(assistant);
        const terminal = { HTTP_PROXY };
        await assertJudgement(home(), assistant, { kind: 'partly', says: /terminal\.integrated\.env/ }, { terminal });
      });

      it('does not take an unreadable organization file for none', async () => {
        const reading = await assistant.routes(
          home().expected,
          surroundingsIn(home(), { folders: [home().pathOf('p')] }),
        );
        const watched = reading.watched.filter((path) => !path.includes('/.git'));
        assert.ok(watched.length > 0);
        await home().connect(assistant);
        for (const path of watched.filter(
          (each) => each.startsWith(home().pathOf('system')) && /\.(?:json|jsonc|toml)$/.test(each),
        )) {
          home().write(path.slice(home().path.length), '\0{');
          await assertJudgement(home(), assistant, { kind: 'unknown', remedy: 'open' });
          home().write(path.slice(home().path.length), '');
        }
      });
    });
  }

  for (const [id, name, folder] of [
    ['claude-code', 'CLAUDE_CONFIG_DIR', '.claude'],
    ['codex', 'CODEX_HOME', '.codex'],
    ['continue', 'CONTINUE_GLOBAL_DIR', '.continue'],
    ['cline', 'CLINE_DIR', '.cline'],
    ['cline', 'CLINE_DATA_DIR', '.cline/data'],
    ['cline', 'CLINE_PROVIDER_SETTINGS_PATH', '.cline/data/settings/providers.json'],
    ['kilo', 'XDG_CONFIG_HOME', '.config'],
    ['opencode', 'XDG_CONFIG_HOME', '.config'],
    ['qwen-code', 'QWEN_HOME', '.qwen'],
  ] as const)
    it(`does not know what ${id} reads if ${name} names another place`, async () => {
      const assistant = FILE_ASSISTANTS.find((each) => each.id === id);
      assert.ok(assistant);
      await home().connect(assistant);
      const elsewhere = { [name]: home().pathOf('elsewhere') };
      const says = new RegExp(`: All prompts \\(the variable ${name}\\)`);
      const unknown = { kind: 'unknown', says, remedy: 'copy' } as const;
      await assertJudgement(home(), assistant, unknown, { editor: elsewhere });
      const inTerminal = { kind: 'unknown', says: /terminal\.integrated\.env/, remedy: 'open' } as const;
      await assertJudgement(home(), assistant, inTerminal, { terminal: elsewhere });
      for (const same of [home().pathOf(folder), ''])
        await assertJudgement(home(), assistant, { kind: 'sealed' }, { editor: { [name]: same } });
    });

  it('does not know what a terminal reads that has not the variable that moves the file', async () => {
    const claudeHome = home().pathOf('elsewhere');
    await apply(claudeCode, await home().plan(claudeCode, { ...home().endpoint, claudeHome }));
    const expected = { ...home().expected, claudeHome };
    const editor = { CLAUDE_CONFIG_DIR: claudeHome };
    const unknownIn = async (terminal: Environment) => {
      const { routes } = await claudeCode.routes(expected, surroundingsIn(home(), { editor, terminal }));
      return routes.filter(({ destination }) => destination.kind === 'unknown').map(({ source }) => source);
    };
    assert.deepEqual(await unknownIn(editor), []);
    assert.deepEqual(await unknownIn({}), [{ kind: 'setting', key: 'terminal.integrated.env' }]);
  });

  it('says nothing of our entry while the address of the proxy is unknown', async () => {
    for (const { assistant, file, after } of EXAMPLES) {
      home().write(file, after);
      const { routes } = await assistant.routes({ ...home().expected, baseUrl: undefined }, surroundingsIn(home()));
      assert.deepEqual(routes, []);
    }
  });
});
