// Windows that share a proxy see the same requests, and the same history of what its clients have used.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/supervisor/freePort.ts';
import { UsageHistory } from '../../src/usageHistory/usageHistory.ts';
import { PLAIN_MODEL, chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import { EditorWindow, makeVault } from '../support/editorWindow.ts';

const CALLER = createHash('sha256').update(ACCESS_KEY).digest('hex').slice(0, 16);
const CHATS = '/v1/chat/completions';

describe('VerifiedConnection.activity() and UsageHistory, through supervisors', () => {
  const scope = perTest();
  let storage: string;

  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'sealed-proxy-history-'));
  });
  afterEach(() => {
    rmSync(storage, { recursive: true });
  });

  /** A window that owns the proxy, and a client window. */
  const openBoth = async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const vault = makeVault();
    const owner = EditorWindow.open(scope, settings, { vault });
    const client = EditorWindow.open(scope, settings, { vault });
    for (const editor of [owner, client]) await editor.start();
    const { url, shared } = await client.health('connected');
    assert.equal(shared, true);
    return { owner, client, url };
  };
  const openHistory = () => new UsageHistory(storage, (message) => assert.fail(message));
  /** Records what this window's proxy has reported since the last call. */
  const record = async ({ usage }: EditorWindow, history: UsageHistory) => {
    for (const message of usage.items.splice(0))
      await history.add(message, Promise.resolve(new Map([[CALLER, 'Cline']])));
  };
  const chatsOf = async ({ supervisor }: EditorWindow, cursor = 0) => {
    const report = await supervisor.withConnection((connection) => connection.activity(cursor));
    return { ...report, finished: report.finished.filter(({ path }) => path === CHATS) };
  };

  it('are the same in every window, and activity begins again with another process', async () => {
    const { owner, client, url } = await openBoth();
    assert.equal((await sendRequest(url, { body: chatBody('Hello') })).status, 200);
    const [seen, other] = [await chatsOf(owner), await chatsOf(client)];
    assert.deepEqual(seen.finished, other.finished);
    assert.deepEqual(
      seen.finished.map(({ caller, model, outcome }) => [caller, model, outcome]),
      [[CALLER, PLAIN_MODEL, 'answered']],
    );
    assert.deepEqual((await chatsOf(client, seen.cursor)).finished, []);

    await owner.supervisor.restart();
    await owner.health('connected');
    const next = await chatsOf(owner);
    assert.notEqual(next.instance, seen.instance);
    assert.deepEqual(next.finished, []);
  });

  it('cannot be read while no proxy runs', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    await assert.rejects(chatsOf(EditorWindow.open(scope, settings)), /is not running/);
  });

  it('keep what both windows have recorded when the owner closes and the client window takes over', async () => {
    const { owner, client, url } = await openBoth();
    const [ofOwner, ofClient] = [openHistory(), openHistory()];
    await sendRequest(url, { body: chatBody('Hello') });
    const before = client.statuses.items.length;
    await owner.supervisor.end();
    await record(owner, ofOwner);
    await client.statuses.find('the ownership', (one) => one.kind === 'running' && !one.shared, before);
    await client.health('connected', before);
    await sendRequest(url, { body: chatBody('Hello') });
    await client.supervisor.end();
    await record(client, ofClient);
    assert.equal(readdirSync(join(storage, 'usage')).length, 2);
    for (const history of [ofOwner, ofClient, openHistory()]) {
      const sums = await history.read(0);
      assert.deepEqual(
        sums.map(({ name, model }) => [name, model]),
        sums.map(() => ['Cline', PLAIN_MODEL]),
      );
      assert.equal(
        sums.reduce((sum, { requests }) => sum + requests, 0),
        2,
      );
    }
  });

  it('lose everything when a client window erases it, also what the owner has not recorded yet', async () => {
    const { owner, client, url } = await openBoth();
    const [ofOwner, ofClient] = [openHistory(), openHistory()];
    await sendRequest(url, { body: chatBody('Hello') });
    await owner.supervisor.restart();
    await owner.health('connected');
    await owner.usage.find('the sums of the first process', () => true);
    await client.health('connected');
    await sendRequest(url, { body: chatBody('Hello') });
    await client.supervisor.withConnection((connection) => connection.eraseUsage());
    await ofClient.erase();
    await record(owner, ofOwner); // what it had received before
    await owner.supervisor.end();
    await record(owner, ofOwner); // what the proxy sends at its end
    assert.deepEqual(await ofOwner.read(0), []);
    const files = readdirSync(storage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.deepEqual(
      files.map(({ name }) => name),
      ['usage-erased'],
    );
  });
});
