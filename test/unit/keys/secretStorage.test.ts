import assert from 'node:assert/strict';
import { CachedStorage } from '../../../src/keys/secretStorage.ts';
import { Vault } from '../../support/secretVault.ts';

describe('CachedStorage', () => {
  let vault: Vault;

  beforeEach(() => {
    vault = new Vault();
  });

  const open = () => {
    const storage = vault.storage();
    const cached = new CachedStorage(storage);
    cached.onDidChange(() => undefined);
    return { storage, cached };
  };

  it('reads each entry and the names once, also for callers at the same time', async () => {
    const { storage, cached } = open();
    vault.set('a', '1');
    const read = () => Promise.all([cached.get('a'), cached.get('none'), cached.keys()]);
    for (const found of await Promise.all([read(), read()])) assert.deepEqual(found, ['1', undefined, ['a']]);
    await read();
    assert.equal(storage.reads, 3);
  });

  it('reads again what this window or another one has changed', async () => {
    const { cached } = open();
    const other = vault.storage();
    for (const change of [
      () => cached.store('a', '1'),
      () => other.store('a', '2'),
      () => other.store('b', '3'),
      () => cached.delete('a'),
      () => other.delete('b'),
    ]) {
      await change();
      assert.deepEqual(await cached.keys(), [...vault.values.keys()]);
      for (const name of ['a', 'b']) assert.equal(await cached.get(name), vault.values.get(name));
    }
  });

  it('calls a listener after it has forgotten the entry', async () => {
    const cached = new CachedStorage(vault.storage());
    const seen: Promise<string | undefined>[] = [];
    cached.onDidChange(({ key }) => seen.push(cached.get(key)));
    await cached.get('a');
    vault.set('a', '1');
    assert.deepEqual(await Promise.all(seen), ['1']);
  });

  it('does not keep what was read while the entry changed', async () => {
    const { storage, cached } = open();
    const [reading, late] = [Promise.withResolvers<undefined>(), Promise.withResolvers<string | undefined>()];
    const get = storage.get.bind(storage);
    storage.get = () => {
      reading.resolve(undefined);
      return late.promise;
    };
    const first = cached.get('a');
    await reading.promise;
    storage.get = get;
    vault.set('a', 'new');
    late.resolve('old');
    assert.equal(await first, 'old');
    assert.equal(await cached.get('a'), 'new');
  });

  it('tries again after a failure', async () => {
    const { storage, cached } = open();
    const real = { get: storage.get.bind(storage), keys: storage.keys.bind(storage) };
    storage.get = () => Promise.reject(new Error('locked'));
    storage.keys = () => Promise.reject(new Error('locked'));
    await assert.rejects(cached.get('a'), /locked/);
    await assert.rejects(cached.keys(), /locked/);
    Object.assign(storage, real);
    assert.equal(await cached.get('a'), undefined);
    assert.deepEqual(await cached.keys(), []);
  });
});
