import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { OWN_KEY_NAME } from '../../../src/keys/accessKeys.ts';
import type { AccessKey } from '../../../src/keys/accessKeys.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import type { SecretChange } from '../../../src/keys/secrets.ts';
import type { SecretStorage } from '../../../src/keys/secretStorage.ts';
import { isAccessKey } from '../../../src/shared/accessKeys.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { Vault } from '../../support/secretVault.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../support/withTimeout.ts';

/** The name of the entry of the access key with this id. */
function nameIn({ values }: Vault, id: string): string {
  return [...values.keys()].find((name) => name.startsWith('accessKey.') && name.endsWith(`.${id}`)) ?? '';
}

describe('Secrets', () => {
  let root: string;
  let vault: Vault;
  let opened: Secrets[];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sealed-proxy-secrets-'));
    vault = new Vault();
    opened = [];
  });

  afterEach(() => {
    for (const secrets of opened) secrets.dispose();
    rmSync(root, { recursive: true });
  });

  /** Another window with this storage on this computer. */
  const open = (storage: SecretStorage = vault.storage(), computer = 'here'): Secrets => {
    const secrets = new Secrets(storage, new MachineStore(join(root, computer)));
    opened.push(secrets);
    return secrets;
  };

  const listen = (secrets: Secrets): EventQueue<SecretChange> => {
    const events = new EventQueue<SecretChange>();
    secrets.onDidChange((change) => {
      events.add(change);
    });
    return events;
  };

  const namesOf = (keys: readonly AccessKey[]) => keys.map(({ name }) => name).toSorted();
  const idsOf = async (secrets: Secrets) => (await secrets.accessKeys()).map(({ id }) => id).toSorted();

  describe('apiKey()', () => {
    it('keeps the previous key if the new one cannot be stored', async () => {
      const storage = vault.storage();
      const secrets = open(storage);
      await secrets.setApiKey('sk-1');
      storage.beforeStore = () => Promise.reject(new Error('The keychain is locked.'));
      await assert.rejects(secrets.setApiKey('sk-2'), /keychain is locked/);
      for (const window of [secrets, open()]) assert.equal(await window.apiKey(), 'sk-1');
    });

    it('returns the API key in every window until it is removed', async () => {
      const [one, other] = [open(), open()];
      assert.equal(await one.apiKey(), undefined);
      await one.setApiKey('sk-1');
      assert.equal(await other.apiKey(), 'sk-1');
      await other.setApiKey('sk-2');
      assert.equal(await one.apiKey(), 'sk-2');
      await one.removeApiKey();
      assert.equal(await other.apiKey(), undefined);
      assert.equal(vault.values.size, 0);
    });

    it('does not return a replaced or removed key that a window still remembers, until the user enters it again', async () => {
      const one = open();
      await one.setApiKey('sk-1');
      const tab = open(vault.staleStorage());
      assert.equal(await tab.apiKey(), 'sk-1');
      await one.setApiKey('sk-2');
      assert.equal(await tab.apiKey(), undefined);
      await one.removeApiKey();
      assert.equal(await open().apiKey(), undefined);
      assert.equal((await tab.forProxy()).apiKey, null);
      await one.setApiKey('sk-1');
      // The tab learns of it when it is reloaded.
      assert.deepEqual([await one.apiKey(), await tab.apiKey()], ['sk-1', undefined]);
      assert.equal(await open(vault.staleStorage()).apiKey(), 'sk-1');
    });

    it('returns a key that was removed on one computer and then set again on another one', async () => {
      const [here, there] = [open(), open(vault.storage(), 'there')];
      await here.setApiKey('sk-1');
      await here.removeApiKey();
      await there.setApiKey('sk-1');
      for (const secrets of [here, there, open()]) assert.equal(await secrets.apiKey(), 'sk-1');
    });

    it('returns nothing for a damaged entry', async () => {
      for (const text of [
        '',
        'sk-1',
        '{}',
        '{"key":"sk-1","generation":"../../x"}',
        '{"key":1,"generation":"0123456789abcdef"}',
      ]) {
        vault.set('apiKey.current', text);
        assert.equal(await open().apiKey(), undefined, text);
      }
    });

    it('stores nothing but a hash of a removed key on the disk', async () => {
      const one = open();
      await one.setApiKey('sk-secret-1');
      await one.removeApiKey();
      const names = readdirSync(join(root, 'here'), { recursive: true, encoding: 'utf8' });
      assert.ok(names.some((name) => /[0-9a-f]{16}$/.test(name)));
      assert.ok(names.every((name) => !name.includes('sk-')));
    });
  });

  describe('accessKeyNamed() and accessKeys()', () => {
    it('create one key for each name and origin', async () => {
      const [one, other] = [open(), open()];
      assert.equal(await one.findAccessKey('Cline', 'client'), undefined);
      const key = await one.accessKeyNamed('Cline', 'client');
      assert.equal(isAccessKey(key.key), true);
      assert.deepEqual([key.name, key.origin, key.lastUsedAt], ['Cline', 'client', null]);
      for (const secrets of [one, other]) {
        assert.deepEqual(await secrets.accessKeyNamed('Cline', 'client'), key);
        assert.deepEqual(await secrets.accessKeyNamed('CLINE', 'client'), key);
        assert.deepEqual(await secrets.findAccessKey('cline', 'client'), key);
        assert.equal(await secrets.findAccessKey('Cline', 'user'), undefined);
        assert.deepEqual(await secrets.accessKeys(), [key]);
      }
      const users = await other.accessKeyNamed('Cline', 'user');
      assert.notEqual(users.id, key.id);
      assert.deepEqual(await idsOf(one), [key.id, users.id].toSorted());
    });

    it('create a key once for many calls at the same time', async () => {
      const secrets = open();
      const names = ['Cline', 'CLINE', 'Other', 'Cline', 'other'];
      const keys = await Promise.all(names.map((name) => secrets.accessKeyNamed(name, 'client')));
      assert.deepEqual(namesOf(keys), ['Cline', 'Cline', 'Cline', 'Other', 'Other']);
      assert.equal(new Set(keys.map(({ id }) => id)).size, 2);
      assert.deepEqual(namesOf(await secrets.accessKeys()), ['Cline', 'Other']);
    });

    it('return the same key in two windows that create it at the same time', async () => {
      const storages = [vault.storage(), vault.storage()];
      const both = Promise.withResolvers<undefined>();
      let arrived = 0;
      for (const storage of storages) {
        storage.beforeStore = () => {
          if (++arrived === storages.length) both.resolve(undefined);
          return both.promise;
        };
      }
      const windows = storages.map((storage) => open(storage));
      const making = Promise.all(windows.map((secrets) => secrets.accessKeyNamed('Cline', 'client')));
      const [one, other] = await withTimeout('the keys', DEADLINE, making);
      assert.deepEqual(one, other);
      for (const secrets of windows) assert.deepEqual(await secrets.accessKeyNamed('Cline', 'client'), one);
    });

    it('keep all keys if two windows create different ones at the same time', async () => {
      const [one, other] = [open(), open()];
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.all(names.map((name, number) => (number % 2 === 0 ? one : other).accessKeyNamed(name, 'user')));
      for (const secrets of [one, other]) assert.deepEqual(namesOf(await secrets.accessKeys()), names);
    });

    it('list the oldest key first', async () => {
      mock.timers.enable({ apis: ['Date'], now: 1000 });
      const secrets = open();
      const names = ['c', 'a', 'd', 'b'];
      for (const name of names) {
        await secrets.accessKeyNamed(name, 'user');
        mock.timers.tick(1000);
      }
      assert.deepEqual(
        (await open().accessKeys()).map(({ name, createdAt }) => [name, createdAt]),
        names.map((name, number) => [name, 1000 * (number + 1)]),
      );
    });

    it('fail if the storage does not keep a key', async () => {
      const storage = vault.storage();
      storage.store = () => Promise.resolve();
      const secrets = open(storage);
      await assert.rejects(
        secrets.accessKeyNamed('Cline', 'client'),
        /^Error: The editor's secret storage does not keep values\. Check the keychain/,
      );
    });

    it('work again after a failure', async () => {
      const storage = vault.storage();
      storage.beforeStore = () => Promise.reject(new Error('locked'));
      const secrets = open(storage);
      const failing = ['One', 'Two'].map((name) => secrets.accessKeyNamed(name, 'client'));
      for (const one of await Promise.allSettled(failing)) assert.equal(one.status, 'rejected');
      storage.beforeStore = () => Promise.resolve();
      assert.equal((await secrets.accessKeyNamed('One', 'client')).name, 'One');
    });

    it('leave out damaged entries', async () => {
      const secrets = open();
      const key = await secrets.accessKeyNamed('Cline', 'client');
      const id = '0123456789abcdef';
      for (const text of [
        '',
        '{',
        'null',
        '[]',
        JSON.stringify({ ...key, id }),
        JSON.stringify({ ...key, key: 'x' }),
      ]) {
        vault.set(nameIn(vault, key.id).replace(key.id, id), text);
        assert.deepEqual(await secrets.accessKeys(), [key], text);
      }
      vault.set('accessKey', JSON.stringify(key));
      for (const kind of ['firstUse', 'lastUse'])
        vault.set(nameIn(vault, key.id).replace('accessKey', kind), 'yesterday');
      assert.deepEqual(await secrets.accessKeys(), [key]);
    });

    it('leave out a key that was removed while they were read', async () => {
      const storage = vault.storage();
      const secrets = open(storage);
      const key = await secrets.accessKeyNamed('Cline', 'client');
      storage.keys = () => Promise.resolve([nameIn(vault, key.id), 'accessKey.0123456789abcdef']);
      assert.deepEqual(await open(storage).accessKeys(), [key]);
    });
  });

  describe('revokeAccessKey()', () => {
    it('revokes the key in every window, and leaves nothing in the storage', async () => {
      const [one, other] = [open(), open()];
      const cline = await one.accessKeyNamed('Cline', 'client');
      const kept = await one.accessKeyNamed('Kept', 'user');
      await one.noteUse(cline.id);
      await other.revokeAccessKey(cline.id);
      for (const secrets of [one, other]) {
        assert.deepEqual(await secrets.accessKeys(), [kept]);
        assert.equal(await secrets.findAccessKey('Cline', 'client'), undefined);
      }
      assert.deepEqual([...vault.values.keys()], [nameIn(vault, kept.id)]);
    });

    it('leads to a different key when one with the same name is created', async () => {
      const secrets = open();
      const first = await secrets.accessKeyNamed('Cline', 'client');
      await secrets.revokeAccessKey(first.id);
      const second = await secrets.accessKeyNamed('Cline', 'client');
      assert.notEqual(second.key, first.key);
      assert.deepEqual(await idsOf(secrets), [second.id]);
    });

    it('runs in the order of the calls', async () => {
      const secrets = open();
      const { id } = await secrets.accessKeyNamed('Cline', 'client');
      const [, fresh] = await Promise.all([
        secrets.revokeAccessKey(id),
        secrets.accessKeyNamed('Cline', 'client'),
        secrets.noteUse(id),
      ]);
      assert.notEqual(fresh.id, id);
      assert.deepEqual(
        [...vault.values.keys()].filter((name) => name.endsWith(id)),
        [],
      );
    });

    it('is final even if a browser tab with stale storage writes the key back', async () => {
      const secrets = open();
      const revoked = await secrets.accessKeyNamed('Cline', 'client');
      const tab = open(vault.staleStorage());
      assert.deepEqual(await tab.accessKeys(), [revoked]);
      await secrets.revokeAccessKey(revoked.id);
      for (const act of [
        () => tab.setApiKey('sk-1'),
        () => tab.noteUse(revoked.id),
        () => tab.accessKeyNamed('Other', 'user'),
        () => tab.forProxy(),
      ]) {
        await act();
        for (const window of [secrets, tab, open(), open(vault.staleStorage())]) {
          const keys = await window.accessKeys();
          assert.ok(keys.every(({ key }) => key !== revoked.key));
          assert.ok((await window.forProxy()).accessKeys.every((key) => key !== revoked.key));
          assert.equal(await window.findAccessKey('Cline', 'client'), undefined);
        }
      }
      assert.ok(nameIn(vault, revoked.id)); // it is back in the storage, but not valid
      assert.notEqual((await tab.accessKeyNamed('Cline', 'client')).key, revoked.key);
    });

    it('lists the key in the machine store before it deletes it from the storage', async () => {
      const storage = vault.storage();
      storage.delete = () => Promise.reject(new Error('locked'));
      const secrets = open(storage);
      const { id } = await secrets.accessKeyNamed('Cline', 'client');
      await assert.rejects(secrets.revokeAccessKey(id), /^Error: locked$/);
      assert.deepEqual(await open().accessKeys(), []);
    });
  });

  describe('noteUse()', () => {
    it('records the times of the first and the last use and changes nothing else, without a notification', async () => {
      mock.timers.enable({ apis: ['Date'], now: 1000 });
      const [one, other] = [open(), open()];
      const key = await one.accessKeyNamed('Cline', 'client');
      const kept = await one.accessKeyNamed('Kept', 'user');
      const events = [listen(one), listen(other)];
      for (const now of [2000, 3000]) {
        mock.timers.tick(1000);
        await one.noteUse(key.id);
        assert.deepEqual(await other.findAccessKey('Cline', 'client'), { ...key, firstUsedAt: 2000, lastUsedAt: now });
      }
      assert.deepEqual(await other.findAccessKey('Kept', 'user'), kept);
      assert.deepEqual(
        events.map(({ items }) => items),
        [[], []],
      );
    });

    it('ignores unknown keys and the extension’s own key', async () => {
      const secrets = open();
      const own = await secrets.accessKeyNamed(OWN_KEY_NAME, 'own');
      const gone = await secrets.accessKeyNamed('Cline', 'client');
      await secrets.revokeAccessKey(gone.id);
      for (const id of [own.id, gone.id, '0123456789abcdef']) await secrets.noteUse(id);
      assert.deepEqual([...vault.values.keys()], [nameIn(vault, own.id)]);
    });
  });

  describe('onDidChange()', () => {
    it('reports in every window whether the API key or another secret has changed', async () => {
      const windows = [open(), open()] as const;
      const events = windows.map(listen);
      const [one] = windows;
      const all = () => events.map(({ items }) => items.splice(0));
      await one.setApiKey('sk-1');
      assert.deepEqual(all(), [['apiKey'], ['apiKey']]);
      await one.removeApiKey();
      assert.deepEqual(all(), [['apiKey'], ['apiKey']]);
      const { id } = await one.accessKeyNamed('Cline', 'client');
      assert.deepEqual(all(), [['others'], ['others']]);
      await one.accessKeyNamed('Cline', 'client');
      assert.deepEqual(all(), [[], []]);
      await one.noteUse(id);
      await one.revokeAccessKey(id);
      assert.deepEqual(all(), [['others'], ['others']]);
    });

    it('does not call a disposed listener', async () => {
      const secrets = open();
      const [quiet, events] = [new EventQueue<SecretChange>(), listen(secrets)];
      secrets
        .onDidChange((change) => {
          quiet.add(change);
        })
        .dispose();
      await secrets.setApiKey('sk-1');
      assert.deepEqual([quiet.items, events.items], [[], ['apiKey']]);
    });

    it('reports keys that another window has revoked, even if the storage reports nothing', async () => {
      const secrets = open();
      const { id } = await secrets.accessKeyNamed('Cline', 'client');
      const tab = open(vault.staleStorage());
      vault.changes.removeAllListeners();
      await tab.watch();
      const events = listen(tab);
      await secrets.revokeAccessKey(id);
      assert.equal(await events.find('the revocation', () => true), 'apiKey'); // it may have been the API key
      assert.deepEqual(await tab.accessKeys(), []);
    });

    it('reports nothing after the window was closed', async () => {
      const storage = vault.storage();
      const [ended, watching] = [open(storage), open()];
      await Promise.all([ended.watch(), watching.watch()]);
      const [events, otherEvents] = [listen(ended), listen(watching)];
      ended.dispose();
      assert.equal(storage.listeners, 0);
      await new MachineStore(join(root, 'here')).revoke('0123456789abcdef');
      await otherEvents.find('the revocation', () => true);
      await flushEventLoop();
      assert.deepEqual(events.items, []);
    });

    for (const [when, early] of [
      ['before the watcher is ready', true],
      ['after that', false],
    ] as const) {
      it(`closes the watcher if the window is closed ${when}`, async () => {
        const machine = new MachineStore(join(root, 'here'));
        const [begun, watching] = [Promise.withResolvers<undefined>(), Promise.withResolvers<{ close(): void }>()];
        let closed = 0;
        machine.watchRevoked = () => {
          begun.resolve(undefined);
          return watching.promise;
        };
        const secrets = new Secrets(vault.storage(), machine);
        const watched = secrets.watch();
        await begun.promise;
        if (early) secrets.dispose();
        watching.resolve({ close: () => closed++ });
        await watched;
        if (!early) secrets.dispose();
        assert.equal(closed, 1);
      });
    }
  });

  describe('forProxy()', () => {
    it('returns all that the proxy needs, in the forms that it accepts', async () => {
      const secrets = open();
      const cline = await secrets.accessKeyNamed('Cline', 'client');
      const { apiKey, accessKeys, ownKey, ownership, cacheNamespaceRoot, ...rest } = await secrets.forProxy();
      assert.deepEqual([apiKey, rest], [null, {}]);
      assert.deepEqual(accessKeys.toSorted(), [cline.key, ownKey].toSorted());
      assert.equal(isAccessKey(ownKey), true);
      assert.equal((await secrets.findAccessKey(OWN_KEY_NAME, 'own'))?.key, ownKey);
      assert.notEqual(ownership, cacheNamespaceRoot);
      for (const text of [ownership, cacheNamespaceRoot]) {
        const bytes = Buffer.from(text, 'base64');
        assert.deepEqual([bytes.length, bytes.toString('base64')], [32, text]);
        assert.ok(new Set(bytes).size > 8);
      }
      await secrets.setApiKey('sk-1');
      assert.equal((await secrets.forProxy()).apiKey, 'sk-1');
    });

    it('generates secrets once, and returns the same ones in every window on one computer', async () => {
      const first = await open().forProxy();
      assert.deepEqual(await open().forProxy(), first);
      const secrets = open();
      assert.deepEqual(await Promise.all([secrets.forProxy(), secrets.forProxy()]), [first, first]);
    });

    it('returns the same secrets in all windows after several have generated them at the same time', async () => {
      const windows = Array.from({ length: 4 }, () => open());
      await Promise.all(windows.map((secrets) => secrets.forProxy()));
      const [first, ...others] = await Promise.all(windows.map((secrets) => secrets.forProxy()));
      for (const other of others) assert.deepEqual(other, first);
    });

    it('returns what is stored last if another window generates secrets as well', async () => {
      const storage = vault.storage();
      const other = Buffer.alloc(32, 7).toString('base64');
      const store = storage.store.bind(storage);
      storage.store = async (name, value) => {
        await store(name, value);
        if (name === 'cacheNamespaceRoot') vault.values.set(name, other);
      };
      assert.equal((await open(storage).forProxy()).cacheNamespaceRoot, other);
    });

    it('returns a different ownership secret on another computer that shares the storage', async () => {
      const here = await open().forProxy();
      const there = await open(vault.storage(), 'there').forProxy();
      assert.notEqual(there.ownership, here.ownership);
      assert.equal(there.cacheNamespaceRoot, here.cacheNamespaceRoot);
      assert.equal((await open(vault.storage(), 'there').forProxy()).ownership, there.ownership);
      assert.equal((await open().forProxy()).ownership, here.ownership);
    });

    it('returns a different ownership secret for another user of the same computer', async () => {
      const one = await open().forProxy();
      const other = await open(new Vault().storage()).forProxy();
      assert.notEqual(other.ownership, one.ownership);
      assert.ok([...vault.values.values()].every((value) => value !== one.ownership)); // not as it is stored
    });
  });
});
