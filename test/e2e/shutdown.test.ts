// SIGTERM and SIGINT: new connections are refused at once, running requests may finish, the exit code is 0.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { perTest } from '../support/e2e/scope.ts';
import { timed } from '../support/e2e/stopwatch.ts';
import { DEADLINE, eventually, withTimeout } from '../support/withTimeout.ts';

const OK = { code: 0, signal: null };

describe('A proxy that is stopped', () => {
  const scope = perTest();

  const start = async () => {
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 50 }) });
    const proxy = await scope.proxy(enclave);
    await proxy.logged('session');
    return { enclave, proxy };
  };

  const assertNotListening = async (port: number) => {
    await eventually('a refusal', async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      const code = await once(socket, 'connect').catch((error: unknown) => (error as NodeJS.ErrnoException).code);
      socket.destroy();
      return code === 'ECONNREFUSED';
    });
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    itWithSignals(`by ${signal} stops listening at once, lets a stream finish, and exits with 0`, async () => {
      const { proxy } = await start();
      const stream = await openResponse(proxy.url, { body: chatBody('/repeat 20', { stream: true }) });
      proxy.child.kill(signal);
      await proxy.logged('stopping', { signal });
      await assertNotListening(proxy.port);
      const response = await readResponse(stream);
      assert.equal(response.broken, false);
      assert.match(response.body.toString(), /data: \[DONE\]\n\n$/);
      assert.deepEqual(await proxy.exitAtOnce(), OK);
      const ends = proxy.log.filter(({ event }) => event === 'request').map((line) => line['end']);
      assert.deepEqual(ends, ['complete']);
    });

    itWithSignals(`by ${signal} twice exits at once`, async () => {
      const { proxy, enclave } = await start();
      const stream = await openResponse(proxy.url, { body: chatBody('/stall 1', { stream: true }) });
      proxy.child.kill(signal);
      await proxy.logged('stopping');
      const reading = readResponse(stream);
      proxy.child.kill(signal);
      assert.deepEqual(await proxy.exitAtOnce(), OK);
      assert.equal((await reading).broken, true);
      const { end } = await enclave.journal.request(0);
      assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
      const [line] = proxy.log.filter(({ event }) => event === 'request');
      assert.deepEqual([line?.['status'], line?.['end'], line?.['level']], [200, 'shutdown', 'warn']);
      const stopped = proxy.log.at(-1);
      assert.deepEqual([stopped?.event, stopped?.['finished'], stopped?.['cutOff']], ['stopped', 0, 1]);
    });
  }

  itWithSignals('cuts off what is still running after PROXY_DRAIN_SECS, and logs it', async () => {
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 50 }) });
    const proxy = await scope.proxy(enclave, { PROXY_DRAIN_SECS: '1' });
    const stalled = [
      await openResponse(proxy.url, { body: chatBody('/stall 1', { stream: true }) }),
      await openResponse(proxy.url, {
        path: '/responses/v1/responses',
        body: JSON.stringify({ model: 'gemma4-31b', input: '/stall 1', stream: true }),
      }),
    ].map(readResponse);
    const waiting = sendRequest(proxy.url, { body: chatBody('/wait 60000 Hello') }).catch(() => undefined);
    const finishing = sendRequest(proxy.url, { body: chatBody('/wait 300 Hello') });
    await withTimeout('the requests at the enclave', DEADLINE, enclave.journal.request(3));
    proxy.child.kill('SIGTERM');
    assert.equal((await finishing).status, 200);
    const { milliseconds } = await timed(() => proxy.exitAtOnce());
    assert.ok(milliseconds > 500, `${milliseconds} ms`);
    for (const response of stalled) assert.equal((await response).broken, true);
    assert.equal(await waiting, undefined);
    const ends = proxy.log.filter(({ event }) => event === 'request').map((line) => line['end']);
    assert.deepEqual(ends, ['complete', 'shutdown', 'shutdown', 'shutdown']);
    const stopped = proxy.log.at(-1);
    assert.deepEqual([stopped?.event, stopped?.['finished'], stopped?.['cutOff']], ['stopped', 1, 3]);
  });

  itWithSignals('serves for PROXY_DRAIN_DELAY_SECS, but is not ready', async () => {
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_DRAIN_DELAY_SECS: '2' });
    await proxy.logged('session');
    proxy.child.kill('SIGTERM');
    await proxy.logged('stopping');
    const ready = await sendRequest(proxy.url, { method: 'GET', path: '/ready' });
    assert.equal(ready.status, 503);
    assert.equal((ready.json() as { reason: string }).reason, 'stopping');
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/health' })).status, 200);
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    const stopped = proxy.log.at(-1);
    assert.deepEqual([stopped?.event, stopped?.['finished'], stopped?.['cutOff']], ['stopped', 1, 0]);
  });

  itWithSignals('by a second signal during the delay exits at once', async () => {
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_DRAIN_DELAY_SECS: '600' });
    proxy.child.kill('SIGTERM');
    await proxy.logged('stopping');
    proxy.child.kill('SIGINT');
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    assert.equal(proxy.log.at(-1)?.event, 'stopped');
  });

  itWithSignals('while it is idle exits at once', async () => {
    const { proxy } = await start();
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await proxy.exitAtOnce(), OK);
  });

  itWithSignals('is not delayed by idle keep-alive connections', async () => {
    const { proxy } = await start();
    const connections = await Promise.all([1, 2, 3].map(() => RawConnection.open(proxy.port)));
    const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (const connection of connections.slice(0, 2)) {
      connection.send(health);
      assert.equal((await connection.readResponse()).status, 200);
    }
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await proxy.exitAtOnce(), OK);
    for (const connection of connections) await connection.end();
  });

  for (const [what, text, status] of [
    ['requested a tunnel', 'CONNECT remote:443 HTTP/1.1\r\nHost: remote:443\r\n\r\n', 404],
    ['did not send HTTP', 'hello\r\n\r\n', 400],
  ] as const) {
    itWithSignals(`is not delayed by a client that ${what} and leaves its side open`, async () => {
      const { proxy } = await start();
      const connections = [1, 2].map(() => RawConnection.open(proxy.port, { allowHalfOpen: true }));
      const [talking, silent] = (await Promise.all(connections)) as [RawConnection, RawConnection];
      for (const connection of [talking, silent]) {
        connection.send(text);
        assert.equal((await connection.readResponse()).status, status);
      }
      await eventually('the end of the connection', () => {
        talking.send('more'); // the other side resets the connection if it has closed the socket
        return talking.socket.destroyed;
      });
      assert.equal(await talking.end(), 'reset');
      proxy.child.kill('SIGTERM');
      assert.deepEqual(await proxy.exitAtOnce(), OK);
      silent.destroy();
    });
  }

  itWithSignals('is not delayed by a connection whose last request finishes meanwhile', async () => {
    const { proxy } = await start();
    const connection = await RawConnection.open(proxy.port);
    const body = chatBody('/repeat 10', { stream: true });
    connection.send(
      [
        ...['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', 'Authorization: Bearer dev-own'],
        ...[`Content-Length: ${body.length}`, '', body],
      ].join('\r\n'),
    );
    await connection.until('200 OK');
    proxy.child.kill('SIGTERM');
    assert.equal((await connection.readResponse()).status, 200);
    assert.deepEqual(await proxy.exitAtOnce(), OK);
  });

  itWithSignals('serves the first request of a connection that was just made', async () => {
    const { proxy } = await start();
    const connection = await RawConnection.open(proxy.port);
    proxy.child.kill('SIGTERM');
    await proxy.logged('stopping');
    await assertNotListening(proxy.port);
    connection.send('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.equal((await connection.readResponse()).status, 200);
    assert.deepEqual(await proxy.exitAtOnce(), OK);
  });

  itWithSignals('answers on every connection that its system made, and refuses the others', async () => {
    const { proxy } = await start();
    const ask = async () => {
      const socket = connect({ port: proxy.port, host: '127.0.0.1' });
      socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      try {
        const [head] = (await withTimeout('a response', DEADLINE, once(socket, 'data'))) as [Buffer];
        return head.toString().split('\r\n', 1)[0];
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    // The process has no time to accept all of the first ones before the signal.
    const before = Array.from({ length: 100 }, ask);
    await setImmediate(); // the connections are made
    proxy.child.kill('SIGTERM');
    const after = Array.from({ length: 100 }, ask);
    assert.deepEqual(new Set(await Promise.all(before)), new Set(['HTTP/1.1 200 OK']));
    for (const answer of await Promise.all(after))
      assert.ok(['HTTP/1.1 200 OK', 'ECONNREFUSED'].includes(answer ?? ''), answer);
    assert.deepEqual(await proxy.exitAtOnce(), OK);
  });

  itWithSignals('lets a request finish that is waiting for its response', async () => {
    const { proxy, enclave } = await start();
    const response = sendRequest(proxy.url, { body: chatBody('/wait 300 Hello') });
    await withTimeout('the request at the enclave', DEADLINE, enclave.journal.request(0));
    proxy.child.kill('SIGTERM');
    assert.equal((await response).status, 200);
    assert.deepEqual(await proxy.exitAtOnce(), OK);
  });

  itWithSignals('while its handshake hangs exits at once', async () => {
    const enclave = await scope.enclave({ faults: 'handshake-hang' });
    const proxy = await scope.proxy(enclave);
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await proxy.exitAtOnce(), OK);
  });

  itWithSignals('aborts running requests after the grace period', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave);
    const reading = readResponse(await openResponse(proxy.url, { body: chatBody('/stall 1', { stream: true }) }));
    const { milliseconds } = await timed(() => proxy.stop(200));
    assert.ok(milliseconds > 180, `${milliseconds} ms`);
    assert.equal((await reading).broken, true);
    const { end } = await enclave.journal.request(0);
    assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
    const ends = proxy.log.items.filter(({ event }) => event === 'request').map((line) => line['end']);
    assert.deepEqual(ends, ['shutdown']);
  });
});
