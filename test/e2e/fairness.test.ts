// No client without an access key, and no single access key, can keep another one from being served.
import assert from 'node:assert/strict';
import { MAX_CONNECTIONS } from '../../src/proxy/server/connections.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import type { ExpectedError } from '../support/e2e/proxyErrors.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import type { RawResponse } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import type { ServerProcess, Settings } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const OTHER_KEY = `sealed-${'Other_key-'.repeat(5).slice(0, 43)}`;
const BOTH_KEYS = { PROXY_ACCESS_KEYS: `${ACCESS_KEY},${OTHER_KEY}` };
const NO_ACCESS_KEYS = { PROXY_API_KEY: '', PROXY_ACCESS_KEYS: '' };
const MIB = 1024 * 1024;
/** Slow connections at once. */
const SLOW = 400;

describe('A proxy with clients that use all they can', () => {
  const scope = perTest();

  const start = async (settings: Settings = BOTH_KEYS) => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, settings);
    await proxy.logged('session');
    return { enclave, proxy };
  };

  const open = async ({ port }: ServerProcess, count: number) => {
    const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(port)));
    scope.onClose(() => {
      for (const connection of connections) connection.destroy();
      return Promise.resolve();
    });
    return connections;
  };

  const headOf = (key: string, length: number) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`;

  /** Sends heads and a part of each body. Resolves when the proxy has refused all for which it has no room. */
  const sendSlowBodies = async (
    proxy: ServerProcess,
    keys: readonly string[],
    accepted: number,
    error: ExpectedError,
    part: Buffer = Buffer.from('{'),
  ) => {
    const refusals = new EventQueue<RawResponse>();
    const connections = await open(proxy, keys.length);
    for (const [index, connection] of connections.entries()) {
      const ignore = () => undefined; // the others end with the test
      connection.readResponse().then((response) => {
        refusals.add(response);
      }, ignore);
      connection.send(headOf(keys[index] ?? '', 50 * MIB));
      connection.send(part);
    }
    const count = keys.length - accepted;
    await refusals.find(`${count} refusals`, () => refusals.items.length === count);
    for (const response of refusals.items) {
      assertError(response, error);
      assert.equal(response.field('retry-after'), '1');
    }
    return connections;
  };

  const junkKeys = Array.from({ length: SLOW }, (_, index) => `sk-junk-${index}`);

  const assertServed = async (proxy: ServerProcess, key: string, count = 30) => {
    const requests = Array.from({ length: count }, () => sendRequest(proxy.url, { key, body: chatBody('Hello') }));
    for (const response of await Promise.all(requests)) assert.equal(response.status, 200, response.body.toString());
  };

  it('serves an access key beside 400 slow bodies with made-up keys and 400 with another access key', async () => {
    const { proxy } = await start();
    await sendSlowBodies(proxy, junkKeys, 86, ERRORS.busy);
    await assertServed(proxy, ACCESS_KEY);
    await assertServed(proxy, OTHER_KEY);
    await sendSlowBodies(proxy, Array<string>(SLOW).fill(OTHER_KEY), 85, ERRORS.busyKey);
    await assertServed(proxy, ACCESS_KEY);
    assertError(await sendRequest(proxy.url, { key: OTHER_KEY, body: chatBody('Hello') }), ERRORS.busyKey);
    assertError(await sendRequest(proxy.url, { key: API_KEY, body: chatBody('Hello') }), ERRORS.busy);
  });

  it('without access keys, serves an API key that the backend has accepted before', async () => {
    const { proxy } = await start(NO_ACCESS_KEYS);
    await assertServed(proxy, API_KEY, 1);
    await sendSlowBodies(proxy, junkKeys, 128, ERRORS.busy);
    await assertServed(proxy, API_KEY, 64);
    assertError(await sendRequest(proxy.url, { key: 'dev-another', body: chatBody('Hello') }), ERRORS.busy);
  });

  it('takes a body of the largest size beside one access key that fills its part of the memory', async () => {
    const { proxy } = await start();
    await sendSlowBodies(proxy, Array<string>(8).fill(OTHER_KEY), 6, ERRORS.busyKey, Buffer.alloc(40 * MIB, 'x'));
    const response = await sendRequest(proxy.url, { body: chatBodyOf(50 * MIB, 'Hello') });
    assert.equal(response.status, 200);
  });

  it('serves an access key beside connections with pipelined requests of another', async () => {
    const { enclave, proxy } = await start();
    const body = chatBody('/hang');
    for (const connection of await open(proxy, 20)) connection.send((headOf(OTHER_KEY, body.length) + body).repeat(32));
    await withTimeout('the requests at the enclave', DEADLINE, enclave.journal.request(127));
    await assertServed(proxy, ACCESS_KEY);
    assert.equal(enclave.journal.requests.length, 128 + 30);
  });

  it('closes idle connections and slow heads when there are too many, but none of a client with few', async () => {
    const { proxy } = await start();
    const [kept] = await open(proxy, 1);
    assert.ok(kept);
    const body = chatBody('Hello');
    const assertKept = async () => {
      kept.send(headOf(ACCESS_KEY, body.length) + body);
      assert.equal((await kept.readResponse()).status, 200);
    };
    await assertKept();
    const closed = new EventQueue<RawConnection>();
    for (let opened = 0; opened < MAX_CONNECTIONS + 200; opened += 100) {
      for (const [index, connection] of (await open(proxy, 100)).entries()) {
        void connection.ended.then(() => {
          closed.add(connection);
        });
        if (index % 2 === 0) connection.send('POST /v1/chat/completions HTTP/1.1\r\nHost: local');
      }
    }
    const tooMany = Math.ceil((MAX_CONNECTIONS + 200) / 100) * 100 + 1 - MAX_CONNECTIONS;
    await closed.find('the end of the oldest', () => closed.items.length === tooMany);
    await assertKept();
    await assertServed(proxy, OTHER_KEY);
    await proxy.logged('too_many_connections', { level: 'warn', limit: MAX_CONNECTIONS });
  });
});
