// Windows of different versions on one port: which one serves, and that they never take the port from each other in turns.
import assert from 'node:assert/strict';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { PROTOCOL } from '../../src/shared/ownership.ts';
import { VERSION } from '../../src/shared/version.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { trustFingerprint } from '../../src/supervisor/portClaim.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { listModels, openResponse, readResponse } from '../support/e2e/httpClient.ts';
import { perTest } from '../support/e2e/scope.ts';
import { EditorWindow, gone, makeVault } from '../support/editorWindow.ts';
import type { Running, Vault } from '../support/editorWindow.ts';
import { FakeProxy } from '../support/fakeProxy.ts';

const OLDER = '0.0.1';
const NEWER = '99.0.0';

describe('Supervisors of different versions', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let vault: Vault;
  let port: number;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    vault = makeVault();
    port = await freePort();
  });

  const open = (version = VERSION, source?: string) =>
    EditorWindow.open(scope, { backendUrl: enclave.url, port }, { vault, version, ...(source && { source }) });
  const serving = (editor: EditorWindow, shared: boolean, start: number) =>
    editor.statuses.find(
      `a proxy of ${shared ? 'another window' : 'this window'}`,
      (status) => status.kind === 'running' && status.shared === shared && status.health.kind === 'connected',
      start,
    ) as Promise<Running>;
  /** The number of times that each window has started a process. */
  const starts = (...windows: readonly EditorWindow[]) => windows.map(({ pids }) => pids.length);

  it('let the newer one take over by itself; the older one joins it, and a running stream completes', async () => {
    const [older, newer] = [open(), open(NEWER)];
    const { url } = await older.start();
    const stream = readResponse(await openResponse(url, { body: chatBody('/repeat 60', { stream: true }) }));
    const before = older.statuses.items.length;
    await newer.supervisor.start();
    const owner = await serving(newer, false, 0);
    const client = await serving(older, true, before);
    assert.deepEqual([owner.version, client.version], [NEWER, NEWER]);
    assert.equal((await stream).broken, false);
    assert.equal((await listModels(url)).status, 200);
    await gone(older.pid);
    assert.deepEqual(starts(older, newer), [1, 1]);
  });

  it('let the older one join the newer one, whatever the user does there', async () => {
    const [older, newer] = [open(), open(NEWER)];
    await newer.start();
    await older.supervisor.start();
    await serving(older, true, 0);
    for (let round = 0; round < 3; round++) await older.supervisor.restart();
    await older.supervisor.stop();
    await older.supervisor.start();
    older.vault = { ...vault, accessKeys: [...vault.accessKeys, `sealed-${'n'.repeat(43)}`] }; // as in another browser tab
    await older.supervisor.secretsChanged(false);
    assert.equal((older.supervisor.status as Running).shared, true);
    assert.deepEqual(starts(older, newer), [0, 1]);
  });

  it('change the owner once for each window that opens or closes, in many rounds', async () => {
    const older = open();
    await older.start();
    for (let round = 1; round <= 4; round++) {
      const newer = open(NEWER);
      const before = older.statuses.items.length;
      await newer.supervisor.start();
      await serving(newer, false, 0);
      await serving(older, true, before);
      assert.deepEqual(starts(older, newer), [round, 1]);
      const later = older.statuses.items.length;
      if (round % 2 === 0) await newer.supervisor.stop();
      else await newer.supervisor.end();
      const { version } = await serving(older, false, later);
      assert.equal(version, VERSION);
      assert.deepEqual(starts(older, newer), [round + 1, 1]);
    }
  });

  it('share one proxy again after the newer one crashed, and leave it to the user to change its version', async () => {
    const [older, newer] = [open(), open(NEWER)];
    await older.start();
    const before = older.statuses.items.length;
    await newer.supervisor.start();
    await serving(newer, false, 0);
    await serving(older, true, before);
    const [olderStart, newerStart] = [older.statuses.items.length, newer.statuses.items.length];
    process.kill(newer.pid, 'SIGKILL');
    // Usually the older one is faster, because the other window waits for a second after a crash.
    const isOlder = await Promise.race([
      serving(older, false, olderStart).then(() => true),
      serving(newer, false, newerStart).then(() => false),
    ]);
    const { version } = await (isOlder ? serving(newer, true, newerStart) : serving(older, true, olderStart));
    assert.equal(version, isOlder ? VERSION : NEWER);
    const last = older.statuses.items.length;
    await newer.supervisor.restart(); // the user asks for it
    await serving(newer, false, newerStart);
    await serving(older, true, isOlder ? last : olderStart);
  });

  it('give the port back, once, if the newer version cannot run', async () => {
    const [older, newer] = [open(), open(NEWER, 'process.exit(1)')];
    await older.start();
    const before = older.statuses.items.length;
    await newer.supervisor.start();
    await serving(older, false, before);
    const { version } = await serving(newer, true, 0);
    assert.equal(version, VERSION);
    assert.equal(older.pids.length, 2);
    assert.ok(newer.pids.length <= 4, 'it crashed until the older one had the port again, after ten seconds');
  });

  it('of which several are newer end up with one proxy of that version', async () => {
    const older = open();
    await older.start();
    const newer = [open(NEWER), open(NEWER), open(NEWER)];
    await Promise.all(newer.map(({ supervisor }) => supervisor.start()));
    await Promise.all(newer.map((editor) => editor.health('connected')));
    const states = newer.map(({ supervisor }) => supervisor.status as Running);
    assert.deepEqual(new Set(states.map(({ version }) => version)), new Set([NEWER]));
    assert.equal(states.filter(({ shared }) => !shared).length, 1);
    await serving(older, true, 1);
    assert.equal(older.pids.length, 1);
  });

  describe('and a proxy of an older protocol', () => {
    const startOld = async (change = {}) => {
      const fake = await FakeProxy.start(Buffer.from(vault.ownership, 'base64'), port);
      scope.onClose(() => fake.close());
      fake.report = { version: OLDER, protocol: PROTOCOL - 1, ...change };
      return fake;
    };

    it('take over from it by themselves if it trusts the same', async () => {
      const editor = open(NEWER);
      const fake = await startOld({ trustFingerprint: trustFingerprint(editor.settings) });
      await editor.supervisor.start();
      assert.equal(fake.released, true);
      assert.equal((await serving(editor, false, 0)).version, NEWER);
      assert.equal(fake.modelRequests, 0);
    });

    it('do not send it a key, and show its version, if it trusts something else; Restart takes over', async () => {
      const editor = open(NEWER);
      const fake = await startOld();
      await editor.supervisor.start();
      const status = { kind: 'otherVersion', port, version: OLDER, isNewer: false };
      assert.deepEqual(editor.supervisor.status, status);
      assert.deepEqual([fake.released, fake.modelRequests, editor.pids.length], [false, 0, 0]);
      await editor.supervisor.restart();
      assert.equal(fake.released, true);
      assert.equal((await serving(editor, false, 0)).version, NEWER);
    });
  });

  it('show a proxy of a later protocol, and start when it is gone', async () => {
    const fake = await FakeProxy.start(Buffer.from(vault.ownership, 'base64'), port);
    scope.onClose(() => fake.close());
    fake.report = { version: NEWER, protocol: PROTOCOL + 1 };
    const editor = open();
    await editor.supervisor.start();
    const status = { kind: 'otherVersion', port, version: NEWER, isNewer: true };
    assert.deepEqual(editor.supervisor.status, status);
    await editor.supervisor.restart();
    assert.deepEqual(editor.supervisor.status, status);
    assert.deepEqual([fake.released, fake.modelRequests, editor.pids.length], [false, 0, 0]);
    const before = editor.statuses.items.length;
    await fake.close();
    assert.equal((await serving(editor, false, before)).version, VERSION);
  });
});
