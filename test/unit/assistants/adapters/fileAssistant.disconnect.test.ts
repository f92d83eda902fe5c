import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { Applied } from '../../../../src/assistants/files/change.ts';
import { EXAMPLES, KEY, OTHER_KEY } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

describe('fileAssistant() disconnect', () => {
  const home = perTestHome();

  for (const { assistant, file, before } of EXAMPLES) {
    describe(`for ${assistant.name}`, () => {
      const text = () => home().read(file);
      const disconnect = (applied?: Applied, previous?: string, ours: readonly string[] = [KEY]) =>
        assistant.disconnect({
          places: { home: home().path },
          applied,
          previous,
          isOurs: (key) => ours.includes(key),
        });
      /** The names of all files. */
      const files = () =>
        readdirSync(home().path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => name);

      it('restores every byte and deletes the backup if the change is known', async () => {
        home().write(file, before);
        const applied = await home().connect(assistant);
        assert.equal((await disconnect(applied)).kind, 'undone');
        assert.equal(text(), before);
        assert.equal(files().length, 1);
        assert.deepEqual(await disconnect(), { kind: 'unchanged' });
      });

      it('removes the entry and the backup if the file was edited since, with and without the change', async () => {
        for (const isKnown of [true, false]) {
          home().write(file, before);
          const applied = await home().connect(assistant);
          home().write(file, `${text()}\n\n`);
          const previous = assistant.previousValues?.(before, applied.after);
          const result = await disconnect(isKnown ? { ...applied, mixed: true } : undefined, previous);
          assert.equal(result.kind, 'undone', JSON.stringify(result));
          assert.ok(!text().includes(KEY) && !/sealed/i.test(text()), text());
          assert.equal(text().replaceAll(/[\s,]+/g, ''), before.replaceAll(/[\s,]+/g, ''));
          assert.equal(files().length, 1);
        }
      });

      it('also removes an entry of ours that was there before the change', async () => {
        home().write(file, before);
        await home().connect(assistant, { ...home().endpoint, key: OTHER_KEY });
        const applied = await home().connect(assistant);
        assert.equal((await disconnect(applied, undefined, [KEY, OTHER_KEY])).kind, 'undone');
        assert.ok(!text().includes(KEY) && !text().includes(OTHER_KEY));
        assert.equal(files().length, 1);
      });

      it('keeps the backup if nobody knows the previous values', async () => {
        home().write(file, before);
        await home().connect(assistant);
        assert.equal((await disconnect()).kind, 'undone');
        assert.ok(!text().includes(KEY));
        assert.equal(files().length, 2);
      });

      it('does not touch an entry with a key of another editor', async () => {
        home().write(file, before);
        const { after } = await home().connect(assistant);
        assert.deepEqual(await disconnect(undefined, '', [OTHER_KEY]), { kind: 'unchanged' });
        assert.equal(text(), after);
      });

      it('names the file and the reason if it cannot remove a key', async () => {
        const path = home().pathOf(file);
        for (const broken of [`{"a": "${KEY}`, `models: [${KEY}`]) {
          home().write(file, broken);
          const result = await disconnect();
          assert.ok(result.kind === 'refused', JSON.stringify(result));
          assert.equal(
            result.message,
            `${path} has an access key of Sealed Proxy that cannot be removed automatically. Remove it yourself.`,
          );
          assert.equal(text(), broken);
        }
      });

      it('leaves files without our entry, and creates none', async () => {
        assert.deepEqual(await disconnect(), { kind: 'unchanged' });
        assert.deepEqual(files(), []);
        home().write(file, before);
        assert.deepEqual(await disconnect(), { kind: 'unchanged' });
        assert.equal(text(), before);
      });
    });
  }
});
