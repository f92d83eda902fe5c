import assert from 'node:assert/strict';
import type { Applied } from '../../../src/assistants/files/change.ts';
import { UndoStore } from '../../../src/assistants/undoStore.ts';
import { EXAMPLES, KEY, THEIR_KEY } from '../../support/assistantFiles.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { entriesIn } from '../../support/secretVault.ts';

/** An assistant without a file. */
const SETTINGS = { id: 'settings' };
const APPLIED: Applied = {
  kind: 'applied',
  path: '/home/me/.config/x.json',
  before: '{}\n',
  after: '{"key": 1}\n',
  madeFolder: '/home/me/.config',
  mixed: true,
};

describe('UndoStore', () => {
  const home = perTestHome();
  let stored: Map<string, string>;
  let store: UndoStore;

  beforeEach(() => {
    stored = new Map();
    store = new UndoStore(entriesIn(stored));
  });

  it('reads what it has written, until it is deleted', async () => {
    assert.equal(await store.get('settings'), undefined);
    await store.set(SETTINGS, APPLIED);
    assert.deepEqual(await store.get('settings'), APPLIED);
    assert.equal(await store.get('kilo'), undefined);
    await store.delete('settings');
    assert.equal(await store.get('settings'), undefined);
  });

  it('reads an entry for something that did not exist', async () => {
    const created: Applied = { ...APPLIED, before: undefined, madeFolder: undefined, mixed: false };
    await store.set(SETTINGS, created);
    assert.deepEqual(await store.get('settings'), created);
  });

  for (const { assistant, file, before } of EXAMPLES) {
    it(`restores both texts of a file of ${assistant.name} that is as we wrote it, and keeps no key of others`, async () => {
      for (const text of [before, '', undefined]) {
        if (text !== undefined) home().write(file, text);
        const applied = await home().connect(assistant);
        await store.set(assistant, applied);
        const found = await store.get(assistant.id);
        assert.deepEqual(found, { ...applied, madeFolder: applied.madeFolder, mixed: false });
        assert.ok(!stored.get(assistant.id)?.includes(THEIR_KEY));
        assert.ok(!stored.get(assistant.id)?.includes(KEY));
        assert.equal((await assistant.undo(found)).kind, 'undone');
      }
    });

    it(`keeps what removes the entry of ${assistant.name} from a file that was edited since`, async () => {
      home().write(file, before);
      const applied = await home().connect(assistant);
      await store.set(assistant, applied);
      home().write(file, `${home().read(file)}\n\n`);
      const whole = await assistant.undo({ ...applied, mixed: true });
      const rest = home().read(file);
      home().write(file, `${applied.after}\n\n`);
      const found = await store.get(assistant.id);
      assert.ok(found?.mixed === true);
      assert.deepEqual(await assistant.undo(found), whole);
      assert.equal(home().read(file), rest);
      assert.ok(!rest.includes(KEY));
    });
  }

  it('restores the user’s own entry that was replaced', async () => {
    const [cline] = EXAMPLES.filter(({ assistant }) => assistant.id === 'cline');
    assert.ok(cline !== undefined);
    const own = { settings: { provider: 'openai-compatible', apiKey: 'sk-x', baseUrl: 'https://example.com' } };
    const theirs = { providers: { 'openai-compatible': own }, lastUsedProvider: 'openai-compatible' };
    home().write(cline.file, JSON.stringify(theirs));
    await store.set(cline.assistant, await home().connect(cline.assistant));
    home().write(cline.file, `${home().read(cline.file)} `);
    const found = await store.get('cline');
    assert.ok(found !== undefined);
    await cline.assistant.undo(found);
    const { providers } = JSON.parse(home().read(cline.file)) as { providers: unknown };
    assert.deepEqual(providers, { 'openai-compatible': own });
  });

  it('ignores an entry with another version, a missing field or a field of another type', async () => {
    const patch = { version: 2, path: '/f', existed: true, previous: '{}', patch: [], digest: '' };
    for (const text of [
      '{"version":3,"path":"/f","after":"{1}"}',
      '{"path":"/f","after":"{1}"}',
      '{"version":1,"path":"/f"}',
      '{"version":1,"after":"{1}"}',
      '{"version":1,"path":"/f","after":"{1}","before":null}',
      '{"version":1,"path":"/f","after":"{1}","madeFolder":7}',
      JSON.stringify({ ...patch, path: 7 }),
      JSON.stringify({ ...patch, existed: 'yes' }),
      JSON.stringify({ ...patch, previous: undefined }),
      JSON.stringify({ ...patch, patch: [{ start: 0, end: '1', text: '' }] }),
      JSON.stringify({ ...patch, patch: [null] }),
      '[]',
      'not JSON',
      '',
    ]) {
      stored.set('a', text);
      assert.equal(await store.get('a'), undefined, text);
    }
  });
});
