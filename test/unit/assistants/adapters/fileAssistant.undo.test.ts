import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { EXAMPLES, KEY, MODEL, OTHER_KEY } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

const BACKUP = '.sealed-proxy-backup';

/** Removing an entry may leave a comma or a line break in another place. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s,]+/g, '');
}

/** Adds a value of the user, by the extension of the file. */
const EDITS: Readonly<Record<string, (text: string) => string>> = {
  '.yaml': (text) => `${text}theirs: 1\n`,
  '.toml': (text) => `theirs = 1\n${text}`,
  '.json': (text) => text.replace('{', '{ "theirs": 1,'),
};

describe('fileAssistant() undo', () => {
  const home = perTestHome();

  for (const { assistant, file, before, broken } of EXAMPLES) {
    describe(`for ${assistant.name}`, () => {
      const path = () => home().pathOf(file);
      const text = () => home().read(file);

      it('removes a file that did not exist, with its folders', async () => {
        const applied = await home().connect(assistant);
        assert.deepEqual(await assistant.undo(applied), { kind: 'undone' });
        assert.deepEqual(readdirSync(home().path), []);
      });

      it('restores an empty file', async () => {
        for (const nothing of ['', '\n', '  \n\n']) {
          home().write(file, nothing);
          const applied = await home().connect(assistant);
          assert.deepEqual(await assistant.inspect(home().expected), { kind: 'current', model: MODEL });
          await assistant.undo(applied);
          assert.equal(text(), nothing);
        }
      });

      it('removes only our entry if the file was edited since', async () => {
        for (const start of [before, '', undefined]) {
          if (start === undefined) rmSync(path());
          else home().write(file, start);
          const applied = await home().connect(assistant);
          const edit = EDITS[extname(file)] ?? EDITS['.json'];
          assert.ok(edit);
          home().write(file, edit(text()));
          const result = await assistant.undo(applied);
          assert.ok(result.kind === 'undone', JSON.stringify(result));
          assert.match(result.left ?? '', / was edited since, so only the Sealed Proxy entry was removed\.$/);
          assert.ok(!text().includes(KEY));
          assert.match((await assistant.inspect(home().expected)).kind, /^(absent|other)$/);
          if (start !== before) continue;
          assert.equal(withoutBlanks(text()), withoutBlanks(edit(before)));
        }
      });

      it('does not change a file that no longer parses, and accepts that a file is gone', async () => {
        home().write(file, before);
        const applied = await home().connect(assistant);
        for (const bad of broken) {
          home().write(file, bad);
          const result = await assistant.undo(applied);
          if (result.kind === 'refused') {
            assert.match(result.message, /was edited since, so it cannot be restored automatically/);
            assert.ok(result.message.endsWith(`The original file is in ${path()}${BACKUP}.`));
          }
          assert.equal(text(), bad);
        }
        rmSync(path());
        const gone = await assistant.undo(applied);
        assert.ok(gone.kind === 'undone');
        assert.match(gone.left ?? '', /no longer exists/);
      });

      it('has one backup, from before the first change', async () => {
        home().write(file, before);
        await home().connect(assistant);
        assert.equal(readFileSync(path() + BACKUP, 'utf8'), before);
        if (process.platform !== 'win32') assert.equal(statSync(path() + BACKUP).mode & 0o777, 0o600);
        await home().connect(assistant, { ...home().endpoint, key: OTHER_KEY });
        assert.equal(readFileSync(path() + BACKUP, 'utf8'), before);
        assert.deepEqual(readdirSync(dirname(path())).length, 2);
      });

      it('deletes the backup, so that the next change makes a new one', async () => {
        home().write(file, before);
        await assistant.undo(await home().connect(assistant));
        assert.equal(existsSync(path() + BACKUP), false);
        const later = before.replace('\n', '\n\n');
        home().write(file, later);
        await home().connect(assistant);
        assert.equal(readFileSync(path() + BACKUP, 'utf8'), later);
      });
    });
  }
});
