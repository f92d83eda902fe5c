import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostFolder } from '../../../src/keys/hostFolder.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';
import { DEADLINE, flushEventLoop, until, withTimeout } from '../../support/withTimeout.ts';

const [ONE, OTHER] = ['0123456789abcdef', 'fedcba9876543210'];

describe('The folder of this computer', () => {
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

  const open = (where = path) => new HostFolder(where);

  /** What one more window hears. */
  const listen = async () => {
    const heard = new EventQueue<undefined>();
    const watching = await open().watchRevoked(() => {
      heard.add(undefined);
    });
    const dispose = () => {
      watching.dispose();
    };
    closers.push(dispose);
    return { heard, dispose };
  };

  it('is made by whatever is asked of it first', async () => {
    const firsts: readonly ((folder: HostFolder) => Promise<unknown>)[] = [
      (folder) => folder.machineId(),
      (folder) => folder.revoke(ONE),
      (folder) => folder.revoked(),
      async (folder) => {
        (await folder.watchRevoked(() => undefined)).dispose();
      },
    ];
    for (const [number, first] of firsts.entries()) {
      const where = join(root, String(number), 'folder');
      await first(open(where));
      assert.ok(statSync(where).isDirectory());
    }
    assert.equal(open().path, path);
  });

  it('has an id of 32 random bytes, the same for all windows and after all have closed', async () => {
    const id = await open().machineId();
    assert.equal(id.length, 32);
    assert.ok(new Set(id).size > 8);
    const folder = open();
    for (const again of [folder, folder, open()]) assert.deepEqual(await again.machineId(), id);
  });

  it('has one id for many windows that ask for the first one at the same time, and leaves nothing else behind', async () => {
    for (let round = 0; round < 20; round++) {
      const where = join(root, String(round));
      const folders = Array.from({ length: 12 }, () => open(where));
      const ids = await Promise.all(folders.map((folder) => folder.machineId()));
      assert.equal(ids[0]?.length, 32);
      for (const id of ids) assert.deepEqual(id, ids[0]);
      assert.deepEqual(readdirSync(where).toSorted(), ['machine-id', 'revoked']);
    }
  });

  it('has another id than the folder of another computer', async () => {
    assert.notDeepEqual(await open().machineId(), await open(join(root, 'other')).machineId());
  });

  for (const [what, length] of [
    ['empty', 0],
    ['short', 31],
    ['long', 33],
  ] as const) {
    it(`has a whole id again where the file of the old one is ${what}`, async () => {
      await open().revoked();
      writeFileSync(join(path, 'machine-id'), new Uint8Array(length).fill(7));
      const id = await open().machineId();
      assert.equal(id.length, 32);
      assert.ok(new Set(id).size > 8);
      assert.deepEqual(await open().machineId(), id);
      assert.deepEqual(readdirSync(path).toSorted(), ['machine-id', 'revoked']);
    });
  }

  it('names the keys that were revoked, in whichever window', async () => {
    const [one, other] = [open(), open()];
    assert.deepEqual(await one.revoked(), new Set());
    await one.revoke(ONE);
    assert.deepEqual(await other.revoked(), new Set([ONE]));
    await Promise.all([one.revoke(OTHER), other.revoke(OTHER), other.revoke(ONE)]);
    for (const folder of [one, other, open()]) assert.deepEqual(await folder.revoked(), new Set([ONE, OTHER]));
    assert.deepEqual(await open(join(root, 'other')).revoked(), new Set());
  });

  it('names no key by a file that is none of ours', async () => {
    await open().revoke(ONE);
    const junk = ['.DS_Store', ONE.toUpperCase(), `${ONE}0`, ONE.slice(1), `${ONE}.tmp`, ` ${OTHER}`, 'thumbs.db'];
    for (const name of junk) writeFileSync(join(path, 'revoked', name), '');
    assert.deepEqual(await open().revoked(), new Set([ONE]));
  });

  it('tells every window of a key that another one has revoked, after it counts no more', async () => {
    const windows = await Promise.all([listen(), listen()]);
    await open().revoke(ONE);
    for (const { heard } of windows) await heard.find('the first key', () => true);
    assert.deepEqual(await open().revoked(), new Set([ONE]));
    // One revocation may come as several events: the next one is heard when they are over.
    const { heard } = windows[0];
    await until(
      'the end of the events',
      DEADLINE,
      () => true,
      () => heard.items.length,
    );
    const before = heard.items.length;
    await open().revoke(OTHER);
    await heard.find('the other key', () => true, before);
  });

  it('tells nothing to a window that has closed', async () => {
    const [closed, watching] = await Promise.all([listen(), listen()]);
    closed.dispose();
    await open().revoke(ONE);
    await watching.heard.find('the key', () => true);
    await flushEventLoop();
    assert.equal(closed.heard.items.length, 0);
    closed.dispose(); // as often as one likes
  });

  it('may be removed while a window watches it', async () => {
    const { heard } = await listen();
    rmSync(path, { recursive: true });
    await heard.find('the removal', () => true);
    assert.deepEqual(await withTimeout('the keys', DEADLINE, open().revoked()), new Set());
    await open().revoke(ONE);
    assert.deepEqual(await open().revoked(), new Set([ONE]));
  });
});
