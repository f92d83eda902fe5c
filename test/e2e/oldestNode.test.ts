import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { nodeWarning } from '../../src/proxy/process/nodeVersion.ts';
import { VERSION } from '../../src/shared/version.ts';
import { MODEL, chatBody } from '../support/e2e/chat.ts';
import { OLDEST_NODE, installOldestNode } from '../support/e2e/oldestNode.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { ENCLAVE, PROXY, RunningProcess, fromRoot, spawnNode } from '../support/e2e/process.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

describe('On the oldest supported Node', () => {
  const scope = perTest();
  let node: string;

  before(function () {
    node = installOldestNode();
  });

  const run = async (script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = new RunningProcess(spawnNode(script, { args, env, node }));
    const { code } = await child.exit();
    return { code, output: [...child.stdout.items, ...child.stderr.items].join('\n') };
  };

  it('which is the one in package.json', async () => {
    const { engines } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { engines: { node: string } };
    assert.equal(engines.node, `>=${OLDEST_NODE}`);
    const { output } = await run('--version', []);
    assert.equal(output, `v${OLDEST_NODE}`);
  });

  itWithSignals('the proxy prints its version, checks its health, chats and exits', async () => {
    assert.match((await run(PROXY, ['--help'])).output, /^sealed-proxy \d+\.\d+\.\d+: /);
    assert.deepEqual(await run(PROXY, ['--version']), { code: 0, output: `sealed-proxy ${VERSION}` });
    const proxy = await scope.proxy(await scope.enclave(), {}, { node });
    assert.deepEqual(await run(PROXY, ['--health'], { PROXY_PORT: String(proxy.port) }), { code: 0, output: '' });
    const stream = openaiClient(proxy).chat.completions.stream({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    assert.equal(await stream.finalContent(), 'You said: Hello');
    const { level, note } = await proxy.logged('old_node');
    assert.deepEqual([level, note], ['warn', nodeWarning({ node: OLDEST_NODE })]);
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await proxy.exitAtOnce(), { code: 0, signal: null });
    assert.deepEqual(
      new Set(proxy.log.map(({ event }) => event)),
      new Set(['access', 'old_node', 'session', 'request', 'stopping', 'session_lost', 'stopped']),
    );
  });

  it('the proxy cancels pipelined requests when their client disconnects', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, {}, { node });
    const body = chatBody('/hang');
    const head = ['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${ACCESS_KEY}`];
    const connection = await RawConnection.open(proxy.port);
    connection.send([...head, `Content-Length: ${body.length}`, '', body].join('\r\n').repeat(3));
    const requests = Promise.all([0, 1, 2].map((index) => enclave.journal.request(index)));
    const entries = await withTimeout('three requests at the enclave', DEADLINE, requests);
    connection.destroy();
    for (const { end } of entries) {
      const { ended } = await withTimeout('the end of each request at the enclave', DEADLINE, end);
      assert.equal(ended, 'client-cancelled');
    }
  });

  it('the development enclave runs as well', async () => {
    const { code, output } = await run(ENCLAVE, ['--faults', 'list']);
    assert.equal(code, 0);
    assert.match(output, /wrong-nonce/);
  });
});
