import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describeError } from '../../../../src/proxy/backend/describeError.ts';
import { Network } from '../../../../src/proxy/backend/network.ts';
import { UndiciTransport } from '../../../../src/proxy/backend/undiciTransport.ts';
import { asSessionError } from '../../../../src/session/errors.ts';
import type { UpstreamRequest } from '../../../../src/session/transport.ts';
import type { NetworkSettings } from '../../../../src/shared/messages.ts';
import type { ProxyRoute } from '../../../../src/shared/network.ts';
import { openCompanyProxy } from '../../../support/e2e/companyProxy.ts';
import type { CompanyProxy, ProxyAuthentication } from '../../../support/e2e/companyProxy.ts';
import { RawServer } from '../../../support/rawServer.ts';
import { RecordingHandler } from '../../../support/recordingHandler.ts';
import { DEADLINE, withTimeout } from '../../../support/withTimeout.ts';

const ORIGIN = 'https://enclave.test';
const REQUEST: UpstreamRequest = { method: 'POST', path: '/v2/request', headers: [], body: Buffer.from('record') };
const PASSWORD = 'the-password';
const BASIC = `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`;
const WANTS_BASIC: ProxyAuthentication = {
  credentials: `user:${PASSWORD}`,
  challenges: ['Negotiate', 'NTLM', 'Basic realm="company"'],
};

describe('Network', () => {
  const open: { close(): Promise<unknown> }[] = [];

  afterEach(async () => {
    for (const resource of open.splice(0)) await withTimeout('the end', DEADLINE, resource.close());
  });

  async function companyProxy(authentication?: ProxyAuthentication): Promise<CompanyProxy> {
    const proxy = await openCompanyProxy({}, authentication);
    open.push(proxy);
    return proxy;
  }

  /** A transport that finds its proxy with these answers, the last one again and again. */
  function transportVia(network: NetworkSettings, ...routes: readonly ProxyRoute[]) {
    const questions: string[] = [];
    const log: unknown[] = [];
    const note = (event: string, fields: object = {}) => log.push({ event, ...fields });
    const found = new Network(
      network,
      (url) => Promise.resolve(routes[Math.min(questions.push(url), routes.length) - 1]),
      { info: note, warn: note },
    );
    const transport = new UndiciTransport({ origin: ORIGIN, basePath: '', verified: true, loopback: false }, found);
    open.unshift(transport);
    const fail = async () => {
      const handler = new RecordingHandler();
      transport.send(REQUEST, handler);
      await handler.until('error');
      return describeError(asSessionError(handler.error));
    };
    return { network: found, transport, questions, log, fail };
  }

  it('uses the proxy that the editor found, and asks again after a failed connection', async () => {
    const [first, second] = [await companyProxy(), await companyProxy()];
    const { fail, questions, network } = transportVia(
      {},
      { url: first.url, source: 'system' },
      { url: second.url, source: 'system' },
    );
    assert.deepEqual(questions, []);
    await fail();
    assert.deepEqual([first.tunnels, second.tunnels], [['enclave.test:443'], []]);
    await fail();
    assert.deepEqual([first.tunnels, second.tunnels], [['enclave.test:443'], ['enclave.test:443']]);
    assert.deepEqual(questions, [`${ORIGIN}/`, `${ORIGIN}/`]);
    assert.equal(network.report.backend?.proxy, new URL(second.url).host);
  });

  it('asks again when the connections are renewed', async () => {
    const { fail, transport, questions } = transportVia({}, { url: (await companyProxy()).url, source: 'system' });
    const running = fail();
    transport.renew();
    await Promise.all([running, fail()]);
    assert.equal(questions.length, 2);
  });

  it('goes by the settings if the editor does not answer', async () => {
    const proxy = await companyProxy();
    const network = new Network({ httpsProxy: proxy.url, noProxy: '' }, () => Promise.resolve(undefined));
    const transport = new UndiciTransport({ origin: ORIGIN, basePath: '', verified: true, loopback: false }, network);
    open.unshift(transport);
    const handler = new RecordingHandler();
    transport.send(REQUEST, handler);
    await handler.until('error');
    assert.deepEqual(proxy.tunnels, ['enclave.test:443']);
    assert.equal(network.report.backend?.source, 'setting');
  });

  it('does not ask for an address of this computer', async () => {
    const server = await RawServer.listen();
    open.push(server);
    const network = new Network({}, () => Promise.reject(new Error('asked')));
    const origin = `http://127.0.0.1:${server.port}`;
    const transport = new UndiciTransport({ origin, basePath: '', verified: false, loopback: true }, network);
    open.unshift(transport);
    const handler = new RecordingHandler();
    transport.send(REQUEST, handler);
    const connection = await server.next();
    await connection.take('the request', 'record');
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    await handler.until('end');
    assert.deepEqual(network.report.backend, { proxy: '', source: 'local', authentication: 'none', schemes: [] });
  });

  it('sends http.proxyAuthorization, unless the URL of the proxy has credentials', async () => {
    const proxy = await companyProxy(WANTS_BASIC);
    const withCredentials = proxy.url.replace('//', `//user:${PASSWORD}@`);
    for (const [network, url] of [
      [{ proxyAuthorization: BASIC }, proxy.url],
      [{ proxyAuthorization: 'Basic d3Jvbmc6d3Jvbmc=' }, withCredentials],
      [{}, withCredentials],
    ] as const) {
      const { fail, network: used, log } = transportVia(network, { url, source: 'setting' });
      const { detail, message } = await fail();
      assert.equal(detail, 'proxy_refused'); // the tunnel itself leads nowhere
      assert.equal(message, `The HTTP proxy ${new URL(proxy.url).host} refused the connection: status 502`);
      assert.equal(used.report.backend?.authentication, 'sent');
      assert.doesNotMatch(JSON.stringify([log, used.report]), new RegExp(`${PASSWORD}|${BASIC.slice(6)}`));
    }
    assert.deepEqual([...new Set(proxy.credentials)], [`user:${PASSWORD}`]);
  });

  for (const [what, challenges, authorization, code, message] of [
    ['no credentials', ['Basic realm="x"'], undefined, 'proxy_authentication', /requires a user name and a password$/],
    [
      'wrong credentials',
      ['basic realm="x"'],
      BASIC,
      'proxy_authentication',
      /refused the user name and the password$/,
    ],
    [
      'Kerberos or NTLM only',
      ['Negotiate', 'NTLM'],
      BASIC,
      'proxy_authentication_unsupported',
      /accepts only Negotiate, NTLM authentication$/,
    ],
    ['a challenge without a known scheme', ['Strange'], undefined, 'proxy_authentication', /requires a user name/],
  ] as const) {
    it(`says what a proxy wants, given ${what}`, async () => {
      const proxy = await companyProxy({ challenges });
      const network = authorization === undefined ? {} : { proxyAuthorization: authorization };
      const { fail, network: used } = transportVia(network, { url: proxy.url, source: 'system' });
      const failure = await fail();
      assert.deepEqual([failure.code, failure.detail], ['network', code]);
      assert.match(failure.message, message);
      assert.equal(used.report.backend?.authentication, authorization === undefined ? 'required' : 'refused');
    });
  }

  it('says that the proxy cannot be reached', async () => {
    const proxy = await openCompanyProxy({});
    await proxy.close();
    const failure = await transportVia({}, { url: proxy.url, source: 'system' }).fail();
    assert.deepEqual([failure.code, failure.detail], ['network', 'proxy_unreachable']);
    assert.match(failure.message, /^The HTTP proxy 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)$/);
  });

  for (const scheme of ['socks5', 'socks5h', 'socks']) {
    it(`opens a tunnel through a SOCKS5 proxy with its credentials (${scheme})`, async () => {
      const seen: string[] = [];
      const replies = [Buffer.from([5, 2]), Buffer.from([1, 0]), Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 1])];
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (bytes) => {
          const reply = replies.shift();
          seen.push(reply === undefined ? bytes.toString('hex', 0, 1) : bytes.toString('latin1'));
          if (reply === undefined) socket.destroy();
          else socket.write(reply);
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      open.push({ close: () => once(server.close(), 'close') });
      const url = `${scheme}://user:${PASSWORD}@127.0.0.1:${(server.address() as AddressInfo).port}`;
      await transportVia({}, { url, source: 'setting' }).fail();
      const [greeting, login, request, first] = seen;
      assert.equal(greeting?.charCodeAt(0), 5);
      assert.equal(login, `\x01\x04user\x0c${PASSWORD}`);
      assert.equal(request, '\x05\x01\x00\x03\x0cenclave.test\x01\xbb');
      assert.equal(first, '16'); // TLS begins inside the tunnel
    });
  }

  it('says that SOCKS4 is not supported', async () => {
    const { detail } = await transportVia({}, { url: 'socks4a://127.0.0.1:9', source: 'system' }).fail();
    assert.equal(detail, 'proxy_unsupported');
  });

  it('counts the certificates', async () => {
    const network = new Network({ systemCertificates: true });
    const counts = () => network.report.certificates;
    assert.equal(counts(), null);
    await network.ready;
    assert.ok((counts()?.bundled ?? 0) > 50);
    assert.equal(typeof counts()?.system, 'number');
    const without = new Network();
    await without.ready;
    assert.equal(without.report.certificates?.system, null);
  });

  it('can be closed while it reads the certificates', async () => {
    const network = new Network({ systemCertificates: true });
    network.close();
    await withTimeout('the certificates', DEADLINE, network.ready);
  });
});
