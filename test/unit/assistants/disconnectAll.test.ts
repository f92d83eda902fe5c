import assert from 'node:assert/strict';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import { disconnectAll } from '../../../src/assistants/disconnectAll.ts';
import { UndoStore } from '../../../src/assistants/undoStore.ts';
import { accessKeyId } from '../../../src/shared/accessKeys.ts';
import { KEY, OTHER_KEY } from '../../support/assistantFiles.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { entriesIn } from '../../support/secretVault.ts';

const FILE = '.config/opencode/opencode.jsonc';

describe('disconnectAll()', () => {
  const home = perTestHome();
  const stored = new Map<string, string>();
  const undo = new UndoStore(entriesIn(stored));
  const removeAll = (...keys: string[]) => {
    const places = { home: home().path };
    return disconnectAll(
      [opencode],
      undo,
      places,
      keys.map((key) => ({ id: accessKeyId(key) })),
    );
  };

  beforeEach(() => {
    stored.clear();
  });

  it('leaves the entry of another editor on this computer', async () => {
    await home().connect(opencode);
    const theirs = home().read(FILE);
    assert.deepEqual(await removeAll(OTHER_KEY), []);
    assert.equal(home().read(FILE), theirs);
  });

  it('removes an entry with a key of this editor', async () => {
    await home().connect(opencode);
    assert.deepEqual(await removeAll(KEY), []);
    assert.ok(!home().read(FILE).includes(KEY));
  });

  it('removes an entry that this editor has written, whose key was revoked', async () => {
    home().write(FILE, '{}\n');
    await undo.set(opencode, await home().connect(opencode));
    home().write(FILE, `${home().read(FILE)}\n// mine\n`);
    assert.deepEqual(await removeAll(), []);
    assert.ok(!home().read(FILE).includes(KEY));
  });

  it('leaves the entry that another editor has written after this one', async () => {
    await undo.set(opencode, await home().connect(opencode));
    home().write(FILE, home().read(FILE).replace(KEY, OTHER_KEY));
    const theirs = home().read(FILE);
    await removeAll(KEY);
    assert.equal(home().read(FILE), theirs);
  });
});
