// Too many requests at once are refused with a clear error.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { openRequest, sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { perTest } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

/** Half of what the proxy relays at once. */
const MAX_REQUESTS = 128;

describe('An access key at its limit of concurrent requests', () => {
  const scope = perTest();

  it('refuses another request with 503, and accepts it when one of the others has ended', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave);
    await proxy.logged('session');
    const waiting = Array.from({ length: MAX_REQUESTS }, () => {
      const sent = openRequest(proxy.url, {});
      sent.on('error', () => undefined);
      sent.end(chatBody('/hang'));
      return sent;
    });
    const last = await withTimeout('all requests at the enclave', DEADLINE, enclave.journal.request(MAX_REQUESTS - 1));
    const refused = await sendRequest(proxy.url, { body: chatBody('Hello') });
    assertError(refused, ERRORS.busyKey);
    assert.deepEqual(refused.headers['retry-after'], ['1']);
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/health' })).status, 200);
    waiting[0]?.destroy();
    const ends = Promise.race([...enclave.journal.requests.map(({ end }) => end), last.end]);
    await withTimeout('the end of one request at the enclave', DEADLINE, ends);
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    for (const sent of waiting) sent.destroy();
    assert.equal(enclave.journal.requests.length, MAX_REQUESTS + 1);
  });
});
