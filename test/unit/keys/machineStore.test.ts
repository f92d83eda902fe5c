import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineStore, RemovedError } from '../../../src/keys/machineStore.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { flushEventLoop, until } from '../../support/withTimeout.ts';

const [ONE, OTHER] = ['0123456789abcdef', 'fedcba9876543210'];

describe('MachineStore', () => {
  let root: string;
  let path: string;
  let closers: (() => void)[];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sealed-proxy-host-'));
    path = join(root, 'not', 'there', 'yet');
    closers = [];
  });

  afterEach(() => {
    for (const close of closers) close();
    rmSync(root, { recursive: true });
  });

  const open = (where = path) => new MachineStore(where);

  /** The changes that another window is notified of. */
  const listen = async () => {
    const events = new EventQueue<undefined>();
    const watching = await open().watchRevoked(() => {
      events.add(undefined);
    });
    const dispose = () => {
      watching.close();
    };
    closers.push(dispose);
    return { events, dispose };
  };

  it('creates its folder on first use', async () => {
    const firsts: readonly ((store: MachineStore) => Promise<unknown>)[] = [
      (store) => store.machineId(),
      (store) => store.systemId(),
      (store) => store.revoke(ONE),
      (store) => store.revokedIds(),
      async (store) => {
        (await store.watchRevoked(() => undefined)).close();
      },
    ];
    for (const [number, first] of firsts.entries()) {
      const where = join(root, String(number), 'folder');
      await first(open(where));
      assert.ok(statSync(where).isDirectory());
    }
  });

  it('has a system id of 32 random bytes, the same for all windows and after all were closed', async () => {
    const id = await open().systemId();
    assert.equal(id.length, 32);
    assert.ok(new Set(id).size > 8);
    const store = open();
    for (const again of [store, store, open()]) assert.deepEqual(await again.systemId(), id);
  });

  it('generates one id if many windows ask for the first one at the same time, and leaves no other files', async () => {
    for (let round = 0; round < 20; round++) {
      const where = join(root, String(round));
      const stores = Array.from({ length: 12 }, () => open(where));
      const ids = await Promise.all(stores.map((store) => store.systemId()));
      assert.equal(ids[0]?.length, 32);
      for (const id of ids) assert.deepEqual(id, ids[0]);
      assert.deepEqual(readdirSync(where).toSorted(), ['machine-id', 'revoked']);
    }
  });

  it('has a different id than the store of another computer', async () => {
    assert.notDeepEqual(await open().systemId(), await open(join(root, 'other')).systemId());
  });

  for (const [what, length] of [
    ['empty', 0],
    ['short', 31],
    ['long', 33],
  ] as const) {
    it(`generates a new id if the file of the old one is ${what}`, async () => {
      await open().revokedIds();
      writeFileSync(join(path, 'machine-id'), new Uint8Array(length).fill(7));
      const id = await open().systemId();
      assert.equal(id.length, 32);
      assert.ok(new Set(id).size > 8);
      assert.deepEqual(await open().systemId(), id);
      assert.deepEqual(readdirSync(path).toSorted(), ['machine-id', 'revoked']);
    });
  }

  it('lists the keys that any window has revoked', async () => {
    const [one, other] = [open(), open()];
    assert.deepEqual(await one.revokedIds(), new Set());
    await one.revoke(ONE);
    assert.deepEqual(await other.revokedIds(), new Set([ONE]));
    await Promise.all([one.revoke(OTHER), other.revoke(OTHER), other.revoke(ONE)]);
    for (const store of [one, other, open()]) assert.deepEqual(await store.revokedIds(), new Set([ONE, OTHER]));
    assert.deepEqual(await open(join(root, 'other')).revokedIds(), new Set());
  });

  it('ignores files that do not name a key', async () => {
    await open().revoke(ONE);
    const junk = ['.DS_Store', ONE.toUpperCase(), `${ONE}0`, ONE.slice(1), `${ONE}.tmp`, ` ${OTHER}`, 'thumbs.db'];
    for (const name of junk) writeFileSync(join(path, 'revoked', name), '');
    assert.deepEqual(await open().revokedIds(), new Set([ONE]));
  });

  it('notifies every window of a key that another one has revoked, after the key is listed', async () => {
    const windows = await Promise.all([listen(), listen()]);
    await open().revoke(ONE);
    for (const { events } of windows) await events.find('the first key', () => true);
    assert.deepEqual(await open().revokedIds(), new Set([ONE]));
    // One revocation may cause several events: wait for the last of them.
    const { events } = windows[0];
    await until(
      'the end of the events',
      () => true,
      () => events.items.length,
    );
    const before = events.items.length;
    await open().revoke(OTHER);
    await events.find('the other key', () => true, before);
  });

  it('does not notify a window that was closed', async () => {
    const [closed, watching] = await Promise.all([listen(), listen()]);
    closed.dispose();
    await open().revoke(ONE);
    await watching.events.find('the key', () => true);
    await flushEventLoop();
    assert.equal(closed.events.items.length, 0);
    closed.dispose(); // a second time has no effect
  });

  it('does not create its folder again after a window has removed it, until it is reopened', async () => {
    const [one, other] = [open(), open()];
    const { events } = await listen();
    await one.revoke(ONE);
    await other.machineId();
    await one.remove();
    await events.find('the removal', () => true);
    for (const store of [one, other]) {
      assert.equal(await store.isRemoved(), true);
      const uses = [() => store.machineId(), () => store.systemId(), () => store.revokedIds(), () => store.revoke(ONE)];
      for (const use of uses) await assert.rejects(use(), RemovedError);
    }
    assert.equal(existsSync(path), false);
    other.reopen();
    assert.equal(await other.isRemoved(), false);
    assert.deepEqual(await other.revokedIds(), new Set());
  });

  describe('machineId()', () => {
    const on = (hardware: string, where = path) => new MachineStore(where, () => Promise.resolve(hardware));

    it('has 16 hex digits and stays the same in every window', async () => {
      const id = await on('a').machineId();
      assert.match(id, /^[0-9a-f]{16}$/);
      assert.equal(await on('a').machineId(), id);
      assert.equal(await open().machineId(), await open().machineId());
    });

    it('differs in one half for two computers that share a folder, and in the other half for two folders', async () => {
      const [one, other, elsewhere] = [on('a'), on('b'), on('a', join(root, 'other'))];
      const ids = await Promise.all([one, other, elsewhere].map((store) => store.machineId()));
      const [first, second] = [ids.map((id) => id.slice(0, 8)), ids.map((id) => id.slice(8))];
      assert.equal(first[0], first[1]);
      assert.notEqual(first[0], first[2]);
      assert.equal(second[0], second[2]);
      assert.notEqual(second[0], second[1]);
    });

    it('does not contain the hardware’s own id', async () => {
      const own = '0123456789abcdef0123456789abcdef';
      assert.ok(!own.includes((await on(own).machineId()).slice(8)));
    });

    it('asks the hardware once, and again only after a failure', async () => {
      let [asked, fails] = [0, true];
      const store = new MachineStore(path, () => {
        asked++;
        return fails ? Promise.reject(new Error('too slow')) : Promise.resolve('a');
      });
      await assert.rejects(store.machineId(), /too slow/);
      fails = false;
      assert.equal(await store.machineId(), await on('a').machineId());
      await store.machineId();
      assert.equal(asked, 2);
    });
  });

  describe('systemId()', () => {
    const idOf = (hardware: string, runningSystem?: readonly (() => Promise<string>)[]) =>
      new MachineStore(path, () => Promise.resolve(hardware), runningSystem).systemId();

    it('is a digest of the folder and the running system on Linux, so that all versions know each other’s proxies', async () => {
      const parts = [Buffer.alloc(32, 7), 'boot\n', 'net:[1]'];
      await open().revokedIds();
      writeFileSync(join(path, 'machine-id'), Buffer.alloc(32, 7));
      const hash = createHash('sha256');
      for (const part of parts) hash.update(createHash('sha256').update(part).digest());
      const running = [() => Promise.resolve('boot\n'), () => Promise.resolve('net:[1]')];
      assert.deepEqual(await idOf('a', running), hash.digest());
    });

    it('differs for two computers that share a folder where the running system has no id', async () => {
      const running = [() => Promise.reject(new Error('ENOENT'))];
      assert.notDeepEqual(await idOf('a', running), await idOf('b', running));
      assert.deepEqual(await idOf('a', running), await idOf('a', running));
    });
  });
});
