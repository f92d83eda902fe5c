// Protection against DNS rebinding: a web page can reach the proxy only under a foreign name.
import assert from 'node:assert/strict';
import { chatBody } from '../support/e2e/chat.ts';
import { curl } from '../support/e2e/curl.ts';
import { ERRORS, assertError } from '../support/e2e/proxyErrors.ts';
import { exchangeRaw } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

/** Values that no Host header may have. */
const INVALID = [
  'rebinding.example@localhost',
  'localhost@rebinding.example',
  '::1',
  '[::1',
  '127.0.0.1:port',
  '127.0.0.1:123456',
  'localhost/path',
  'localhost evil',
].map((host) => [host]);

/** One raw request with these Host headers. */
function sendAs(proxy: ServerProcess, path: string, ...hosts: readonly string[]) {
  const lines = hosts.map((host) => `Host: ${host}`);
  return exchangeRaw(proxy.port, [`GET ${path} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'));
}

describe('The Host header', () => {
  const settings = { PROXY_ALLOWED_HOSTS: 'host.docker.internal, Proxy.Example,192.168.7.7,[fe80::7]' };
  const served = serve(perSuite(), { settings });

  for (const host of [
    'localhost',
    'LOCALHOST:80',
    'localhost:65535',
    '127.0.0.1',
    '127.0.0.1:14114',
    '127.255.255.254:1',
    '[::1]',
    '[::1]:14114',
    '[0:0:0:0:0:0:0:1]:80',
    'host.docker.internal',
    'HOST.docker.INTERNAL:14114',
    'proxy.example:1',
    '192.168.7.7',
    '[fe80::7]:80',
    '127.0.0.1:',
  ]) {
    it(`may be ${host}`, async () => {
      assert.equal((await sendAs(served.proxy, '/health', host)).status, 200);
      assertError(await sendAs(served.proxy, '/v1/models', host), ERRORS.noKey);
    });
  }

  for (const host of [
    'rebinding.example',
    'rebinding.example:14114',
    'localhost.rebinding.example',
    'rebinding.example.localhost.example',
    '127.0.0.1.rebinding.example',
    '127.rebinding.example',
    '192.168.7.8',
    '10.0.0.1:14114',
    '0.0.0.0',
    '0.0.0.0:14114',
    '[::]',
    '[::2]:80',
    '[fe80::8]',
    '[::ffff:10.0.0.1]',
    '2130706433',
    '0x7f.0.0.1',
    'sub.host.docker.internal',
    'host.docker.internal.example',
  ]) {
    it(`must not be ${host}`, async () => {
      assertError(await sendAs(served.proxy, '/health', host), ERRORS.foreignHost);
      assertError(await sendAs(served.proxy, '/v1/models', host), ERRORS.foreignHost);
      assertError(await sendAs(served.proxy, '/nothing', host), ERRORS.foreignHost);
    });
  }

  it('must be present exactly once, and be valid', async () => {
    for (const path of ['/health', '/v1/models', '/nothing', 'http://127.0.0.1/health']) {
      for (const hosts of [[], [''], ['localhost', 'localhost'], ['localhost', 'rebinding.example'], ...INVALID]) {
        assertError(await sendAs(served.proxy, path, ...hosts), ERRORS.badHost);
      }
    }
  });

  it('counts less than the host of an absolute target', async () => {
    const send = (origin: string, host: string) => sendAs(served.proxy, `${origin}/health`, host);
    for (const origin of [served.proxy.url, 'HTTP://localhost', 'http://[::1]:1', 'http://host.docker.internal']) {
      assert.equal((await send(origin, '127.0.0.1')).status, 200, origin);
      assert.equal((await send(origin, 'rebinding.example')).status, 200, origin);
    }
    assertError(await send('http://rebinding.example', '127.0.0.1'), ERRORS.foreignHost);
    assertError(await send('http://user@127.0.0.1', '127.0.0.1'), ERRORS.badHost);
    assertError(await send('http://', '127.0.0.1'), ERRORS.badHost);
  });

  it('that is foreign is refused even with a correct key', async () => {
    const response = await curl(
      ...['-H', `Authorization: Bearer ${ACCESS_KEY}`, '-H', 'Content-Type: application/json', '-d', chatBody('Hello')],
      ...['--resolve', `rebinding.example:${served.proxy.port}:127.0.0.1`],
      `http://rebinding.example:${served.proxy.port}/v1/chat/completions`,
    );
    assertError(response, ERRORS.foreignHost);
    assert.equal(served.enclave.journal.requests.length, 0);
  });
});

describe('The Host header of a proxy that is reachable from other computers', () => {
  const served = serve(perSuite(), { settings: { PROXY_HOST: '0.0.0.0', PROXY_ALLOWED_HOSTS: 'proxy' } });

  it('may be any address, localhost, or an allowed name', async () => {
    for (const host of ['10.1.2.3:14114', '[fe80::1]:14114', '0.0.0.0', '127.0.0.1', 'localhost:1', 'proxy:14114']) {
      assert.equal((await sendAs(served.proxy, '/health', host)).status, 200, host);
    }
  });

  it('must not be any other name', async () => {
    for (const host of ['rebinding.example', 'proxy.example', '10.1.2', '10.1.2.3.example']) {
      assertError(await sendAs(served.proxy, '/health', host), ERRORS.foreignHost);
    }
  });

  it('comes with a warning in the log', async () => {
    const { level, host, note } = await served.proxy.logged('open_address');
    assert.deepEqual([level, host], ['warn', '0.0.0.0']);
    assert.match(String(note), /^Other computers can reach this address without encryption/);
  });
});

describe('A proxy on the IPv6 loopback address', () => {
  const scope = perSuite();

  it('prints and serves its address in brackets', async () => {
    const proxy = await scope.proxy(await scope.enclave(), { PROXY_HOST: '[::1]' });
    assert.match(proxy.url, /^http:\/\/\[::1\]:\d+$/);
    assert.equal((await curl('--globoff', `${proxy.url}/health`)).status, 200);
    assert.equal(
      proxy.log.find(({ event }) => event === 'open_address'),
      undefined,
    );
  });
});
