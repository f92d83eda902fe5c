// What a hosted proxy reports to its window of what clients have used, and what it forgets.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { ApiError, answerApiError } from '../../src/devEnclave/model/apiErrors.ts';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { UsageTable, hourOf } from '../../src/shared/activity.ts';
import type { UsageSum } from '../../src/shared/activity.ts';
import type { FromProxy } from '../../src/shared/messages.ts';
import { UNKNOWN } from '../../src/shared/usage.ts';
import { withConnection } from '../../src/supervisor/localProxy.ts';
import { PLAIN_MODEL, chatBody } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import type { HostedProxy } from '../support/e2e/hosted.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const SECRET = randomBytes(32);
const CALLER = createHash('sha256').update(ACCESS_KEY).digest('hex').slice(0, 16);
const QUICK = { nodeArgs: ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href] };

describe('The usage sums of a hosted proxy', () => {
  const scope = perTest();

  const start = async (enclave: RunningEnclave, settings = {}, options = {}) => {
    const proxy = scope.hosted(options);
    proxy.send({
      type: 'start',
      settings: { backendUrl: enclave.url, port: 0, ...settings },
      secrets: { apiKey: API_KEY, accessKeys: [ACCESS_KEY], ownership: SECRET.toString('base64') },
      cacheNamespaceRoot: Buffer.alloc(32, 5).toString('base64'),
      network: {},
    });
    return { proxy, ...(await proxy.message('ready')) };
  };
  /** Ends the process, and returns all sums that it has sent. */
  const sumsAtExit = async (proxy: HostedProxy): Promise<readonly UsageSum[]> => {
    const received = once(proxy.child, 'disconnect'); // the last messages may be read after the exit
    proxy.send({ type: 'stop' });
    await withTimeout('the last messages', DEADLINE, received);
    const table = new UsageTable();
    for (const sum of messagesOf(proxy).flatMap(({ sums }) => sums)) table.add(sum);
    return table.sums;
  };
  const messagesOf = ({ messages }: HostedProxy) =>
    messages.items.filter(
      (message): message is Extract<FromProxy, { type: 'usageSums' }> => message.type === 'usageSums',
    );

  it('arrive within seconds after the requests, and only then', async () => {
    const { proxy, url } = await start(await scope.enclave(), {}, QUICK);
    const before = Date.now();
    const response = await sendRequest(url, { body: chatBody('Hello') });
    const { usage } = response.json() as { usage: { prompt_tokens: number; completion_tokens: number } };
    const { since, sums } = await proxy.message('usageSums');
    assert.ok(since >= before && since <= Date.now());
    const [{ firstByte, hour, ...sum } = assert.fail()] = sums;
    assert.ok(hour >= hourOf(before) && hour <= hourOf(Date.now()));
    assert.deepEqual(Object.values(firstByte), [1]);
    assert.deepEqual(sum, {
      ...{ caller: CALLER, model: PLAIN_MODEL, requests: 1, errors: 0, cancelled: 0 },
      ...{ tokensIn: usage.prompt_tokens, tokensOut: usage.completion_tokens, tokensCached: 0 },
    });
    assert.equal((await sumsAtExit(proxy)).length, 1);
    assert.equal(messagesOf(proxy).length, 1);
  });

  it('arrive when a window reads the requests', async () => {
    const { proxy, port, url } = await start(await scope.enclave());
    await sendRequest(url, { body: chatBody('Hello') });
    assert.equal(messagesOf(proxy).length, 0);
    const { finished } = await withConnection(port, SECRET, (connection) => connection.activity(0));
    const { sums } = await proxy.message('usageSums');
    assert.deepEqual([finished.length, sums.map(({ requests }) => requests)], [1, [1]]);
  });

  it('arrive before the process ends, with requests of all kinds', async () => {
    const { proxy, url } = await start(await scope.enclave());
    for (const text of ['Hello', 'Hello', '/status 429']) await sendRequest(url, { body: chatBody(text) });
    for (const { replyPath, body } of DIALECTS_UNDER_TEST) {
      await sendRequest(url, { path: replyPath, body: body('Hello') });
      await sendRequest(url, { path: replyPath, body: body('Hello', { stream: true }) });
    }
    await sendRequest(url, { body: chatBody('Hello'), key: null });
    await sendRequest(url, { method: 'GET', path: '/v1/models' });
    const sums = await sumsAtExit(proxy);
    assert.deepEqual(
      sums.map(({ caller, model, requests, errors }) => [caller, model, requests, errors]),
      [
        [CALLER, PLAIN_MODEL, 6, 0],
        [CALLER, '', 1, 1],
        [UNKNOWN, '', 1, 1],
      ],
    );
    const [{ tokensIn, tokensOut, firstByte } = assert.fail()] = sums;
    assert.ok(tokensIn > 0 && tokensOut > 0);
    assert.equal(
      Object.values(firstByte).reduce((sum, count) => sum + count, 0),
      6,
    );
  });

  it('count a request once that waited for capacity and was sent again', async () => {
    const model = createModel({ paceMs: 0 });
    let chats = 0;
    const handler: ApiHandler = (request, response) => {
      if (request.target === '/v1/models' || chats++ > 0) return model(request, response);
      const headers = [{ name: 'retry-after', value: '1' }];
      answerApiError(response, new ApiError(429, 'inference_capacity', 'No capacity', null, headers));
      return Promise.resolve();
    };
    const enclave = await scope.enclave({ handler });
    for (const { replyPath, body } of DIALECTS_UNDER_TEST) {
      chats = 0;
      const { proxy, port, url } = await start(enclave, { capacityWaitSeconds: 60 }, QUICK);
      await sendRequest(url, { path: replyPath, body: body('Hello') });
      assert.equal(chats, 2);
      const { finished } = await withConnection(port, SECRET, (connection) => connection.activity(0));
      assert.deepEqual(
        finished.map((record) => [record.path, record.model, record.status, record.outcome]),
        [[replyPath, PLAIN_MODEL, 200, 'answered']],
      );
      assert.deepEqual(
        (await sumsAtExit(proxy)).map(({ requests, errors }) => [requests, errors]),
        [[1, 0]],
      );
    }
  });

  it('lose what a window has erased', async () => {
    const { proxy, port, url } = await start(await scope.enclave());
    await sendRequest(url, { body: chatBody('Hello') });
    await withConnection(port, SECRET, (connection) => connection.eraseUsage());
    assert.deepEqual(await sumsAtExit(proxy), []);
  });

  it('keep what was not erased by a window of this user', async () => {
    const { proxy, port, url } = await start(await scope.enclave());
    await sendRequest(url, { body: chatBody('Hello') });
    await assert.rejects(withConnection(port, randomBytes(32), (connection) => connection.eraseUsage()));
    await sendRequest(url, { method: 'POST', path: '/health', headers: { 'x-sealed-proxy-erase-usage': 'x' } });
    assert.equal((await sumsAtExit(proxy)).length, 1);
  });

  it('contain no prompt, no response and no key', async () => {
    const { proxy, url } = await start(await scope.enclave());
    await sendRequest(url, { body: chatBody('a word that is a secret') });
    const text = JSON.stringify(await sumsAtExit(proxy));
    assert.match(text, /"requests":1/);
    for (const secret of ['secret', ACCESS_KEY, 'sealed-', API_KEY]) assert.ok(!text.includes(secret), text);
  });
});
