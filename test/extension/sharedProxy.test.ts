// Several windows, one proxy: who owns it, who joins it, and who comes next.
import assert from 'node:assert/strict';
import { createModel } from '../../src/devEnclave/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { freePort } from '../../src/extension/freePort.ts';
import { ask, head, readAnswer } from '../e2e/support/ask.ts';
import { chatBody } from '../e2e/support/chat.ts';
import { timed } from '../e2e/support/stopwatch.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../e2e/support/scope.ts';
import { EditorWindow, gone, isAlive, makeVault } from './editorWindow.ts';
import type { Running, Vault } from './editorWindow.ts';
import { FakeProxy } from './fakeProxy.ts';

const models = (url: string, key = ACCESS_KEY) => ask(url, { method: 'GET', path: '/v1/models', key });

describe('Two windows', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let vault: Vault;
  let port: number;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    vault = makeVault();
    port = await freePort();
  });

  const open = () => EditorWindow.open(scope, { backendUrl: enclave.url, port }, { vault });
  const connected = async (editor: EditorWindow) => {
    await editor.supervisor.start();
    return editor.health('connected');
  };
  /** The next status in which this window owns the proxy, from status number `start` on. */
  const owning = (editor: EditorWindow, start: number) =>
    editor.statuses.find(
      'the proxy of its own',
      (status) => status.kind === 'running' && !status.shared && status.health.kind === 'connected',
      start,
    );
  const both = async () => {
    const [first, second] = [open(), open()];
    const owner = await connected(first);
    const guest = await connected(second);
    return { first, second, owner, guest };
  };

  it('share one proxy: the second joins it, and knows what it proved', async () => {
    const { first, second, owner, guest } = await both();
    assert.deepEqual([owner.shared, guest.shared], [false, true]);
    assert.deepEqual([first.pids.length, second.pids.length], [1, 0]);
    assert.deepEqual(
      [guest.url, guest.verified, guest.establishedAt],
      [owner.url, owner.verified, owner.establishedAt],
    );
  });

  it('that start at the same time end with one proxy', async () => {
    const windows = [open(), open(), open()];
    const states = await Promise.all(windows.map(connected));
    assert.equal(new Set(states.map(({ url }) => url)).size, 1);
    const final = windows.map(({ supervisor }) => supervisor.status as Running);
    assert.equal(final.filter(({ shared }) => !shared).length, 1);
  });

  for (const way of ['stops', 'closes', 'is killed with its proxy'] as const) {
    it(`do without a break when the first ${way}: the second owns the proxy within three seconds`, async () => {
      const { first, second, owner } = await both();
      const stream = await head(owner.url, { body: chatBody('/repeat 60', { stream: true }) });
      const reading = readAnswer(stream);
      assert.equal((await models(owner.url)).status, 200);
      const before = second.statuses.items.length;
      const { milliseconds } = await timed(async () => {
        if (way === 'is killed with its proxy') process.kill(first.pid, 'SIGKILL');
        const leaving =
          way === 'stops' ? first.supervisor.stop() : way === 'closes' ? first.supervisor.end() : Promise.resolve();
        await owning(second, before);
        await (way === 'closes' ? undefined : leaving);
      });
      assert.ok(milliseconds < 3000, `${milliseconds} ms`);
      assert.equal((await models(owner.url)).status, 200);
      assert.equal((await reading).broken, way === 'is killed with its proxy');
      if (way !== 'is killed with its proxy') await gone(first.pid);
      assert.ok(isAlive(second.pid));
    });
  }

  it('also take over where there is no API key and nothing was ever asked', async () => {
    vault.apiKey = null;
    const [first, second] = [open(), open()];
    await first.supervisor.start();
    await second.supervisor.start();
    await second.health('noKey');
    assert.equal((second.supervisor.status as Running).shared, true);
    const before = second.statuses.items.length;
    await first.supervisor.stop();
    await second.statuses.find('its own', (status) => status.kind === 'running' && !status.shared, before, 3000);
  });

  it('of which the guest goes leave the proxy as it is', async () => {
    const { first, second, owner } = await both();
    await second.supervisor.stop();
    assert.deepEqual(second.supervisor.status, { kind: 'off' });
    assert.equal((await models(owner.url)).status, 200);
    assert.deepEqual([first.supervisor.status.kind, first.pids.length], ['running', 1]);
  });

  it('keep one proxy when the owner restarts it', async () => {
    const { first, second, owner } = await both();
    const starts = [first, second].map(({ statuses }) => statuses.items.length);
    await first.supervisor.restart();
    await Promise.all([first.health('connected', starts[0]), second.health('connected', starts[1])]);
    assert.equal((await models(owner.url)).status, 200);
    const states = [first, second].map(({ supervisor }) => supervisor.status as Running);
    assert.equal(states.filter(({ shared }) => !shared).length, 1);
  });

  it('lose a revoked key at once, whichever of them revoked it', async () => {
    const { first, second, owner } = await both();
    vault.accessKeys = [vault.ownKey];
    await Promise.all([first, second].map(({ supervisor }) => supervisor.secretsChanged(false)));
    assert.equal((await models(owner.url)).status, 401);
    const before = second.statuses.items.length;
    await first.supervisor.stop();
    await owning(second, before);
    assert.equal((await models(owner.url)).status, 401);
  });

  it('learn of a new API key both', async () => {
    vault.apiKey = null;
    const [first, second] = [open(), open()];
    for (const { supervisor } of [first, second]) await supervisor.start();
    await Promise.all([first.health('noKey'), second.health('noKey')]);
    vault.apiKey = API_KEY;
    await Promise.all([first, second].map(({ supervisor }) => supervisor.secretsChanged(true)));
    await Promise.all([first.health('connected'), second.health('connected')]);
  });

  it('do not trust each other where their secrets differ, and send no key', async () => {
    const first = open();
    await connected(first);
    const other = EditorWindow.open(scope, { backendUrl: enclave.url, port });
    await other.supervisor.start();
    assert.deepEqual(other.supervisor.status, { kind: 'portTaken', port, silent: false });
    other.vault.ownership = vault.ownership; // the one that has won
    await other.supervisor.secretsChanged(false);
    assert.equal((await other.status('running')).shared, true);
  });

  it('of different versions do not share, and the second starts when the first is gone', async () => {
    const fake = await FakeProxy.start(Buffer.from(vault.ownership, 'base64'), port);
    scope.onClose(() => fake.close());
    fake.report = { version: '9.9.9' };
    const editor = open();
    await editor.supervisor.start();
    assert.deepEqual(await editor.status('otherVersion', 0), { kind: 'otherVersion', port, version: '9.9.9' });
    assert.equal(fake.asked, 0);
    const before = editor.statuses.items.length;
    await fake.close();
    assert.equal((await editor.health('connected', before)).shared, false);
  });
});
