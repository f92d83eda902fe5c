// Windows that share a proxy see the same usage.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { freePort } from '../../src/supervisor/freePort.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import { EditorWindow, makeVault } from '../support/editorWindow.ts';

const idOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 16);

describe('VerifiedConnection.usage(), through supervisors', () => {
  const scope = perTest();

  const usage = async ({ supervisor }: EditorWindow) => {
    const { line } = await supervisor.connect();
    try {
      return await line.usage();
    } finally {
      line.end();
    }
  };
  const answered = async (editor: EditorWindow, key = ACCESS_KEY) =>
    (await usage(editor)).keys.find(({ caller }) => caller === idOf(key))?.outcomes.answered;

  it('is the same in every window of a proxy, and starts at zero with another process', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    const vault = makeVault();
    const [owner, client] = [
      EditorWindow.open(scope, settings, { vault }),
      EditorWindow.open(scope, settings, { vault }),
    ];
    for (const editor of [owner, client]) {
      await editor.supervisor.start();
      await editor.health('connected');
    }
    const { url, shared } = await client.health('connected');
    assert.equal(shared, true);
    assert.equal((await sendRequest(url, { body: chatBody('Hello') })).status, 200);
    assert.deepEqual([await answered(owner), await answered(client)], [1, 1]);
    assert.ok(Number(await answered(client, vault.ownKey)) >= 2, 'a check by each window');

    const { since } = await usage(owner);
    await owner.supervisor.restart();
    await owner.health('connected');
    assert.ok((await usage(owner)).since > since);
    assert.equal(await answered(owner), undefined);
  });

  it('cannot be read while no proxy runs', async () => {
    const settings = { backendUrl: (await scope.enclave()).url, port: await freePort() };
    await assert.rejects(usage(EditorWindow.open(scope, settings)), /is not running/);
  });
});
