import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { basicConstraints, issueChain, keyUsage } from '../../../../src/devEnclave/attestation/authority.ts';
import { Network } from '../../../../src/proxy/backend/network.ts';
import { UndiciTransport } from '../../../../src/proxy/backend/undiciTransport.ts';
import type { UpstreamRequest } from '../../../../src/session/transport.ts';
import type { NetworkSettings } from '../../../../src/shared/messages.ts';
import { RawServer } from '../../../support/rawServer.ts';
import { RecordingHandler } from '../../../support/recordingHandler.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

const HOUR = 3_600_000;
const REQUEST: UpstreamRequest = {
  method: 'POST',
  path: '/v2/request',
  headers: ['x-session-id', 'private'],
  body: Buffer.from('record'),
};
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const CLIENT_HELLO = '\u0016\u0003';
const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'];

const pem = (der: Uint8Array) => new X509Certificate(der).toString();

/** A TLS server for the name `localhost`, and the certificate of the authority behind it. */
async function listenTls(): Promise<{ readonly server: RawServer; readonly origin: string; readonly root: string }> {
  const [notBefore, notAfter] = [Date.now() - HOUR, Date.now() + HOUR];
  const chain = issueChain([
    { subject: 'test root', notBefore, notAfter, extensions: [basicConstraints(true), keyUsage('keyCertSign')] },
    { subject: 'localhost', notBefore, notAfter, extensions: [basicConstraints(false), keyUsage('digitalSignature')] },
  ]);
  const key = chain.leaf.privateKey.export({ format: 'pem', type: 'pkcs8' });
  const listener = createServer({ key, cert: pem(chain.leaf.der) });
  listener.on('tlsClientError', () => undefined); // the client reports the cause
  const server = await RawServer.listen(listener);
  return { server, origin: `https://localhost:${server.port}`, root: pem(chain.anchors.roots[0] ?? assert.fail()) };
}

describe('UndiciTransport with network settings', () => {
  const open: { close(): Promise<void> }[] = [];
  let saved: Record<string, string | undefined>;

  beforeEach(() => {
    saved = Object.fromEntries(PROXY_VARIABLES.map((name) => [name, process.env[name]]));
    for (const name of PROXY_VARIABLES) Reflect.deleteProperty(process.env, name);
  });

  afterEach(async () => {
    for (const [name, value] of Object.entries(saved)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    for (const resource of open.splice(0)) await withTimeout('the end', DEADLINE, resource.close());
  });

  function send(origin: string, network: NetworkSettings, loopback = false): RecordingHandler {
    const transport = new UndiciTransport({ origin, basePath: '', verified: true, loopback }, new Network(network));
    open.unshift(transport);
    const handler = new RecordingHandler();
    transport.send(REQUEST, handler);
    return handler;
  }

  async function listen(): Promise<RawServer> {
    const server = await RawServer.listen();
    open.push(server);
    return server;
  }

  describe('over TLS', () => {
    it('refuses a certificate of an unknown authority', async () => {
      const { server, origin } = await listenTls();
      open.push(server);
      for (const network of [{}, { strictTls: true }, { certificates: [] }]) {
        const handler = send(origin, network, true);
        await handler.until('error');
        assert.match(handler.events[0] ?? '', /^error (UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/);
      }
    });

    for (const loopback of [true, false]) {
      it(`accepts a certificate of an additional authority, ${loopback ? 'on' : 'outside'} this computer`, async () => {
        const { server, origin, root } = await listenTls();
        open.push(server);
        const handler = send(origin, { certificates: [root] }, loopback);
        const connection = await server.next();
        await connection.take('the request', 'record');
        connection.write(ANSWER);
        await handler.until('end');
      });
    }

    it('accepts any certificate if TLS is not strict', async () => {
      const { server, origin } = await listenTls();
      open.push(server);
      const handler = send(origin, { strictTls: false }, true);
      const connection = await server.next();
      await connection.take('the request', 'record');
      connection.write(ANSWER);
      await handler.until('end');
    });

    it('refuses a certificate of an additional authority for another name', async () => {
      const { server, root } = await listenTls();
      open.push(server);
      const handler = send(`https://127.0.0.1:${server.port}`, { certificates: [root] }, true);
      await handler.until('error');
      assert.deepEqual(handler.events, ['error ERR_TLS_CERT_ALTNAME_INVALID']);
    });
  });

  describe('through an HTTP proxy', () => {
    it('opens a tunnel to the backend, which hides the request from the proxy', async () => {
      const proxy = await listen();
      const handler = send('https://enclave.test', { httpsProxy: proxy.origin });
      const connection = await proxy.next();
      const head = await connection.takeHead();
      assert.match(head, /^CONNECT enclave\.test:443 HTTP\/1\.1\r\n/);
      assert.doesNotMatch(head, /private|v2|proxy-authorization/i);
      connection.write('HTTP/1.1 200 Connection established\r\n\r\n');
      await connection.take('the beginning of TLS', CLIENT_HELLO);
      connection.end();
      await handler.until('error');
    });

    it('checks the certificate of the backend as without a proxy', async () => {
      const [proxy, { server, origin, root }] = [await listen(), await listenTls()];
      open.push(server);
      for (const [network, trusted] of [
        [{ certificates: [root] }, true],
        [{ strictTls: false }, true],
        [{}, false],
      ] as const) {
        const handler = send(origin, { ...network, httpsProxy: proxy.origin });
        const tunnel = await proxy.next();
        await tunnel.takeHead();
        const onward = connect(server.port, '127.0.0.1');
        onward.on('error', () => undefined);
        tunnel.socket.pipe(onward).pipe(tunnel.socket);
        tunnel.write('HTTP/1.1 200 Connection established\r\n\r\n');
        if (trusted) {
          const connection = await server.next();
          await connection.take('the request', 'record');
          connection.write(ANSWER);
        }
        await handler.until(trusted ? 'end' : 'error');
      }
    });

    it('uses TLS to a proxy with an https address, with the same authorities', async () => {
      const { server: proxy, origin, root } = await listenTls();
      open.push(proxy);
      send('https://enclave.test', { httpsProxy: origin, certificates: [root] });
      assert.match(await (await proxy.next()).takeHead(), /^CONNECT enclave\.test:443 /);
      const handler = send('https://enclave.test', { httpsProxy: origin });
      await handler.until('error');
    });

    it('sends the credentials in the address of the proxy', async () => {
      const proxy = await listen();
      send('https://enclave.test', { httpsProxy: `http://user:pass%20word@127.0.0.1:${proxy.port}` });
      const head = await (await proxy.next()).takeHead();
      const expected = Buffer.from('user:pass word').toString('base64');
      assert.match(head, new RegExp(`\\r\\nproxy-authorization: Basic ${expected}\\r\\n`, 'i'));
    });

    it('fails if the proxy refuses the tunnel', async () => {
      const [proxy, backend] = [await listen(), await listen()];
      const origin = `https://127.0.0.1:${backend.port}`;
      const handler = send(origin, { httpsProxy: proxy.origin });
      const connection = await proxy.next();
      await connection.takeHead();
      connection.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      await handler.until('error');
      assert.equal(handler.events.length, 1);
      assert.equal(backend.connections.length, 0);
    });

    it('uses the proxy of the environment if the settings name none', async () => {
      const proxy = await listen();
      for (const name of ['https_proxy', 'HTTPS_PROXY']) {
        process.env[name] = proxy.origin;
        send('https://enclave.test', {});
        assert.match(await (await proxy.next()).takeHead(), /^CONNECT enclave\.test:443 /);
        Reflect.deleteProperty(process.env, name);
      }
    });

    for (const [what, network, loopback] of [
      ['the backend is on this computer', {}, true],
      ['the settings disable it', { httpsProxy: '' }, false],
      ['the settings exclude the backend', { noProxy: '127.0.0.1' }, false],
    ] as const) {
      it(`does not use the proxy if ${what}`, async () => {
        const [proxy, backend] = [await listen(), await listen()];
        process.env['https_proxy'] = proxy.origin;
        send(`https://127.0.0.1:${backend.port}`, network, loopback);
        await (await backend.next()).take('the beginning of TLS', CLIENT_HELLO);
        assert.equal(proxy.connections.length, 0);
      });
    }

    it('does not use the proxy if the environment excludes the backend', async () => {
      const [proxy, backend] = [await listen(), await listen()];
      process.env['no_proxy'] = '127.0.0.1';
      send(`https://127.0.0.1:${backend.port}`, { httpsProxy: proxy.origin });
      await (await backend.next()).take('the beginning of TLS', CLIENT_HELLO);
      assert.equal(proxy.connections.length, 0);
    });
  });
});
