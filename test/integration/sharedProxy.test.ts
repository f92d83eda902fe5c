// Several windows share one proxy: which one owns it, joins it, and takes it over.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { CHAT_COMPLETIONS } from '../../src/proxy/relay/upstream.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { listModels, openResponse, readResponse } from '../support/e2e/httpClient.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';
import { EditorWindow, gone, isAlive, makeVault } from '../support/editorWindow.ts';
import type { Running, Vault } from '../support/editorWindow.ts';
import { flushEventLoop } from '../support/withTimeout.ts';

describe('Supervisors of several windows', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let vault: Vault;
  let port: number;
  /** Chat responses do not end before. */
  let held: Promise<unknown>;

  beforeEach(async () => {
    const model = createModel({ paceMs: 20 });
    held = Promise.resolve();
    enclave = await scope.enclave({
      handler: (request, response) => {
        if (request.target !== CHAT_COMPLETIONS) return model(request, response);
        return model(request, {
          signal: response.signal,
          start: response.start.bind(response),
          write: response.write.bind(response),
          drained: response.drained.bind(response),
          end: () =>
            void held.then(() => {
              response.end();
            }),
          fail: response.fail.bind(response),
        });
      },
    });
    vault = makeVault();
    port = await freePort();
  });

  const open = () => EditorWindow.open(scope, { backendUrl: enclave.url, port }, { vault });
  const connected = async (editor: EditorWindow) => {
    await editor.supervisor.start();
    return editor.health('connected');
  };
  /** The next status in which this window is the owner, from status number `start` on. */
  const owning = (editor: EditorWindow, start: number) =>
    editor.statuses.find(
      'the ownership',
      (status) => status.kind === 'running' && !status.shared && status.health.kind === 'connected',
      start,
    );
  const both = async () => {
    const [first, second] = [open(), open()];
    const owner = await connected(first);
    const client = await connected(second);
    return { first, second, owner, client };
  };

  it('share one proxy: the second window joins it, and shows its attestation', async () => {
    const { first, second, owner, client } = await both();
    assert.deepEqual([owner.shared, client.shared], [false, true]);
    assert.deepEqual([first.pids.length, second.pids.length], [1, 0]);
    assert.deepEqual(
      [client.url, client.verified, client.establishedAt],
      [owner.url, owner.verified, owner.establishedAt],
    );
  });

  it('end up with one proxy when they start at the same time', async () => {
    const windows = [open(), open(), open()];
    const states = await Promise.all(windows.map(connected));
    assert.equal(new Set(states.map(({ url }) => url)).size, 1);
    const final = windows.map(({ supervisor }) => supervisor.status as Running);
    assert.equal(final.filter(({ shared }) => !shared).length, 1);
  });

  for (const way of ['stops', 'closes', 'is killed with its proxy'] as const) {
    it(`let the second window take over before its next probe when the first ${way}`, async () => {
      mock.timers.enable({ apis: ['setInterval'] }); // no probe comes
      const { first, second, owner } = await both();
      const release = Promise.withResolvers<undefined>();
      held = release.promise;
      const stream = await openResponse(owner.url, { body: chatBody('/repeat 2', { stream: true }) });
      const reading = readResponse(stream);
      assert.equal((await listModels(owner.url)).status, 200);
      const before = second.statuses.items.length;
      if (way === 'is killed with its proxy') process.kill(first.pid, 'SIGKILL');
      // A window that is killed with its proxy does not restart it either.
      const leaving = way === 'stops' ? first.supervisor.stop() : first.supervisor.end();
      await owning(second, before);
      release.resolve(undefined);
      await (way === 'stops' ? leaving : undefined);
      assert.equal((await listModels(owner.url)).status, 200);
      assert.equal((await reading).broken, way === 'is killed with its proxy');
      if (way !== 'is killed with its proxy') await gone(first.pid);
      assert.ok(isAlive(second.pid));
    });
  }

  it('take over without an API key and without any request', async () => {
    vault.apiKey = null;
    mock.timers.enable({ apis: ['setInterval'] }); // no probe comes
    const [first, second] = [open(), open()];
    await first.supervisor.start();
    await second.supervisor.start();
    await second.health('noKey');
    assert.equal((second.supervisor.status as Running).shared, true);
    const before = second.statuses.items.length;
    await first.supervisor.stop();
    await second.statuses.find('the ownership', (status) => status.kind === 'running' && !status.shared, before);
  });

  it('keep the proxy when a client window stops', async () => {
    const { first, second, owner } = await both();
    await second.supervisor.stop();
    assert.deepEqual(second.supervisor.status, { kind: 'off' });
    assert.equal((await listModels(owner.url)).status, 200);
    assert.deepEqual([first.supervisor.status.kind, first.pids.length], ['running', 1]);
  });

  it('still share one proxy after the owner has restarted it', async () => {
    const { first, second, owner } = await both();
    const starts = [first, second].map(({ statuses }) => statuses.items.length);
    await first.supervisor.restart();
    await Promise.all([first.health('connected', starts[0]), second.health('connected', starts[1])]);
    assert.equal((await listModels(owner.url)).status, 200);
    const states = [first, second].map(({ supervisor }) => supervisor.status as Running);
    assert.equal(states.filter(({ shared }) => !shared).length, 1);
  });

  it('reject a revoked access key at once, in all windows', async () => {
    const { first, second, owner } = await both();
    vault.accessKeys = [vault.ownKey];
    await Promise.all([first, second].map(({ supervisor }) => supervisor.secretsChanged(false)));
    assert.equal((await listModels(owner.url)).status, 401);
    const before = second.statuses.items.length;
    await first.supervisor.stop();
    await owning(second, before);
    assert.equal((await listModels(owner.url)).status, 401);
  });

  it('all use a new API key', async () => {
    vault.apiKey = null;
    const [first, second] = [open(), open()];
    for (const { supervisor } of [first, second]) await supervisor.start();
    await Promise.all([first.health('noKey'), second.health('noKey')]);
    vault.apiKey = API_KEY;
    await Promise.all([first, second].map(({ supervisor }) => supervisor.secretsChanged(true)));
    await Promise.all([first.health('connected'), second.health('connected')]);
  });

  it('do not trust each other if their secrets differ, and send no key', async () => {
    const first = open();
    await connected(first);
    const other = EditorWindow.open(scope, { backendUrl: enclave.url, port });
    await other.supervisor.start();
    assert.deepEqual(other.supervisor.status, { kind: 'portTaken', port, by: 'sealedProxy' });
    other.vault.ownership = vault.ownership; // the secret that was stored last
    await other.supervisor.secretsChanged(false);
    assert.equal((await other.status('running')).shared, true);
  });

  it('change places when the client restarts the proxy, without breaking a stream', async () => {
    const { first, second, owner } = await both();
    const reading = readResponse(await openResponse(owner.url, { body: chatBody('/repeat 60', { stream: true }) }));
    const starts = [first, second].map(({ statuses }) => statuses.items.length);
    await second.supervisor.restart();
    await owning(second, starts[1] ?? 0);
    assert.equal((await reading).broken, false);
    const joined = await first.health('connected', starts[0]);
    assert.deepEqual([joined.shared, joined.url, first.pids.length], [true, owner.url, 1]);
    assert.ok(first.statuses.items.slice(starts[0]).every(({ kind }) => kind !== 'restarting' && kind !== 'failed'));
    await gone(first.pid);
  });

  it('change places if the owner does not see a new access key, as between browser tabs', async () => {
    const { first, second, owner } = await both();
    const key = `sealed-${'n'.repeat(43)}`;
    second.vault = { ...vault, accessKeys: [...vault.accessKeys, key] };
    assert.equal((await listModels(owner.url, key)).status, 401);
    const starts = [first, second].map(({ statuses }) => statuses.items.length);
    await second.supervisor.secretsChanged(false);
    assert.equal((await listModels(owner.url, key)).status, 200);
    await owning(second, starts[1] ?? 0);
    assert.equal((await first.health('connected', starts[0])).shared, true);
  });

  it('do not share a proxy if they trust different backends or images, until the user restarts one', async () => {
    const first = open();
    await connected(first);
    const elsewhere = await scope.enclave();
    for (const change of [{ backendUrl: elsewhere.url }, { additionalPcr0: ['ab'.repeat(48)] }]) {
      const other = open();
      await other.change(change);
      await other.supervisor.start();
      const expected = { kind: 'otherSettings', port, backendUrl: enclave.url };
      assert.deepEqual(other.supervisor.status, expected);
      await other.supervisor.stop();
    }
    const second = open();
    await second.change({ backendUrl: elsewhere.url });
    await second.supervisor.start();
    const before = first.statuses.items.length;
    await second.supervisor.restart();
    assert.equal((await second.health('connected')).backendUrl, elsewhere.url);
    const told = await first.status('otherSettings', before);
    assert.equal(told.backendUrl, elsewhere.url);
  });

  it('start with the latest secrets, even if they change during the start', async () => {
    const editor = open();
    void editor.supervisor.start();
    while (editor.pids.length === 0) await flushEventLoop(); // it has the earlier secrets
    Object.assign(vault, { ownership: makeVault().ownership, accessKeys: [vault.ownKey] });
    const { url } = await editor.health('connected');
    assert.equal((await listModels(url)).status, 401);
    assert.ok(editor.statuses.items.every(({ kind }) => kind === 'starting' || kind === 'running'));
    assert.equal((await connected(open())).shared, true);
  });

  it('use the keys of the window opened last, if the owner does not see them', async () => {
    const first = open();
    first.vault = { ...vault, apiKey: null };
    await first.supervisor.start();
    await first.health('noKey');
    const second = open();
    const before = first.statuses.items.length;
    await connected(second);
    assert.equal((second.supervisor.status as Running).shared, false);
    await first.statuses.find('the join', (status) => status.kind === 'running' && status.shared, before);
    assert.equal((await listModels(`http://127.0.0.1:${port}`)).status, 200);
  });

  it('leave the port to the window that asked for it, even if another one starts meanwhile', async () => {
    const { first, second } = await both();
    const before = first.statuses.items.length;
    const restarted = second.supervisor.restart();
    await first.status('starting', before);
    const started = first.supervisor.start();
    await first.change({ logLevel: 'debug' });
    await Promise.all([restarted, started]);
    assert.deepEqual(
      [first, second].map(({ supervisor }) => (supervisor.status as Running).shared),
      [true, false],
    );
    assert.equal(first.pids.length, 1);
  });

  it('share a proxy if they spell the same settings differently', async () => {
    const pcr0 = 'ab'.repeat(48);
    const [first, second] = [open(), open()];
    await first.change({ additionalPcr0: [pcr0, 'cd'.repeat(48)] });
    await second.change({ additionalPcr0: ['CD'.repeat(48), ` ${pcr0} `], backendUrl: `${enclave.url}/` });
    await connected(first);
    assert.equal((await connected(second)).shared, true);
  });

  it('stay clients of an owner that is only suspended for a while', async () => {
    const { first, second } = await both();
    const before = second.statuses.items.length;
    process.kill(first.pid, 'SIGSTOP');
    try {
      await second.supervisor.check();
      await second.health('checking', before);
    } finally {
      process.kill(first.pid, 'SIGCONT');
    }
    await second.health('connected', before);
    for (const status of second.statuses.items.slice(before)) assert.ok(status.kind === 'running' && status.shared);
  });

  it('recover: a window that gave up after crashes joins another window’s proxy', async () => {
    const crashing = EditorWindow.open(scope, { backendUrl: enclave.url, port }, { vault, source: 'process.exit(1)' });
    const other = open();
    mock.timers.enable({ apis: ['setTimeout'] });
    void crashing.supervisor.start();
    for (let crash = 1, seen = 0; crash < 5; crash++) {
      await crashing.status('restarting', seen);
      seen = crashing.statuses.items.length;
      mock.timers.tick(8000);
    }
    await crashing.status('failed');
    await connected(other);
    const before = crashing.statuses.items.length;
    mock.timers.tick(15_000); // it looks at the port, and joins after a delay in real time
    mock.timers.reset();
    assert.equal((await crashing.status('running', before)).shared, true);
    assert.equal(other.pids.length, 1);
  });
});
