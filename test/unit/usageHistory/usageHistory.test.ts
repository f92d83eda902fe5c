import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR, hourOf } from '../../../src/shared/activity.ts';
import type { NamedUsageSum, UsageSum } from '../../../src/shared/activity.ts';
import { UsageHistory, removeHistory } from '../../../src/usageHistory/usageHistory.ts';
import { usageSum } from '../../support/requestRecords.ts';

const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 5, 15, 12);
const SUM = usageSum({ hour: NOON });
const NAMES = Promise.resolve(new Map([[SUM.caller, 'Cline']]));

describe('UsageHistory', () => {
  let storage: string;
  let now: number;
  let damage: string[];

  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'sealed-proxy-history-'));
    now = NOON + 1000;
    damage = [];
  });
  afterEach(() => {
    rmSync(storage, { recursive: true, force: true });
  });

  const openHistory = () =>
    new UsageHistory(
      storage,
      (message) => {
        damage.push(message);
      },
      () => now,
    );
  const files = () => (existsSync(join(storage, 'usage')) ? readdirSync(join(storage, 'usage')).toSorted() : []);
  const add = (history: UsageHistory, first: Partial<UsageSum> = {}, ...others: readonly Partial<UsageSum>[]) =>
    history.add({ since: now, sums: [first, ...others].map((sum) => ({ ...SUM, ...sum })) }, NAMES);
  const requests = async (from = 0) =>
    (await openHistory().read(from))
      .map(({ hour, model, requests: count }) => [(hour - NOON) / HOUR, model, count] as const)
      .toSorted(([one], [other]) => one - other);

  it('is empty at first, also without its folder', async () => {
    assert.deepEqual(await openHistory().read(0), []);
    storage = join(storage, 'missing');
    assert.deepEqual(await openHistory().read(0), []);
    await openHistory().prune();
    assert.ok(!existsSync(storage));
  });

  it('adds up what it gets, over windows that were closed', async () => {
    for (let window = 0; window < 2; window++) {
      const history = openHistory();
      await add(history, {}, { model: 'big' });
      await add(history, { requests: 1 });
    }
    assert.deepEqual(await requests(), [
      [0, 'glm-5', 12],
      [0, 'big', 10],
    ]);
    const [sum] = await openHistory().read(0);
    assert.deepEqual(sum, {
      ...{ ...SUM, name: 'Cline', requests: 12, errors: 8, cancelled: 4, tokensIn: 40 },
      ...{ tokensOut: 80, tokensCached: 16, firstByte: { '12': 8 } },
    } satisfies NamedUsageSum);
    assert.equal(files().length, 2);
  });

  it('writes a file for each day, which only the user can read', async () => {
    await add(openHistory(), {}, { hour: NOON - DAY }, { hour: NOON + 11 * HOUR });
    assert.deepEqual(
      files().map((name) => name.slice(0, 10)),
      ['2026-06-14', '2026-06-15'],
    );
    if (process.platform === 'win32') return;
    for (const name of files()) assert.equal(statSync(join(storage, 'usage', name)).mode & 0o777, 0o600);
    assert.equal(statSync(join(storage, 'usage')).mode & 0o777, 0o700);
  });

  it('keeps the name of a client whose key was revoked', async () => {
    const history = openHistory();
    await add(history);
    await history.add({ since: now, sums: [SUM] }, Promise.resolve(new Map()));
    await history.add({ since: now, sums: [{ ...SUM, caller: 'direct' }] }, Promise.reject(new Error('no secrets')));
    const names = (await openHistory().read(0)).map(({ caller, name, requests: count }) => [caller, name, count]);
    assert.deepEqual(names, [
      [SUM.caller, 'Cline', 10],
      ['direct', '', 5],
    ]);
  });

  it('accepts clients of any name', async () => {
    const hostile = ['__proto__', 'constructor', '<b>"\n'];
    const names = Promise.resolve(new Map(hostile.map((name) => [name, name])));
    await openHistory().add({ since: now, sums: hostile.map((caller) => ({ ...SUM, caller })) }, names);
    assert.deepEqual(
      (await openHistory().read(0)).map(({ name }) => name),
      hostile,
    );
  });

  it('reads the sums from an hour on', async () => {
    for (const hours of [-48, -25, -1, 0]) await add(openHistory(), { hour: NOON + hours * HOUR });
    assert.deepEqual(
      (await requests(NOON)).map(([hour]) => hour),
      [0],
    );
    assert.deepEqual(
      (await requests(NOON - 1)).map(([hour]) => hour),
      [-1, 0],
    );
    assert.deepEqual(
      (await requests(NOON - 25 * HOUR)).map(([hour]) => hour),
      [-25, -1, 0],
    );
  });

  it('keeps sums for 90 days', async () => {
    const history = openHistory();
    await add(history);
    now += 90 * DAY;
    await history.prune();
    assert.equal((await history.read(0)).length, 1);
    now += DAY;
    assert.deepEqual(await history.read(0), []);
    await add(history, { hour: hourOf(now) });
    assert.deepEqual(
      files().map((name) => name.slice(0, 10)),
      ['2026-09-14'],
    );
  });

  it('keeps nothing for years that was recorded while the clock was years ahead', async () => {
    const right = now;
    now = Date.UTC(2099, 0, 1, 12);
    await add(openHistory(), { hour: hourOf(now) });
    now = right;
    await add(openHistory());
    assert.deepEqual(files().length, 1);
    now = right - 20 * DAY; // a clock that is behind for a moment deletes nothing
    await openHistory().prune();
    assert.deepEqual(files().length, 1);
  });

  it('reads nothing but files: no pipe or folder of such a name', async () => {
    await add(openHistory());
    const day = new Date(now).toISOString().slice(0, 10);
    const path = (digit: string) => join(storage, 'usage', `${day}.${digit.repeat(16)}.json`);
    mkdirSync(path('a'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [path('b')]);
    assert.equal((await requests()).length, 1);
    assert.equal(damage.length, process.platform === 'win32' ? 1 : 2);
  });

  it('loses nothing if the backend names many models with the longest names', async () => {
    const models = Array.from({ length: 4000 }, (_, index) => ({ model: `${index}`.padEnd(200, '\u0001') }));
    const history = openHistory();
    for (let time = 0; time < 2; time++) await add(history, ...models);
    const all = await openHistory().read(0);
    assert.equal(
      all.reduce((sum, { requests: count }) => sum + count, 0),
      2 * 4000 * SUM.requests,
    );
    assert.deepEqual(damage, []);
  });

  it('ignores and reports a damaged file, once, and replaces its own', async () => {
    const history = openHistory();
    await add(history);
    const [name = ''] = files();
    for (const [index, text] of ['{"version":1', '', 'x'.repeat(5 * 1024 * 1024)].entries())
      writeFileSync(join(storage, 'usage', `2026-06-15.${'0'.repeat(15)}${index}.json`), text);
    mkdirSync(join(storage, 'usage', `2026-06-15.${'0'.repeat(15)}3.json`));
    for (let reading = 0; reading < 2; reading++)
      assert.deepEqual(
        (await history.read(0)).map(({ requests: count }) => count),
        [5],
      );
    assert.equal(damage.length, 4);
    assert.match(damage[0] ?? '', /^A file of the usage history cannot be read, so the history is incomplete: .+json$/);
    writeFileSync(join(storage, 'usage', name), 'damaged');
    await add(history);
    assert.equal(damage.length, 5);
    assert.deepEqual(await requests(), [[0, 'glm-5', 5]]);
  });

  it('deletes the drafts of windows that have crashed', async () => {
    await add(openHistory());
    const draft = `2026-06-14.${'0'.repeat(16)}.0123456789abcdef`;
    writeFileSync(join(storage, 'usage', draft), '');
    await openHistory().prune();
    assert.ok(!files().includes(draft));
    assert.equal(files().length, 1);
  });

  it('writes nothing but files of its own folder, and leaves foreign files alone', async () => {
    const history = openHistory();
    await add(history);
    writeFileSync(join(storage, 'usage', 'notes.txt'), 'mine');
    now += 200 * DAY;
    await history.prune();
    assert.deepEqual(files(), ['notes.txt']);
    assert.deepEqual(readdirSync(storage), ['usage']);
  });

  it('contains only numbers and names', async () => {
    await add(openHistory());
    const [name = ''] = files();
    const { hour, caller, model } = SUM;
    assert.deepEqual(JSON.parse(readFileSync(join(storage, 'usage', name), 'utf8')), {
      version: 1,
      names: { [caller]: 'Cline' },
      sums: [[hour, caller, model, 5, 2, 1, 10, 20, 4, { '12': 2 }]],
    });
  });

  it('records nothing, and creates no folder, once the data of the extension was removed', async () => {
    const history = openHistory();
    await add(history);
    rmSync(storage, { recursive: true });
    await add(history);
    await history.erase();
    assert.ok(!existsSync(storage));
  });

  it('reports that it cannot write, and records again when it can', async () => {
    const history = openHistory();
    writeFileSync(join(storage, 'usage'), 'a file in the place of the folder');
    await assert.rejects(add(history), /ENOTDIR|ENOENT|EEXIST/);
    rmSync(join(storage, 'usage'));
    await add(history);
    assert.deepEqual(await requests(), [[0, 'glm-5', 5]]);
  });

  describe('erase()', () => {
    /** The names and texts of all files below the storage folder. */
    const everything = () =>
      readdirSync(storage, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => `${name} ${readFileSync(join(parentPath, name), 'utf8')}`);

    it('deletes the sums of all windows, and leaves only the time of the erasure', async () => {
      const histories = [openHistory(), openHistory()];
      for (const history of histories)
        await add(history, ...[0, -30, -80].map((days) => ({ hour: NOON + days * DAY })));
      mkdirSync(join(storage, 'usage.0badcafe'));
      writeFileSync(join(storage, 'usage.0badcafe', 'rest'), 'of an erasure that was interrupted');
      await openHistory().erase();
      assert.deepEqual(await requests(), []);
      assert.deepEqual(everything(), [`usage-erased ${now}`]);
      for (const history of histories) assert.deepEqual(await history.read(0), []);
    });

    it('drops what this window or another one has measured before it', async () => {
      const [eraser, other] = [openHistory(), openHistory()];
      const before = { since: now, sums: [SUM] };
      now += 5;
      const queued = eraser.add(before, NAMES);
      await eraser.erase();
      await queued;
      await other.add(before, NAMES);
      await eraser.add(before, NAMES);
      await openHistory().add(before, NAMES);
      assert.deepEqual([await requests(), files()], [[], []]);
      now += 1;
      await other.add({ since: now, sums: [SUM] }, NAMES);
      assert.deepEqual(await requests(), [[0, 'glm-5', 5]]);
    });

    it('leaves nothing of what other windows are writing at the same moment', async () => {
      for (let round = 0; round < 30; round++) {
        const windows = [openHistory(), openHistory(), openHistory()];
        const before = { since: now, sums: [{ ...SUM, model: randomBytes(8).toString('hex') }] };
        await Promise.all(windows.map((history) => history.add(before, NAMES)));
        now += 10;
        const adding = windows.map(async (history) => {
          for (let count = 0; count < 5; count++) await history.add(before, NAMES);
        });
        await Promise.all([...adding, openHistory().erase()]);
        assert.deepEqual([await requests(), files()], [[], []]);
        now += 10;
      }
    });

    it('does not stop the recording if the clock was wrong then', async () => {
      now += 1000 * DAY;
      await openHistory().erase();
      now -= 1000 * DAY;
      await add(openHistory());
      assert.deepEqual(await requests(), [[0, 'glm-5', 5]]);
    });
  });
});

describe('removeHistory()', () => {
  it('removes all traces of the history, and nothing else', async () => {
    const storage = mkdtempSync(join(tmpdir(), 'sealed-proxy-history-'));
    const history = new UsageHistory(
      storage,
      () => undefined,
      () => NOON,
    );
    await history.add({ since: NOON, sums: [SUM] }, NAMES);
    await history.erase();
    await history.add({ since: NOON + 1, sums: [SUM] }, NAMES);
    writeFileSync(join(storage, 'machine-id'), '');
    for (let time = 0; time < 2; time++) {
      await removeHistory(storage);
      assert.deepEqual(readdirSync(storage), ['machine-id']);
    }
    rmSync(storage, { recursive: true });
  });
});
