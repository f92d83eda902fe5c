import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { SecretStorage } from 'vscode';
import { OWN_KEY_NAME } from '../../../../src/keys/accessKeys.ts';
import type { AccessKey } from '../../../../src/keys/accessKeys.ts';
import { HostFolder } from '../../../../src/keys/hostFolder.ts';
import { Secrets } from '../../../../src/extension/keys/secrets.ts';
import type { SecretChange } from '../../../../src/extension/keys/secrets.ts';
import { isAccessKey } from '../../../../src/proxy/server/accessKeys.ts';
import { EventQueue } from '../../../support/e2e/eventQueue.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../../support/withTimeout.ts';
import { Vault } from '../../../support/secretVault.ts';

describe('The secrets', () => {
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
    mock.timers.reset();
    rmSync(root, { recursive: true });
  });

  /** One more window: of this storage, on this computer. */
  const open = (storage: SecretStorage = vault.storage(), computer = 'here'): Secrets => {
    const secrets = new Secrets(storage, new HostFolder(join(root, computer)));
    opened.push(secrets);
    return secrets;
  };

  const listen = (secrets: Secrets): EventQueue<SecretChange> => {
    const heard = new EventQueue<SecretChange>();
    secrets.onDidChange((change) => {
      heard.add(change);
    });
    return heard;
  };

  const namesOf = (keys: readonly AccessKey[]) => keys.map(({ name }) => name).toSorted();
  const idsOf = async (secrets: Secrets) => (await secrets.accessKeys()).map(({ id }) => id).toSorted();

  describe('of the backend', () => {
    it('are its API key, in every window, until it is removed', async () => {
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
  });

  describe('of the backend that another window has removed or replaced', () => {
    it('do not come back from a window that still remembers them, and count again when a person enters them anew', async () => {
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
      assert.deepEqual([await one.apiKey(), await tab.apiKey()], ['sk-1', 'sk-1']);
    });

    it('are named on the disk by a hash alone', async () => {
      const one = open();
      await one.setApiKey('sk-secret-1');
      await one.removeApiKey();
      const names = readdirSync(join(root, 'here'), { recursive: true, encoding: 'utf8' });
      assert.ok(names.some((name) => /[0-9a-f]{16}$/.test(name)));
      assert.ok(names.every((name) => !name.includes('sk-')));
    });
  });

  describe('of the clients', () => {
    it('are one key for each name and origin, made when it is first asked for', async () => {
      const [one, other] = [open(), open()];
      assert.equal(await one.findAccessKey('Cline', 'client'), undefined);
      const key = await one.accessKeyNamed('Cline', 'client');
      assert.equal(isAccessKey(key.key), true);
      assert.deepEqual([key.name, key.origin, key.lastUsedAt], ['Cline', 'client', null]);
      for (const secrets of [one, other]) {
        assert.deepEqual(await secrets.accessKeyNamed('Cline', 'client'), key);
        assert.deepEqual(await secrets.accessKeyNamed('CLINE', 'client'), key);
        assert.deepEqual(await secrets.findAccessKey('cline', 'client'), key);
        assert.equal(await secrets.findAccessKey('Cline', 'person'), undefined);
        assert.deepEqual(await secrets.accessKeys(), [key]);
      }
      const persons = await other.accessKeyNamed('Cline', 'person');
      assert.notEqual(persons.id, key.id);
      assert.deepEqual(await idsOf(one), [key.id, persons.id].toSorted());
    });

    it('are made once where many ask at the same time', async () => {
      const secrets = open();
      const names = ['Cline', 'CLINE', 'Other', 'Cline', 'other'];
      const keys = await Promise.all(names.map((name) => secrets.accessKeyNamed(name, 'client')));
      assert.deepEqual(namesOf(keys), ['Cline', 'Cline', 'Cline', 'Other', 'Other']);
      assert.equal(new Set(keys.map(({ id }) => id)).size, 2);
      assert.deepEqual(namesOf(await secrets.accessKeys()), ['Cline', 'Other']);
    });

    it('are the same for two windows that make one of a name at the same time', async () => {
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

    it('are all kept where two windows make different ones', async () => {
      const [one, other] = [open(), open()];
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.all(names.map((name, number) => (number % 2 === 0 ? one : other).accessKeyNamed(name, 'person')));
      for (const secrets of [one, other]) assert.deepEqual(namesOf(await secrets.accessKeys()), names);
    });

    it('come the oldest first', async () => {
      mock.timers.enable({ apis: ['Date'], now: 1000 });
      const secrets = open();
      const names = ['c', 'a', 'd', 'b'];
      for (const name of names) {
        await secrets.accessKeyNamed(name, 'person');
        mock.timers.tick(1000);
      }
      assert.deepEqual(
        (await open().accessKeys()).map(({ name, createdAt }) => [name, createdAt]),
        names.map((name, number) => [name, 1000 * (number + 1)]),
      );
    });

    it('are not given out where the storage does not keep them', async () => {
      const storage = vault.storage();
      storage.store = () => Promise.resolve();
      const secrets = open(storage);
      await assert.rejects(secrets.accessKeyNamed('Cline', 'client'), /^Error: The access key could not be stored$/);
    });

    it('can be made after one could not be', async () => {
      const storage = vault.storage();
      storage.beforeStore = () => Promise.reject(new Error('locked'));
      const secrets = open(storage);
      const failing = ['One', 'Two'].map((name) => secrets.accessKeyNamed(name, 'client'));
      for (const one of await Promise.allSettled(failing)) assert.equal(one.status, 'rejected');
      storage.beforeStore = () => Promise.resolve();
      assert.equal((await secrets.accessKeyNamed('One', 'client')).name, 'One');
    });

    it('leave out what cannot be read', async () => {
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
        vault.values.set(`accessKey.${id}`, text);
        assert.deepEqual(await secrets.accessKeys(), [key], text);
      }
      vault.values.set('accessKey', JSON.stringify(key));
      vault.values.set(`lastUse.${key.id}`, 'yesterday');
      assert.deepEqual(await secrets.accessKeys(), [key]);
    });

    it('leave out one that went away while they were read', async () => {
      const storage = vault.storage();
      const secrets = open(storage);
      const key = await secrets.accessKeyNamed('Cline', 'client');
      storage.keys = () => Promise.resolve([`accessKey.${key.id}`, 'accessKey.0123456789abcdef']);
      assert.deepEqual(await secrets.accessKeys(), [key]);
    });
  });

  describe('of a client that is revoked', () => {
    it('do not count any more in any window, and leave nothing in the storage', async () => {
      const [one, other] = [open(), open()];
      const cline = await one.accessKeyNamed('Cline', 'client');
      const kept = await one.accessKeyNamed('Kept', 'person');
      await one.noteUse(cline.id);
      await other.revokeAccessKey(cline.id);
      for (const secrets of [one, other]) {
        assert.deepEqual(await secrets.accessKeys(), [kept]);
        assert.equal(await secrets.findAccessKey('Cline', 'client'), undefined);
      }
      assert.deepEqual([...vault.values.keys()], [`accessKey.${kept.id}`]);
    });

    it('are other ones when they are made again', async () => {
      const secrets = open();
      const first = await secrets.accessKeyNamed('Cline', 'client');
      await secrets.revokeAccessKey(first.id);
      const second = await secrets.accessKeyNamed('Cline', 'client');
      assert.notEqual(second.key, first.key);
      assert.deepEqual(await idsOf(secrets), [second.id]);
    });

    it('are revoked after they are made, in the order in which it was asked for', async () => {
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

    it('do not come back by a browser tab that remembers them, whatever the tab stores', async () => {
      const secrets = open();
      const revoked = await secrets.accessKeyNamed('Cline', 'client');
      const tab = open(vault.staleStorage());
      assert.deepEqual(await tab.accessKeys(), [revoked]);
      await secrets.revokeAccessKey(revoked.id);
      for (const act of [
        () => tab.setApiKey('sk-1'),
        () => tab.noteUse(revoked.id),
        () => tab.accessKeyNamed('Other', 'person'),
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
      assert.ok(vault.values.has(`accessKey.${revoked.id}`)); // it is back in the storage, and does not count
      assert.notEqual((await tab.accessKeyNamed('Cline', 'client')).key, revoked.key);
    });

    it('are refused by the folder before the storage forgets them', async () => {
      const storage = vault.storage();
      storage.delete = () => Promise.reject(new Error('locked'));
      const secrets = open(storage);
      const { id } = await secrets.accessKeyNamed('Cline', 'client');
      await assert.rejects(secrets.revokeAccessKey(id), /^Error: locked$/);
      assert.deepEqual(await open().accessKeys(), []);
    });
  });

  describe('that were used', () => {
    it('say when, and are the same in all else; nobody is told of it', async () => {
      mock.timers.enable({ apis: ['Date'], now: 1000 });
      const [one, other] = [open(), open()];
      const key = await one.accessKeyNamed('Cline', 'client');
      const kept = await one.accessKeyNamed('Kept', 'person');
      const heard = [listen(one), listen(other)];
      for (const now of [2000, 3000]) {
        mock.timers.tick(1000);
        await one.noteUse(key.id);
        assert.deepEqual(await other.findAccessKey('Cline', 'client'), { ...key, lastUsedAt: now });
      }
      assert.deepEqual(await other.findAccessKey('Kept', 'person'), kept);
      assert.deepEqual(
        heard.map(({ items }) => items),
        [[], []],
      );
    });

    it('are not noted where there is no such key, nor where it is the extension’s own', async () => {
      const secrets = open();
      const own = await secrets.accessKeyNamed(OWN_KEY_NAME, 'own');
      const gone = await secrets.accessKeyNamed('Cline', 'client');
      await secrets.revokeAccessKey(gone.id);
      for (const id of [own.id, gone.id, '0123456789abcdef']) await secrets.noteUse(id);
      assert.deepEqual([...vault.values.keys()], [`accessKey.${own.id}`]);
    });
  });

  describe('that change', () => {
    it('are the API key or others, for every window', async () => {
      const windows = [open(), open()] as const;
      const heard = windows.map(listen);
      const [one] = windows;
      const all = () => heard.map(({ items }) => items.splice(0));
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

    it('are told to nobody who does not listen any more', async () => {
      const secrets = open();
      const [quiet, heard] = [new EventQueue<SecretChange>(), listen(secrets)];
      secrets
        .onDidChange((change) => {
          quiet.add(change);
        })
        .dispose();
      await secrets.setApiKey('sk-1');
      assert.deepEqual([quiet.items, heard.items], [[], ['apiKey']]);
    });

    it('are heard of where the storage tells nothing: another window has revoked a key', async () => {
      const secrets = open();
      const { id } = await secrets.accessKeyNamed('Cline', 'client');
      const tab = open(vault.staleStorage());
      vault.changes.removeAllListeners();
      await tab.watch();
      const heard = listen(tab);
      await secrets.revokeAccessKey(id);
      assert.equal(await heard.find('the revocation', () => true), 'apiKey'); // it may have been that one
      assert.deepEqual(await tab.accessKeys(), []);
    });

    it('are not heard of after the end of the window', async () => {
      const storage = vault.storage();
      const [ended, watching] = [open(storage), open()];
      await Promise.all([ended.watch(), watching.watch()]);
      const [heard, told] = [listen(ended), listen(watching)];
      ended.dispose();
      assert.equal(storage.listeners, 0);
      await new HostFolder(join(root, 'here')).revoke('0123456789abcdef');
      await told.find('the revocation', () => true);
      await flushEventLoop();
      assert.deepEqual(heard.items, []);
    });

    for (const [when, early] of [
      ['before the folder is watched', true],
      ['afterwards', false],
    ] as const) {
      it(`leave nothing open where the window ends ${when}`, async () => {
        const folder = new HostFolder(join(root, 'here'));
        const [begun, watching] = [Promise.withResolvers<undefined>(), Promise.withResolvers<{ dispose(): void }>()];
        let disposed = 0;
        folder.watchRevoked = () => {
          begun.resolve(undefined);
          return watching.promise;
        };
        const secrets = new Secrets(vault.storage(), folder);
        const watched = secrets.watch();
        await begun.promise;
        if (early) secrets.dispose();
        watching.resolve({ dispose: () => disposed++ });
        await watched;
        if (!early) secrets.dispose();
        assert.equal(disposed, 1);
      });
    }
  });

  describe('for the proxy', () => {
    it('are all that it needs, in the forms that it takes', async () => {
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

    it('are drawn once, and the same for every window of one computer', async () => {
      const first = await open().forProxy();
      assert.deepEqual(await open().forProxy(), first);
      const secrets = open();
      assert.deepEqual(await Promise.all([secrets.forProxy(), secrets.forProxy()]), [first, first]);
    });

    it('are the same for all once windows that draw at the same time have drawn', async () => {
      const windows = Array.from({ length: 4 }, () => open());
      await Promise.all(windows.map((secrets) => secrets.forProxy()));
      const [first, ...others] = await Promise.all(windows.map((secrets) => secrets.forProxy()));
      for (const other of others) assert.deepEqual(other, first);
    });

    it('are what the storage keeps in the end where another window draws as well', async () => {
      const storage = vault.storage();
      const other = Buffer.alloc(32, 7).toString('base64');
      const store = storage.store.bind(storage);
      storage.store = async (name, value) => {
        await store(name, value);
        if (name === 'cacheNamespaceRoot') vault.values.set(name, other);
      };
      assert.equal((await open(storage).forProxy()).cacheNamespaceRoot, other);
    });

    it('prove the ownership of one computer’s proxies, although another shares the storage', async () => {
      const here = await open().forProxy();
      const there = await open(vault.storage(), 'there').forProxy();
      assert.notEqual(there.ownership, here.ownership);
      assert.deepEqual({ ...there, ownership: '' }, { ...here, ownership: '' });
      assert.equal((await open(vault.storage(), 'there').forProxy()).ownership, there.ownership);
      assert.equal((await open().forProxy()).ownership, here.ownership);
    });

    it('prove the ownership by the storage too: another person on the same computer has another', async () => {
      const one = await open().forProxy();
      const other = await open(new Vault().storage()).forProxy();
      assert.notEqual(other.ownership, one.ownership);
      assert.ok([...vault.values.values()].every((value) => value !== one.ownership)); // not as it is stored
    });
  });
});
