// How a running proxy proves which user it belongs to.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { CHALLENGE_HEADER, PROOF_HEADER, checkProof, makeChallenge } from '../../src/shared/ownership.ts';
import { VERSION } from '../../src/shared/version.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';

const SECRET = randomBytes(32);
const KEYS = { apiKey: null, accessKeys: [] };

describe('The ownership proof of a proxy', () => {
  const scope = perTest();

  const start = async (faults = '') => scope.internalProxy(await scope.enclave({ faults }), {}, { ownership: SECRET });

  const health = ({ url }: InternalProxy, challenge: string | string[], path = '/health', method = 'GET') =>
    sendRequest(url, { method, path, key: null, headers: { [CHALLENGE_HEADER]: challenge } });

  const proofOf = async (proxy: InternalProxy, challenge = makeChallenge(), secret = SECRET) => {
    const [proof = ''] = (await health(proxy, challenge)).headers[PROOF_HEADER] ?? [];
    return checkProof(secret, challenge, proxy.port, proof);
  };

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
      assert.equal(challenged.headers[PROOF_HEADER]?.length, 1);
    }
    assert.equal(plain.headers[PROOF_HEADER], undefined);
    assert.deepEqual(plain.json(), { status: 'ok', service: 'sealed-proxy', version: VERSION });
    assert.equal((await health(proxy, makeChallenge(), '/health', 'HEAD')).headers[PROOF_HEADER]?.length, 1);
  });

  it('is not sent without a secret', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.internalProxy(enclave);
    const response = await health(proxy, makeChallenge());
    assert.deepEqual([response.status, response.headers[PROOF_HEADER]], [200, undefined]);
  });

  it('is not sent for an invalid challenge', async () => {
    const proxy = await start();
    const challenge = makeChallenge();
    for (const bad of ['', 'x', challenge.slice(1), `${challenge}A`, `${challenge}=`, [challenge, challenge]]) {
      const response = await health(proxy, bad);
      assert.deepEqual([response.status, response.headers[PROOF_HEADER]], [200, undefined], String(bad));
    }
  });

  it('is not sent in responses of /v1, nor with errors', async () => {
    const proxy = await start();
    const headers = { [CHALLENGE_HEADER]: makeChallenge() };
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
    for (const response of responses) assert.equal(response.headers[PROOF_HEADER], undefined);
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
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 10 }) });
    const proxy = await scope.internalProxy(enclave, {}, { ownership: SECRET });
    const request = `GET /health HTTP/1.1\r\nHost: localhost\r\n${CHALLENGE_HEADER}: ${makeChallenge()}\r\n\r\n`;
    const [busy, idle] = [await RawConnection.open(proxy.port), await RawConnection.open(proxy.port)];
    scope.onClose(() => {
      busy.destroy();
      idle.destroy();
      return Promise.resolve();
    });
    idle.send(request + request.slice(0, -2));
    assert.notEqual((await idle.readResponse()).field(PROOF_HEADER), undefined);
    const body = chatBody('/repeat 50', { stream: true });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ACCESS_KEY}\r\n`;
    busy.send(`${head}content-length: ${body.length}\r\n\r\n`);
    busy.send(body);
    await busy.until('data: ');

    const stopped = proxy.stop(5000);
    await idle.end();
    assert.equal(idle.received.length, 0);
    proxy.setKeys({ ...KEYS, ownership: SECRET });
    busy.send(request);
    assert.match((await busy.readResponse()).body.toString(), /\[DONE\]/);
    const response = await busy.readResponse();
    assert.deepEqual([response.status, response.field(PROOF_HEADER)], [200, undefined]);
    await stopped;
  });
});
