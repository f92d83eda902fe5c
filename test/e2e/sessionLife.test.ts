// How long the proxy uses a session, observed at the enclave: with real sockets, and a clock that the test controls.
import assert from 'node:assert/strict';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';
import { FakeClock } from '../support/fakeClock.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('A session', () => {
  const scope = perTest();
  let clock: FakeClock;
  let enclave: RunningEnclave;
  let proxy: InternalProxy;

  beforeEach(async () => {
    clock = new FakeClock();
    enclave = await scope.enclave();
    proxy = await scope.internalProxy(enclave, {}, { internals: { clock } });
    await logged('session', 1);
    await clock.advance(SECOND); // handshakes begin at most once a second
  });

  /** Resolves when the log has this many lines of this event. */
  const logged = async (name: string, count: number) => {
    let seen = 0;
    await proxy.log.find(`${count} log lines ${name}`, ({ event }) => event === name && ++seen === count);
  };

  const assertServed = async (handshakes: number) => {
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    assert.equal(enclave.journal.handshakes, handshakes);
  };

  const lost = () => proxy.log.items.filter(({ event }) => event === 'session_lost').map((line) => line['reason']);

  it('is made when the proxy starts, before any request', async () => {
    assert.equal(enclave.journal.handshakes, 1);
    assert.equal(enclave.journal.requests.length, 0);
    await assertServed(1);
  });

  it('serves all requests with all API keys', async () => {
    for (const key of ['dev-one', 'dev-two']) {
      await Promise.all([1, 2, 3].map(() => sendRequest(proxy.url, { body: chatBody('Hello'), key })));
    }
    assert.equal(new Set(enclave.journal.requests.map(({ session_id: id }) => id)).size, 1);
    await assertServed(1);
  });

  it('is renewed in the background before it expires', async () => {
    await clock.advance(50 * MINUTE);
    await assertServed(1);
    await clock.advance(4.5 * MINUTE); // five minutes before it expires
    await logged('session', 2);
    assert.equal(enclave.journal.handshakes, 2);
    await assertServed(2);
    assert.deepEqual(lost(), []);
  });

  it('is used until it expires if it cannot be renewed', async () => {
    enclave.setFaults('handshake-500');
    await clock.advance(59 * MINUTE);
    await logged('handshake_failed', 1);
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    await clock.advance(MINUTE);
    await logged('handshake_failed', 2);
    enclave.setFaults('');
    await clock.advance(SECOND); // a failed handshake is not repeated at once
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    assert.deepEqual(lost(), ['expired']);
    assert.equal(new Set(enclave.journal.requests.map(({ session_id: id }) => id)).size, 2);
  });

  it('is replaced when the computer has slept', async () => {
    await assertServed(1);
    clock.sleep(10 * MINUTE);
    await assertServed(2);
    assert.deepEqual(lost(), ['slept']);
    await clock.advance(SECOND);
    clock.sleep(8 * HOUR);
    await assertServed(3);
  });
});

describe('Connections to the enclave', () => {
  const scope = perTest();

  it('are kept alive and shared by consecutive requests', async () => {
    const tap = await scope.recorder(await scope.enclave());
    const proxy = await scope.proxy(tap);
    await proxy.logged('session');
    for (let count = 0; count < 30; count++) {
      assert.equal(
        (await sendRequest(proxy.url, { body: chatBody('Hello', { stream: count % 2 === 0 }) })).status,
        200,
      );
    }
    assert.ok(tap.connections.items.length <= 2, `${tap.connections.items.length} connections`);
  });
});
