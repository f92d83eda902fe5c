// Responses of what stands between the proxy and the enclave: a load balancer whose origin is lost, informational responses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { perTest } from '../support/e2e/scope.ts';

const MIB = 1024 * 1024;

describe('A load balancer in front of the enclave', () => {
  const scope = perTest();
  let enclave: RunningEnclave;

  beforeEach(async () => {
    enclave = await scope.enclave();
  });

  /** @param answers sends a response to the request with this routing key itself, or returns false */
  const balance = async (answers: (response: ServerResponse, routingKey: string) => boolean) => {
    const server = createServer((req, res) => {
      if (answers(res, String(req.headers['x-opensecret-routing-key']))) {
        req.resume();
        return;
      }
      const { method, url: path, headers } = req;
      const onward = request({ port: enclave.port, method, path, headers }, (response) => {
        res.writeHead(response.statusCode ?? 0, response.rawHeaders);
        response.pipe(res);
      });
      req.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    scope.onClose(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  it('that has lost the origin of a session costs one request, and one handshake', async () => {
    const lost = new Set<string>();
    let latest = '';
    const proxy = await scope.proxy(
      await balance((response, routingKey) => {
        latest = routingKey;
        if (lost.has(routingKey)) response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
        return lost.has(routingKey);
      }),
    );
    assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    lost.add(latest);
    assertError(
      await sendRequest(proxy.url, { body: chatBody('Hello') }),
      backendError('response_invalid', 'maybe sent'),
    );
    for (let count = 0; count < 3; count++) {
      assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    }
    await proxy.logged('session_lost', { reason: 'bad_response' });
    assert.equal(enclave.journal.handshakes, 2);
    assert.equal(enclave.journal.requests.length, 4, 'the failed request was not sent again');
  });

  it('may send informational responses that nobody asked for', async () => {
    const proxy = await scope.proxy(
      await balance((response) => {
        response.writeContinue();
        response.writeProcessing();
        response.writeEarlyHints({ link: '</style.css>; rel=preload' });
        response.writeContinue();
        return false;
      }),
    );
    for (const body of [chatBody('Hello'), chatBody('/burst 50', { stream: true }), chatBodyOf(2 * MIB, '/describe')]) {
      const response = await sendRequest(proxy.url, { body });
      assert.deepEqual([response.status, response.broken], [200, false]);
    }
    assert.equal(enclave.journal.handshakes, 1);
    assert.equal(enclave.journal.requests.length, 3);
  });
});
