// TLS for the listener: its protections, its certificate, and what clients without TLS get.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { createTlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { MAX_CONNECTIONS } from '../../src/proxy/server/connections.ts';
import { HANDSHAKE_TIMEOUT } from '../../src/proxy/server/tls.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { runToEnd } from '../support/e2e/process.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import type { ServerProcess, Settings } from '../support/e2e/scope.ts';
import { timed } from '../support/e2e/stopwatch.ts';
import { HOUR, TlsFolder, otherKey, serialOf } from '../support/tlsListeners.ts';
import { DEADLINE, eventually, withTimeout } from '../support/withTimeout.ts';

describe('A listener with TLS', () => {
  const scope = perTest();
  let folder: TlsFolder;

  beforeEach(() => {
    folder = new TlsFolder();
  });

  afterEach(() => {
    folder.remove();
  });

  const start = async (settings: Settings = {}) => {
    folder.write();
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 50 }) });
    const proxy = await scope.proxy(enclave, { ...folder.settings, ...settings });
    await proxy.logged('session');
    return { enclave, proxy };
  };

  const health = async ({ url }: ServerProcess) =>
    (await sendRequest(url, { method: 'GET', path: '/health', agent: folder.agent() })).status;
  const open = ({ port }: ServerProcess, options: { readonly allowHalfOpen?: boolean } = {}) =>
    RawConnection.open(port, { ...options, ca: folder.authorities });
  const serialSeen = async ({ port }: ServerProcess) => {
    const socket = await folder.connect(port);
    const serial = socket.getPeerX509Certificate()?.serialNumber;
    socket.destroy();
    return serial;
  };
  /** The head and the body of a chat request. */
  const chat = (content: string) => {
    const body = chatBody(content);
    const head = ['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${ACCESS_KEY}`];
    return [...head, `Content-Length: ${body.length}`, '', body].join('\r\n');
  };

  it('serves https with a certificate that clients verify, and says so in its first line', async () => {
    const { proxy } = await start();
    assert.match(proxy.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const request = { body: chatBody('Hello', { stream: true }), agent: folder.agent() };
    const response = await sendRequest(proxy.url, request);
    assert.equal(response.status, 200);
    assert.match(response.body.toString(), /data: \[DONE\]\n\n$/);
    assert.match(String((await proxy.logged('tls'))['validUntil']), /^20\d\d-/);
    await assert.rejects(sendRequest(proxy.url, { body: chatBody('Hello') }), /certificate/);
  });

  it('uses TLS 1.3, or 1.2 with forward secrecy, and only HTTP/1.1', async () => {
    const { proxy } = await start();
    const negotiated = async (options: ConnectionOptions) => {
      const socket = await folder.connect(proxy.port, { ALPNProtocols: ['h2', 'http/1.1'], ...options });
      const found = [socket.getProtocol(), socket.getCipher().name, socket.alpnProtocol];
      socket.destroy();
      return found;
    };
    assert.deepEqual(await negotiated({}), ['TLSv1.3', 'TLS_AES_256_GCM_SHA384', 'http/1.1']);
    const [version, cipher] = await negotiated({ maxVersion: 'TLSv1.2' });
    assert.equal(version, 'TLSv1.2');
    assert.match(String(cipher), /^ECDHE-ECDSA-(AES|CHACHA20)/);
    for (const refused of [
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA384' },
      { ALPNProtocols: ['h2'] },
    ] as const) {
      await assert.rejects(negotiated({ ...refused }), /alert|handshake failure/);
    }
    assert.equal(await health(proxy), 200);
  });

  it('does not let a client negotiate again', async () => {
    const { proxy } = await start();
    const socket = await folder.connect(proxy.port, { maxVersion: 'TLSv1.2' });
    const failed = new Promise((resolve) => {
      socket.once('error', resolve);
      socket.once('close', resolve);
    });
    socket.renegotiate({}, (error) => {
      assert.notEqual(error, null);
    });
    await withTimeout('the end of the connection', DEADLINE, failed);
    assert.equal(await health(proxy), 200);
  });

  it('on an open address is announced with a warning that does not call it unencrypted', async () => {
    const { proxy } = await start({ PROXY_HOST: '0.0.0.0' });
    const { note } = await proxy.logged('open_address', { host: '0.0.0.0' });
    assert.match(String(note), /^Other computers can reach this address, and use the proxy with a key\./);
  });

  it('closes the connection of a client without TLS, with at most a line at debug', async () => {
    const { proxy } = await start({ PROXY_LOG_LEVEL: 'debug' });
    for (const text of ['GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n', chat('Hello'), '\0'.repeat(300)]) {
      const logged = proxy.stderr.items.length;
      const plain = await RawConnection.open(proxy.port);
      plain.send(text);
      assert.equal(await plain.end(), 'closed');
      assert.doesNotMatch(plain.received.toString('latin1'), /HTTP/);
      await proxy.logged('client_error', { level: 'debug' }, logged);
      assert.deepEqual(
        proxy.log.slice(logged).map(({ event }) => event),
        ['client_error'],
      );
    }
    assert.equal(await health(proxy), 200);
  });

  it('closes a connection whose handshake does not end', async () => {
    const { proxy } = await start();
    const silent = connect({ port: proxy.port, host: '127.0.0.1' });
    await withTimeout('a connection', DEADLINE, once(silent, 'connect'));
    const { milliseconds } = await timed(() => withTimeout('its end', DEADLINE, once(silent, 'close')));
    assert.ok(milliseconds > HANDSHAKE_TIMEOUT - 1000, `${milliseconds} ms`);
  });

  it('counts connections from their first byte on, and once: handshakes displace each other and no client', async () => {
    const { proxy } = await start();
    const kept = await open(proxy);
    const assertKept = async () => {
      kept.send(chat('Hello'));
      assert.equal((await kept.readResponse()).status, 200);
    };
    await assertKept();
    const handshakes: RawConnection[] = [];
    const closed: RawConnection[] = [];
    for (let opened = 0; opened < MAX_CONNECTIONS + 50; opened++) {
      const connection = await RawConnection.open(proxy.port);
      handshakes.push(connection);
      void connection.ended.then(() => closed.push(connection));
    }
    await proxy.logged('too_many_connections', { limit: MAX_CONNECTIONS });
    assert.equal(await health(proxy), 200);
    await assertKept();
    assert.ok(closed.length < handshakes.length);
    for (const connection of handshakes) connection.destroy();
    kept.destroy();
  });

  it('answers pipelined requests in order, malformed input with 400, and a client that has closed its half', async () => {
    const { proxy } = await start();
    const connection = await open(proxy, { allowHalfOpen: true });
    connection.socket.end(`${chat('/wait 300 Hello')}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const statuses: number[] = [];
    while (statuses.length < 2) {
      const { status } = await connection.readResponse();
      if (status !== 102) statuses.push(status);
    }
    assert.deepEqual(statuses, [200, 200]);
    assert.equal(await connection.end(), 'closed');
    const malformed = await open(proxy);
    malformed.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    assert.equal((await malformed.readResponse()).status, 400);
    assert.equal(await malformed.end(), 'closed');
  });

  it('accepts an absolute target with https, and none with http', async () => {
    const { proxy } = await start();
    for (const [scheme, status] of [
      ['https', 200],
      ['http', 400],
    ] as const) {
      const connection = await open(proxy);
      connection.send(`GET ${scheme}://localhost:${proxy.port}/health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      assert.equal((await connection.readResponse()).status, status);
      connection.destroy();
    }
  });

  it('cancels a request when its client disconnects', async () => {
    const { proxy, enclave } = await start();
    const connection = await open(proxy);
    connection.send(chat('/hang'));
    const { end } = await withTimeout('the request at the enclave', DEADLINE, enclave.journal.request(0));
    connection.destroy();
    assert.equal((await withTimeout('its end', DEADLINE, end)).ended, 'client-cancelled');
  });

  itWithSignals('stops at once beside idle connections and handshakes, and lets a stream finish', async () => {
    const { proxy } = await start();
    const [idle, handshake] = [await open(proxy), await RawConnection.open(proxy.port)];
    const body = chatBody('/repeat 20', { stream: true });
    const stream = await openResponse(proxy.url, { body, agent: folder.agent() });
    proxy.child.kill('SIGTERM');
    await Promise.all([idle.end(), handshake.end()]);
    const response = await readResponse(stream);
    assert.equal(response.broken, false);
    assert.match(response.body.toString(), /data: \[DONE\]\n\n$/);
    assert.deepEqual(await proxy.exitAtOnce(), { code: 0, signal: null });
  });

  itWithSignals('lets a request finish whose handshake ended after the listener did', async () => {
    const { proxy } = await start();
    const [asking, silent] = await Promise.all([1, 2].map(() => RawConnection.open(proxy.port)));
    proxy.child.kill('SIGTERM');
    await eventually('the end of the listener', async () => {
      const socket = connect({ port: proxy.port, host: '127.0.0.1' });
      const isRefused = await once(socket, 'connect').then(
        () => false,
        () => true,
      );
      socket.destroy();
      return isRefused;
    });
    const [client, idle] = [asking, silent].map((raw) =>
      connectEncrypted({ socket: raw?.socket, ca: folder.authorities, servername: 'localhost' }),
    );
    assert.ok(client !== undefined && idle !== undefined);
    const closed = once(idle, 'close');
    client.end(chat('/wait 3000 Hello').replace('\r\n', '\r\nConnection: close\r\n')); // longer than a new connection may take
    const response = (await withTimeout('the response', DEADLINE, client.toArray())) as Buffer[];
    assert.match(Buffer.concat(response).toString(), /HTTP\/1\.1 200 OK\r\n[^]*0\r\n\r\n$/);
    await withTimeout('the end of the idle connection', DEADLINE, closed);
    assert.deepEqual(await proxy.exitAtOnce(), { code: 0, signal: null });
    assert.deepEqual(
      proxy.log.filter(({ event }) => event === 'request').map((line) => line['end']),
      ['complete'],
    );
  });

  describe('whose files change', () => {
    it('uses them for new connections, while a stream goes on and no request is lost', async () => {
      const { proxy } = await start();
      const before = await serialSeen(proxy);
      const body = chatBody('/repeat 80', { stream: true });
      const stream = await openResponse(proxy.url, { body, agent: folder.agent() });
      const identity = folder.write();
      const statuses: number[] = [];
      const reloaded = proxy.logged('tls_reloaded', { cause: 'file' }).then(() => true);
      while (!(await Promise.race([reloaded, health(proxy).then((status) => !statuses.push(status))])));
      assert.ok(statuses.length > 0 && statuses.every((status) => status === 200));
      assert.equal(await serialSeen(proxy), serialOf(identity));
      assert.notEqual(await serialSeen(proxy), before);
      assert.equal(await health(proxy), 200);
      const response = await readResponse(stream);
      assert.equal(response.broken, false);
      assert.match(response.body.toString(), /data: \[DONE\]\n\n$/);
    });

    itWithSignals('uses them at once after SIGHUP', async () => {
      const { proxy } = await start();
      const identity = folder.write();
      proxy.child.kill('SIGHUP');
      await proxy.logged('tls_reloaded', { cause: 'SIGHUP' });
      assert.equal(await serialSeen(proxy), serialOf(identity));
    });

    it('keeps the previous ones as long as they do not fit together, and says so', async () => {
      const { proxy } = await start();
      const before = await serialSeen(proxy);
      const key = otherKey();
      writeFileSync(folder.key, key);
      const { reason, level, note } = await proxy.logged('tls_not_reloaded', { cause: 'file' });
      assert.equal(level, 'warn');
      assert.match(String(reason), /^PROXY_TLS_KEY_FILE cannot be used: .*key\.pem: the key does not belong/);
      assert.equal(note, 'The previous certificate and key stay in use.');
      assert.equal(await serialSeen(proxy), before);
      const identity = folder.write();
      await proxy.logged('tls_reloaded', { cause: 'file' });
      assert.equal(await serialSeen(proxy), serialOf(identity));
      assert.ok(!proxy.stderr.items.join('\n').includes(key.split('\n')[1] ?? key));
    });
  });

  it('warns of a certificate that has expired, and uses it', async () => {
    const expired = createTlsIdentity(Date.now() - 12 * HOUR);
    writeFileSync(folder.certificate, expired.cert);
    writeFileSync(folder.key, expired.key);
    const proxy = await scope.proxy(await scope.enclave(), folder.settings);
    const { note } = await proxy.logged('tls_certificate', { level: 'warn' });
    assert.match(String(note), /^The certificate of the listener expired at 20.* Replace its file/);
    const socket = connectEncrypted({ port: proxy.port, host: '127.0.0.1', rejectUnauthorized: false });
    await withTimeout('a handshake', DEADLINE, once(socket, 'secureConnect'));
    assert.equal(socket.getPeerX509Certificate()?.serialNumber, serialOf(expired));
    socket.destroy();
  });

  it('does not start with files that cannot be used', async () => {
    folder.write();
    for (const [settings, message] of [
      [
        { PROXY_TLS_CERT_FILE: folder.certificate },
        /PROXY_TLS_KEY_FILE cannot be used: it is missing or empty: set .* together/,
      ],
      [{ ...folder.settings, PROXY_TLS_KEY_FILE: folder.certificate }, /this is the file of a certificate/],
      [{ ...folder.settings, PROXY_TLS_CERT_FILE: '/nowhere' }, /\/nowhere: the file does not exist/],
    ] as const) {
      const { code, stdout, stderr } = await runToEnd([], { PROXY_PORT: '0', ...settings });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /BEGIN/);
    }
  });

  describe('answers --health and --ready', () => {
    const probe = (argument: string, { port }: { readonly port: number }, settings: Settings = folder.settings) =>
      runToEnd([argument], { PROXY_PORT: String(port), ...settings });

    it('which trust exactly the certificate in the file', async () => {
      const { proxy } = await start();
      for (const argument of ['--health', '--ready']) {
        assert.deepEqual(await probe(argument, proxy), { code: 0, stdout: '', stderr: '' });
      }
      const other = new TlsFolder();
      try {
        other.write();
        const { code, stderr } = await probe('--health', proxy, other.settings);
        assert.equal(code, 1);
        assert.match(
          stderr,
          /^sealed-proxy: no healthy proxy on .*: it does not have the certificate of PROXY_TLS_CERT/,
        );
      } finally {
        other.remove();
      }
    });

    it('also while the proxy has not loaded a new certificate yet', async () => {
      const { proxy } = await start();
      folder.write();
      assert.equal((await probe('--health', proxy)).code, 0);
    });

    it('unless one of both sides does not use TLS', async () => {
      const { proxy, enclave } = await start();
      const plain = await probe('--health', proxy, {});
      assert.deepEqual([plain.code, plain.stdout], [1, '']);
      assert.match(
        plain.stderr,
        /no healthy proxy on 127\.0\.0\.1 port \d+: socket hang up \(if it uses TLS, set PROXY_TLS_CERT_FILE/,
      );
      const { code, stderr } = await probe('--ready', enclave);
      assert.equal(code, 1);
      assert.match(stderr, /it does not answer with TLS \(ERR_SSL_/);
    });
  });
});
