// Secrets on several computers that share the secret storage, and how they are removed.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineStore, RemovedError } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import type { SecretChange } from '../../../src/keys/secrets.ts';
import type { SecretStorage } from '../../../src/keys/secretStorage.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { Vault } from '../../support/secretVault.ts';

describe('Secrets on several computers', () => {
  let root: string;
  let vault: Vault;
  let opened: Secrets[];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sealed-proxy-machines-'));
    vault = new Vault();
    opened = [];
  });

  afterEach(() => {
    for (const secrets of opened) secrets.dispose();
    rmSync(root, { recursive: true });
  });

  /** A window on a computer with this folder and hardware. */
  const open = (folder = 'here', hardware = 'a', storage: SecretStorage = vault.storage()): Secrets => {
    const secrets = new Secrets(storage, new MachineStore(join(root, folder), () => Promise.resolve(hardware)));
    opened.push(secrets);
    return secrets;
  };
  const accepts = async (secrets: Secrets, key: string) => (await secrets.forProxy()).accessKeys.includes(key);

  it('accept on each computer only the keys that were made there', async () => {
    const [here, there, sameFolder] = [open(), open('there'), open('here', 'b')];
    for (const origin of ['user', 'client', 'assistant', 'terminal'] as const) {
      const { key } = await here.accessKeyNamed('Cline', origin);
      assert.equal(await accepts(open(), key), true);
      for (const other of [there, sameFolder]) {
        assert.equal(await accepts(other, key), false);
        assert.equal(await other.findAccessKey('Cline', origin), undefined);
        assert.notEqual((await other.accessKeyNamed('Cline', origin)).key, key);
      }
    }
    assert.notEqual((await here.forProxy()).ownKey, (await there.forProxy()).ownKey);
  });

  it('keep the entries of other layers for each computer, and report no change of them', async () => {
    const secrets = open();
    secrets.onDidChange(() => assert.fail('reported'));
    const [here, there] = [secrets.entries('undo'), open('there').entries('undo')];
    await here.set('cline', 'one');
    await there.set('cline', 'two');
    assert.deepEqual([await here.get('cline'), await there.get('cline')], ['one', 'two']);
    await here.delete('cline');
    assert.deepEqual([await here.get('cline'), await there.get('cline')], [undefined, 'two']);
  });

  it('let a computer with the same folder claim a new key, and no other one', async () => {
    const [here, sameFolder, there] = [open(), open('here', 'b'), open('there')];
    const { id, key } = await here.accessKeyNamed('Continue', 'assistant');
    await here.accessKeyNamed('Mine', 'user');
    assert.deepEqual(
      (await sameFolder.claimableKeys()).map((each) => each.key),
      [key],
    );
    assert.deepEqual(await there.claimableKeys(), []);
    await sameFolder.claimAccessKey(id);
    for (const secrets of [here, sameFolder]) {
      assert.equal((await secrets.findAccessKey('Continue', 'assistant'))?.key, key);
      assert.equal(await accepts(secrets, key), true);
    }
    assert.deepEqual(await there.claimableKeys(), []);
  });

  it('read nothing from the storage for a request, until something changes', async () => {
    const storage = vault.storage();
    const secrets = open('here', 'a', storage);
    await secrets.setApiKey('sk-1');
    for (const name of ['a', 'b', 'c']) await secrets.accessKeyNamed(name, 'user');
    await secrets.forProxy(); // generates what is missing
    const first = await secrets.forProxy();
    storage.reads = 0;
    assert.deepEqual(await secrets.forProxy(), first);
    assert.equal(storage.reads, 0);
    const other = open();
    await other.removeApiKey();
    await other.revokeAccessKey((await other.accessKeyNamed('b', 'user')).id);
    const { apiKey, accessKeys } = await secrets.forProxy();
    assert.deepEqual([apiKey, accessKeys.length], [null, first.accessKeys.length - 1]);
  });

  it('never return a revoked key from memory, even if the storage reports no change', async () => {
    const secrets = open();
    await secrets.setApiKey('sk-1');
    const { id, key } = await secrets.accessKeyNamed('a', 'user');
    await secrets.forProxy();
    vault.changes.removeAllListeners();
    const other = open();
    await other.revokeAccessKey(id);
    await other.removeApiKey();
    const { apiKey, accessKeys } = await secrets.forProxy();
    assert.equal(apiKey, null);
    assert.ok(!accessKeys.includes(key));
  });

  describe('removeAll()', () => {
    const fill = async (secrets: Secrets) => {
      await secrets.setApiKey('sk-1');
      await secrets.noteUse((await secrets.accessKeyNamed('a', 'user')).id);
      await secrets.entries('undo').set('cline', '{}');
      await secrets.forProxy();
    };

    it('leaves nothing in the storage and on the disk', async () => {
      vault.set('unknown.kilo', '{}');
      const secrets = open();
      await fill(secrets);
      assert.deepEqual(await secrets.removeAll(), { otherComputers: 0, complete: true });
      assert.deepEqual([...vault.values], []);
      assert.equal(existsSync(join(root, 'here')), false);
    });

    it('keeps what belongs to other computers, and says so', async () => {
      const [here, there] = [open(), open('there')];
      await fill(there);
      const { key } = await there.accessKeyNamed('a', 'user');
      await fill(here);
      assert.deepEqual(await here.removeAll(), { otherComputers: 1, complete: true });
      assert.equal(await there.entries('undo').get('cline'), '{}');
      assert.equal(await accepts(there, key), true);
      assert.equal(await there.apiKey(), undefined);
    });

    it('is noticed by other windows, which store nothing until the user starts again', async () => {
      const [one, other] = [open(), open()];
      await fill(one);
      await other.forProxy();
      await other.watch();
      const events = new EventQueue<SecretChange>();
      other.onDidChange((change) => {
        events.add(change);
      });
      await one.removeAll();
      await events.find('the removal', (change) => change === 'removed');
      for (const secrets of [one, other]) {
        await assert.rejects(secrets.forProxy(), RemovedError);
        await assert.rejects(secrets.accessKeyNamed('b', 'user'), RemovedError);
        assert.deepEqual(
          [await secrets.apiKey(), await secrets.accessKeys(), await secrets.entries('undo').get('cline')],
          [undefined, [], undefined],
        );
      }
      assert.deepEqual([...vault.values], []);
      assert.equal(existsSync(join(root, 'here')), false);
      await other.setApiKey('sk-2');
      assert.equal((await other.forProxy()).apiKey, 'sk-2');
      one.reopen();
      assert.equal((await one.forProxy()).apiKey, 'sk-2');
    });

    it('is reported once in the window that removes', async () => {
      const secrets = open();
      await fill(secrets);
      await secrets.watch();
      const events: SecretChange[] = [];
      secrets.onDidChange((change) => {
        events.push(change);
      });
      await secrets.removeAll();
      assert.deepEqual(events, ['removed']);
    });

    it('is completed by a window that has written to the folder meanwhile, but not after a new start', async () => {
      const secrets = open();
      await fill(secrets);
      await secrets.removeAll();
      const file = join(root, 'here', 'usage-erased');
      mkdirSync(join(root, 'here'));
      writeFileSync(file, '');
      await secrets.sweep();
      assert.equal(existsSync(join(root, 'here')), false);
      secrets.reopen();
      await secrets.forProxy();
      writeFileSync(file, '');
      await secrets.sweep();
      assert.equal(existsSync(file), true);
    });

    it('says if the storage keeps an entry', async () => {
      const storage = vault.storage();
      const secrets = open('here', 'a', storage);
      await fill(secrets);
      const remove = storage.delete.bind(storage);
      storage.delete = () => Promise.resolve();
      assert.equal((await secrets.removeAll()).complete, false);
      storage.delete = remove;
      assert.equal((await secrets.removeAll()).complete, true);
      assert.deepEqual([...vault.values], []);
    });
  });
});
