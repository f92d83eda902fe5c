// How a running proxy proves which user it belongs to.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  CHALLENGE_HEADER,
  REPORT_HEADER,
  WINDOW_HEADER,
  authenticateChallenge,
  makeChallenge,
  openReport,
} from '../../src/shared/ownership.ts';
import { VERSION } from '../../src/shared/version.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';
import { ScriptedModel, typed } from '../support/vscode/scriptedModel.ts';
import { DEADLINE } from '../support/withTimeout.ts';

const SECRET = randomBytes(32);
const KEYS = { apiKey: null, accessKeys: [] };

describe('The ownership proof of a proxy', () => {
  const scope = perTest();

  const start = async (faults = '') => scope.internalProxy(await scope.enclave({ faults }), {}, { ownership: SECRET });

  /** As a window with the secret asks. */
  const headersFor = (port: number, challenge: string | string[], secret = SECRET) => ({
    [CHALLENGE_HEADER]: challenge,
    [WINDOW_HEADER]: authenticateChallenge(secret, String(challenge), port),
  });
  const health = ({ url, port }: InternalProxy, challenge: string | string[], path = '/health', method = 'GET') =>
    sendRequest(url, { method, path, key: null, headers: headersFor(port, challenge) });

  const proofOf = async ({ url, port }: InternalProxy, challenge = makeChallenge(), secret = SECRET) => {
    const headers = headersFor(port, challenge, secret);
    const response = await sendRequest(url, { method: 'GET', path: '/health', key: null, headers });
    return openReport(secret, challenge, port, response.headers[REPORT_HEADER]?.[0] ?? '');
  };

  it('tells a program that makes its own challenge no more than the plain health response', async () => {
    const proxy = await start('wrong-nonce');
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models' })).status, 502);
    const challenge = makeChallenge();
    for (const code of [{}, { [WINDOW_HEADER]: authenticateChallenge(randomBytes(32), challenge, proxy.port) }]) {
      const headers = { [CHALLENGE_HEADER]: challenge, ...code };
      const response = await sendRequest(proxy.url, { method: 'GET', path: '/health', key: null, headers });
      assert.equal(response.headers[REPORT_HEADER], undefined);
    }
  });

  it('is sent in a header, with the version, the port and the result of the handshake', async () => {
    const begin = Date.now();
    const proxy = await start();
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models' })).status, 200);
    const report = await proofOf(proxy);
    assert.deepEqual([report?.version, report?.port, report?.failure], [VERSION, proxy.port, null]);
    assert.equal(report?.verified?.kind, 'development');
    assert.ok((report.establishedAt ?? 0) >= begin);
  });

  it('contains the failure of the last handshake', async () => {
    const proxy = await start('wrong-nonce');
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models' })).status, 502);
    const report = await proofOf(proxy);
    assert.deepEqual([report?.verified, report?.establishedAt], [null, null]);
    assert.deepEqual([report?.failure?.code, report?.failure?.detail], ['attestation_refused', 'nonce_mismatch']);
  });

  it('does not change the body of the health response', async () => {
    const proxy = await start();
    const plain = await sendRequest(proxy.url, { method: 'GET', path: '/health', key: null });
    for (const path of ['/health', '/', '/health?x=1']) {
      const challenged = await health(proxy, makeChallenge(), path);
      assert.deepEqual([challenged.status, challenged.body.toString()], [200, plain.body.toString()]);
      assert.equal(challenged.headers[REPORT_HEADER]?.length, 1);
    }
    assert.equal(plain.headers[REPORT_HEADER], undefined);
    assert.deepEqual(plain.json(), { status: 'ok', service: 'sealed-proxy', version: VERSION });
    assert.equal((await health(proxy, makeChallenge(), '/health', 'HEAD')).headers[REPORT_HEADER]?.length, 1);
  });

  it('is not sent without a secret', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave);
    const response = await health(proxy, makeChallenge());
    assert.deepEqual([response.status, response.headers[REPORT_HEADER]], [200, undefined]);
  });

  it('is not sent for an invalid challenge', async () => {
    const proxy = await start();
    const challenge = makeChallenge();
    for (const bad of ['', 'x', challenge.slice(1), `${challenge}A`, `${challenge}=`, [challenge, challenge]]) {
      const response = await health(proxy, bad);
      assert.deepEqual([response.status, response.headers[REPORT_HEADER]], [200, undefined], String(bad));
    }
  });

  it('is not sent in responses of /v1, nor with errors', async () => {
    const proxy = await start();
    const headers = headersFor(proxy.port, makeChallenge());
    const responses = await Promise.all([
      sendRequest(proxy.url, { method: 'GET', path: '/v1/models', headers }),
      sendRequest(proxy.url, { method: 'GET', path: '/v1/models', headers, key: null }),
      sendRequest(proxy.url, { headers, body: chatBody('Hello') }),
      sendRequest(proxy.url, { method: 'GET', path: '/nothing', headers }),
      sendRequest(proxy.url, { method: 'POST', path: '/health', headers }),
      sendRequest(proxy.url, { method: 'GET', path: '/health', headers: { ...headers, host: 'evil.example' } }),
      sendRequest(proxy.url, {
        method: 'GET',
        path: '/health',
        headers: { ...headers, origin: 'https://evil.example' },
      }),
    ]);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 401, 200, 404, 405, 403, 403],
    );
    for (const { headers: sent } of responses) assert.equal(sent[REPORT_HEADER], undefined);
  });

  it('uses the latest secret', async () => {
    const proxy = await start();
    const other = randomBytes(32);
    proxy.setKeys({ ...KEYS, ownership: other });
    assert.equal(await proofOf(proxy), undefined);
    assert.notEqual(await proofOf(proxy, makeChallenge(), other), undefined);
    proxy.setKeys({ ...KEYS, ownership: null });
    assert.equal(await proofOf(proxy, makeChallenge(), other), undefined);
  });

  // The next program on the port could pass such a proof off as its own.
  it('is not sent after the port is free, while the proxy finishes a stream', async () => {
    const model = new ScriptedModel();
    const enclave = await scope.enclave({ handler: model.handler });
    const proxy = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const fields = Object.entries(headersFor(proxy.port, makeChallenge())).map((field) => field.join(': '));
    const request = `GET /health HTTP/1.1\r\nHost: localhost\r\n${fields.join('\r\n')}\r\n\r\n`;
    const [busy, idle] = [await RawConnection.open(proxy.port), await RawConnection.open(proxy.port)];
    scope.onClose(() => {
      busy.destroy();
      idle.destroy();
      return Promise.resolve();
    });
    idle.send(request + request.slice(0, -2));
    assert.notEqual((await idle.readResponse()).field(REPORT_HEADER), undefined);
    const body = typed('Talk');
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ACCESS_KEY}\r\n`;
    busy.send(`${head}content-length: ${body.length}\r\n\r\n`);
    busy.send(body);
    const chat = await model.nextChat('Talk');
    chat.say('One word.');
    await busy.until('data: ');

    const stopped = proxy.stop(DEADLINE);
    await idle.end();
    assert.equal(idle.received.length, 0);
    proxy.setKeys({ ...KEYS, ownership: SECRET });
    busy.send(request);
    chat.finish(1, 2);
    assert.match((await busy.readResponse()).body.toString(), /"completion_tokens":2/);
    const response = await busy.readResponse();
    assert.deepEqual([response.status, response.field(REPORT_HEADER)], [200, undefined]);
    await stopped;
  });
});
