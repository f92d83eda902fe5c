import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageRecorder } from '../../../../../src/extension/features/usage/usageRecorder.ts';
import { makeAccessKey } from '../../../../../src/keys/accessKeys.ts';
import { hourOf } from '../../../../../src/shared/activity.ts';
import { EventQueue } from '../../../../support/e2e/eventQueue.ts';

describe('UsageRecorder', () => {
  const key = makeAccessKey('Cline', 'assistant', 0);
  let storage: string;
  let usageHistory: boolean;
  let log: EventQueue<string>;
  let recorder: UsageRecorder;
  let changes: number;

  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'sealed-proxy-recorder-'));
    usageHistory = true;
    log = new EventQueue();
    const add = (message: string) => {
      log.add(message);
    };
    const channel = { error: add, warn: add } as unknown as ConstructorParameters<typeof UsageRecorder>[3]['channel'];
    const secrets = { accessKeys: () => Promise.resolve([key]) };
    changes = 0;
    recorder = new UsageRecorder(
      storage,
      secrets,
      () => ({ usageHistory }),
      { channel },
      () => changes++,
    );
  });
  afterEach(async () => {
    await recorder.history.settled();
    rmSync(storage, { recursive: true });
  });

  const record = () => {
    const sum = { hour: hourOf(Date.now()), caller: key.id, model: 'glm-5', requests: 1, errors: 0, cancelled: 0 };
    const tokens = { tokensIn: 1, tokensOut: 2, tokensCached: 0, firstByte: {} };
    recorder.record({ since: Date.now(), sums: [{ ...sum, ...tokens }] });
  };
  const recorded = async () => {
    await recorder.history.settled();
    return (await recorder.history.read(0)).map(({ name, requests }) => [name, requests]);
  };

  it('records with the names of the keys, unless the user has turned it off', async () => {
    record();
    assert.deepEqual(await recorded(), [['Cline', 1]]);
    usageHistory = false;
    record();
    assert.deepEqual(await recorded(), [['Cline', 1]], 'what was recorded before stays');
    usageHistory = true;
    record();
    assert.deepEqual(await recorded(), [['Cline', 2]]);
  });

  it('tells that it has recorded something, and that this was erased', async () => {
    record();
    await recorded();
    assert.equal(changes, 1);
    await recorder.history.erase();
    assert.equal(changes, 2);
  });

  it('deletes old files at the start, also if the recording is off', async () => {
    await recorder.history.settled();
    mkdirSync(join(storage, 'usage'));
    const name = `2020-01-01.${'0'.repeat(16)}.json`;
    writeFileSync(join(storage, 'usage', name), '');
    usageHistory = false;
    const { history } = new UsageRecorder(
      storage,
      { accessKeys: () => Promise.resolve([]) },
      () => ({ usageHistory }),
      { channel: {} as never },
      () => undefined,
    );
    await history.settled();
    assert.deepEqual(await history.read(0), []);
    writeFileSync(join(storage, 'usage', name), '', { flag: 'wx' }); // it would fail if the file were still there
  });

  it('logs that it cannot record, without a key', async () => {
    await recorder.history.settled();
    writeFileSync(join(storage, 'usage'), '');
    record();
    const message = await log.find('the failure', () => true);
    assert.match(message, /^The usage cannot be recorded: Error: E/);
    assert.ok(!message.includes(key.key), message);
    rmSync(join(storage, 'usage'));
  });
});
