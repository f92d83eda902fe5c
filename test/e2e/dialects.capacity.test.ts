// A request of a dialect can wait until the backend has capacity again.
import assert from 'node:assert/strict';
import { ApiError, answerApiError } from '../../src/devEnclave/model/apiErrors.ts';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST, assertDialectError, chatRequest } from '../support/e2e/dialects.ts';
import { openRequest, sendRequest } from '../support/e2e/httpClient.ts';
import { perTest } from '../support/e2e/scope.ts';
import type { Settings } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const QUICK = { nodeArgs: ['--import', new URL('../support/quickTimers.mjs', import.meta.url).href] };
const WAITS = { PROXY_CAPACITY_WAIT_SECS: '60' };

for (const dialect of DIALECTS_UNDER_TEST) {
  describe(`Without capacity of the backend, a request of the ${dialect.name} dialect`, () => {
    const scope = perTest();

    /** A backend that refuses the first chat requests with this status, and a proxy before it. */
    const open = async (refusals: number, status: number, retryAfter: string | undefined, settings: Settings) => {
      const model = createModel({ paceMs: 0 });
      let refused = 0;
      const handler: ApiHandler = (request, response) => {
        if (request.target === '/v1/models' || refused++ >= refusals) return model(request, response);
        const headers = retryAfter === undefined ? [] : [{ name: 'retry-after', value: retryAfter }];
        answerApiError(response, new ApiError(status, 'inference_capacity', 'No capacity', null, headers));
        return Promise.resolve();
      };
      const enclave = await scope.enclave({ handler });
      const proxy = await scope.proxy(enclave, settings, QUICK);
      await proxy.logged('session');
      const send = (fields = {}) =>
        sendRequest(proxy.url, { path: dialect.replyPath, body: dialect.body('/repeat 2', fields) });
      const chats = () => enclave.journal.requests.filter(({ target }) => target !== '/v1/models').length;
      return { enclave, proxy, send, chats };
    };

    it('is sent again after 429, and the log shows the wait', async () => {
      const { proxy, send, chats } = await open(1, 429, '1', WAITS);
      const response = await send();
      assert.equal(response.status, 200);
      assert.equal(dialect.textOf(response.json()), 'word word ');
      assert.equal(chats(), 2);
      const line = await proxy.logged('request', { path: dialect.replyPath, status: 200, end: 'complete' });
      assert.ok(Number(line['waitedMs']) > 0);
    });

    it('is sent again after 503 without retry-after too, and streams then', async () => {
      const { proxy, chats } = await open(2, 503, undefined, WAITS);
      assert.deepEqual(await dialect.stream(proxy, '/repeat 2'), { text: 'word word ', isComplete: true });
      assert.equal(chats(), 3);
    });

    it('is sent three times at most', async () => {
      const { send, chats } = await open(9, 429, '1', WAITS);
      const response = await send({ stream: true });
      assertDialectError(dialect, response, 429);
      assert.deepEqual(response.headers['retry-after'], ['1']);
      assert.equal(chats(), 3);
    });

    it('does not wait longer than the setting allows', async () => {
      const { send, chats } = await open(1, 429, '61', WAITS);
      assertDialectError(dialect, await send(), 429);
      assert.equal(chats(), 1);
    });

    it('does not wait by default', async () => {
      const { proxy, send, chats } = await open(1, 429, '0', {});
      assertDialectError(dialect, await send(), 429);
      assert.equal(chats(), 1);
      const line = await proxy.logged('request', { status: 429 });
      assert.ok(!('waitedMs' in line));
    });

    it('does not wait for other errors, nor does any request below /v1', async () => {
      const { proxy, send, chats } = await open(2, 502, '0', WAITS);
      assertDialectError(dialect, await send(), 502);
      assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 502);
      assert.equal(chats(), 2);
    });

    it('ends its wait when the client cancels', async () => {
      const { enclave, proxy, chats } = await open(9, 429, '60', WAITS);
      const request = openRequest(proxy.url, { path: dialect.replyPath });
      request.on('error', () => undefined);
      request.end(dialect.body('Hello'));
      const { end } = await chatRequest(enclave, 0);
      await withTimeout('the end of the first attempt', DEADLINE, end);
      request.destroy();
      const line = await proxy.logged('request', { path: dialect.replyPath, end: 'client-gone' });
      assert.ok(Number(line['waitedMs']) > 0);
      assert.equal(chats(), 1);
    });
  });
}
