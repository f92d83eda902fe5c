// Messages from a hosted proxy to its window about keys, chats and its port.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { ProxySettings } from '../../src/settings/schema.ts';
import { probe } from '../../src/supervisor/portProbe.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import type { HostedProxy } from '../support/e2e/hosted.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { ACCESS_KEY, API_KEY, perTest } from '../support/e2e/scope.ts';
import { ScriptedModel, typed } from '../support/vscode/scriptedModel.ts';

const OWNERSHIP = Buffer.alloc(32, 7);
const SECRETS = { apiKey: API_KEY, accessKeys: [ACCESS_KEY], ownership: OWNERSHIP.toString('base64') };
const ID = createHash('sha256').update(ACCESS_KEY).digest('hex').slice(0, 16);

describe('IpcHost: events', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let proxy: HostedProxy;

  const start = async (settings: ProxySettings = {}) => {
    proxy.send({
      type: 'start',
      settings: { backendUrl: enclave.url, port: 0, ...settings },
      secrets: SECRETS,
      cacheNamespaceRoot: Buffer.alloc(32, 5).toString('base64'),
      network: {},
      trustFingerprint: 't',
    });
    return proxy.message('ready');
  };

  /** Resolves when all earlier messages in both directions have been handled. */
  const settle = async () => {
    const before = proxy.messages.items.length;
    proxy.send({ type: 'update', settings: { requestTimeoutSeconds: 0 } });
    await proxy.message('failed', before);
  };

  const models = (url: string) => sendRequest(url, { method: 'GET', path: '/v1/models' });
  const used = () => proxy.messages.items.filter(({ type }) => type === 'accessKeyUsed').length;

  beforeEach(async () => {
    enclave = await scope.enclave();
    proxy = scope.hosted();
  });

  it('reports the hash of a used access key, once for many uses', async () => {
    const { url } = await start();
    for (let count = 0; count < 3; count++) assert.equal((await models(url)).status, 200);
    assert.equal((await proxy.message('accessKeyUsed')).id, ID);
    await settle();
    assert.equal(used(), 1);
  });

  it('reports it no more often when the window stores the use and sends the keys again', async () => {
    const { url } = await start();
    for (let count = 0; count < 3; count++) {
      assert.equal((await models(url)).status, 200);
      proxy.send({ type: 'secrets', secrets: SECRETS });
      await settle();
    }
    assert.equal(used(), 1);
  });

  it('reports each chat that was answered completely, and nothing else', async () => {
    const { url } = await start();
    assert.equal((await models(url)).status, 200);
    const chat = (prompt: string) => sendRequest(url, { path: '/v1/chat/completions', body: chatBody(prompt) });
    assert.equal((await chat('/status 429')).status, 429);
    for (let count = 0; count < 2; count++) assert.equal((await chat('Hello')).status, 200);
    await settle();
    const answered = proxy.messages.items.filter(({ type }) => type === 'chatAnswered');
    assert.deepEqual(answered, [
      { type: 'chatAnswered', id: ID },
      { type: 'chatAnswered', id: ID },
    ]);
  });

  for (const { name, replyPath, countPath, modelsPath, body } of DIALECTS_UNDER_TEST) {
    it(`reports each chat of the ${name} dialect that was answered completely, and nothing else`, async () => {
      const { url } = await start();
      const send = async (path: string, prompt: string, fields = {}) =>
        (await sendRequest(url, { path, body: body(prompt, fields) })).status;
      assert.equal((await sendRequest(url, { method: 'GET', path: modelsPath })).status, 200);
      assert.equal(await send(countPath, 'Hello'), 200);
      assert.equal(await send(replyPath, '/status 429'), 429);
      assert.equal(await send(replyPath, 'Hello', { model: 'unknown' }), 404);
      assert.equal(await send(replyPath, '/fail 2', { stream: true }), 200);
      assert.equal(await send(replyPath, 'Hello'), 200);
      assert.equal(await send(replyPath, 'Hello', { stream: true }), 200);
      await settle();
      const answered = proxy.messages.items.filter(({ type }) => type === 'chatAnswered');
      assert.deepEqual(answered, Array(2).fill({ type: 'chatAnswered', id: ID }));
    });
  }

  it('does not report keys that it refused', async () => {
    const { url } = await start();
    assert.equal((await sendRequest(url, { method: 'GET', path: '/v1/models', key: `${ACCESS_KEY}x` })).status, 401);
    assert.equal((await sendRequest(url, { method: 'GET', path: '/v1/models', key: 'dev-own' })).status, 200);
    await settle();
    assert.equal(used(), 0);
  });

  it('reports that its port is free while it still finishes a stream', async () => {
    const model = new ScriptedModel();
    enclave = await scope.enclave({ handler: model.handler });
    const { url, port } = await start();
    const stream = openResponse(url, { body: typed('Talk') });
    const chat = await model.nextChat('Talk');
    chat.say('One word.');
    const reading = readResponse(await stream);
    proxy.send({ type: 'stop' });
    await proxy.message('stopped');
    assert.deepEqual(await probe(port, OWNERSHIP), { kind: 'free' });
    const next = scope.hosted();
    next.send({
      type: 'start',
      settings: { backendUrl: enclave.url, port },
      secrets: SECRETS,
      cacheNamespaceRoot: Buffer.alloc(32, 5).toString('base64'),
      network: {},
      trustFingerprint: 't',
    });
    assert.equal((await next.message('ready')).port, port);
    assert.equal(proxy.child.exitCode, null);
    assert.equal((await models(url)).status, 200);
    chat.finish(1, 2);
    assert.equal((await reading).broken, false);
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });
});
