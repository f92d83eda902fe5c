import assert from 'node:assert/strict';
import type { Applied } from '../../../src/assistants/types.ts';
import { UndoStore } from '../../../src/assistants/undoStore.ts';

const APPLIED: Applied = {
  kind: 'applied',
  path: '/home/me/.config/x.json',
  before: '{}\n',
  after: '{"key": 1}\n',
  madeFolder: '/home/me/.config',
  mixed: true,
};

describe('UndoStore', () => {
  let stored: Map<string, string>;
  let store: UndoStore;

  beforeEach(() => {
    stored = new Map();
    store = new UndoStore({
      undoOf: (id) => Promise.resolve(stored.get(id)),
      keepUndo: async (id, text) => {
        await Promise.resolve(stored.set(id, text));
      },
      forgetUndo: async (id) => {
        await Promise.resolve(stored.delete(id));
      },
    });
  });

  it('reads what it has written, until it is deleted', async () => {
    assert.equal(await store.get('cline'), undefined);
    await store.set('cline', APPLIED);
    assert.deepEqual(await store.get('cline'), APPLIED);
    assert.equal(await store.get('kilo'), undefined);
    await store.delete('cline');
    assert.equal(await store.get('cline'), undefined);
  });

  it('reads an entry for a file that did not exist', async () => {
    const created: Applied = { ...APPLIED, before: undefined, madeFolder: undefined, mixed: false };
    await store.set('cline', created);
    assert.deepEqual(await store.get('cline'), created);
  });

  it('reads entries of earlier releases, which have no version', async () => {
    stored.set('a', '{"path":"/f","before":"{}","after":"{1}","madeFolder":"/d","mixed":true}');
    stored.set('b', '{"path":"/f","after":"{1}"}');
    const old = { kind: 'applied', path: '/f', after: '{1}' };
    assert.deepEqual(await store.get('a'), { ...old, before: '{}', madeFolder: '/d', mixed: true });
    assert.deepEqual(await store.get('b'), { ...old, before: undefined, madeFolder: undefined, mixed: false });
  });

  it('ignores an entry with another version, a missing field or a field of another type', async () => {
    for (const text of [
      '{"version":2,"path":"/f","after":"{1}"}',
      '{"path":"/f"}',
      '{"after":"{1}"}',
      '{"path":"/f","after":"{1}","before":null}',
      '{"path":"/f","after":"{1}","madeFolder":7}',
      '[]',
      'not JSON',
      '',
    ]) {
      stored.set('a', text);
      assert.equal(await store.get('a'), undefined, text);
    }
  });
});
