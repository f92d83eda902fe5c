import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { DEADLINE, flushEventLoop, until, withTimeout } from '../../support/withTimeout.ts';

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

  it('has an id of 32 random bytes, the same for all windows and after all were closed', async () => {
    const id = await open().machineId();
    assert.equal(id.length, 32);
    assert.ok(new Set(id).size > 8);
    const store = open();
    for (const again of [store, store, open()]) assert.deepEqual(await again.machineId(), id);
  });

  it('generates one id if many windows ask for the first one at the same time, and leaves no other files', async () => {
    for (let round = 0; round < 20; round++) {
      const where = join(root, String(round));
      const stores = Array.from({ length: 12 }, () => open(where));
      const ids = await Promise.all(stores.map((store) => store.machineId()));
      assert.equal(ids[0]?.length, 32);
      for (const id of ids) assert.deepEqual(id, ids[0]);
      assert.deepEqual(readdirSync(where).toSorted(), ['machine-id', 'revoked']);
    }
  });

  it('has a different id than the store of another computer', async () => {
    assert.notDeepEqual(await open().machineId(), await open(join(root, 'other')).machineId());
  });

  for (const [what, length] of [
    ['empty', 0],
    ['short', 31],
    ['long', 33],
  ] as const) {
    it(`generates a new id if the file of the old one is ${what}`, async () => {
      await open().revokedIds();
      writeFileSync(join(path, 'machine-id'), new Uint8Array(length).fill(7));
      const id = await open().machineId();
      assert.equal(id.length, 32);
      assert.ok(new Set(id).size > 8);
      assert.deepEqual(await open().machineId(), id);
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
      DEADLINE,
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

  it('works again after its folder was removed while a window watches it', async () => {
    const { events } = await listen();
    rmSync(path, { recursive: true });
    await events.find('the removal', () => true);
    assert.deepEqual(await withTimeout('the keys', DEADLINE, open().revokedIds()), new Set());
    await open().revoke(ONE);
    assert.deepEqual(await open().revokedIds(), new Set([ONE]));
  });
});
