import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import { startPlainServer } from '../../../src/devEnclave/plainServer.ts';
import type { RunningServer } from '../../../src/devEnclave/transport/httpServer.ts';
import { CHAT_PATH } from '../../support/devEnclave/apiClient.ts';
import { call, collect, connect, send } from '../../support/devEnclave/client.ts';
import type { OuterAnswer } from '../../support/devEnclave/client.ts';
import { muteErrors, useEnclaves } from '../../support/devEnclave/fixture.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

describe('The backend over plain HTTP', () => {
  const start = useEnclaves();
  let plain: RunningServer;

  beforeEach(async () => {
    plain = await startPlainServer();
  });

  afterEach(() => plain.close());

  async function ask(target: string, body?: unknown, key = 'dev-test'): Promise<OuterAnswer> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const method = body === undefined ? 'GET' : 'POST';
    const bytes = body === undefined ? {} : { body: JSON.stringify(body) };
    return collect(await send(plain.url + target, { method, headers, ...bytes }));
  }

  it('responds with the same bytes as the enclave', async () => {
    const enclave = await start();
    const session = await connect(enclave.url);
    const chat = (content: string, stream = true) => ({
      model: 'glm-5-2',
      stream,
      messages: [{ role: 'user', content }],
    });
    const requests: [string, unknown][] = [
      ['/v1/models', undefined],
      ['/v1/embeddings', { input: 'a' }],
      [CHAT_PATH, chat('hello')],
      [CHAT_PATH, chat('hello', false)],
      [CHAT_PATH, chat('/bytes 100000')],
      [CHAT_PATH, chat('/status 429 3')],
      ['/nothing', undefined],
    ];
    for (const [target, body] of requests) {
      const sealed = await call(enclave.url, session, body, { target, method: body === undefined ? 'GET' : 'POST' });
      const open = await ask(target, body);
      assert.equal(open.status, sealed.status, target);
      assert.ok(open.body.equals(sealed.body), target);
      assert.deepEqual(open.headers['content-type'], sealed.header('content-type'));
    }
  });

  it('takes the API key from the authorization header', async () => {
    assert.equal((await ask('/v1/models')).status, 200);
    assert.equal((await ask('/v1/models', undefined, 'key')).status, 401);
    assert.equal((await collect(await send(`${plain.url}/v1/models`, { method: 'GET' }))).status, 401);
  });

  it('removes hop-by-hop headers of the model', async () => {
    const { headers, body } = await ask(CHAT_PATH, {
      model: 'glm-5-2',
      messages: [{ role: 'user', content: '/headers' }],
    });
    assert.equal(headers['x-named'], undefined);
    assert.deepEqual(headers['x-repeated'], ['one', 'two']);
    assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2; Path=/']);
    assert.equal(body.toString(), '{"headers":"odd"}');
  });

  it('breaks the connection if the model fails', async () => {
    const body = { model: 'glm-5-2', stream: true, messages: [{ role: 'user', content: '/fail 2' }] };
    await assert.rejects(ask(CHAT_PATH, body), { code: 'ECONNRESET' });
  });

  it('cancels the model when the client disconnects', async () => {
    const said = muteErrors();
    const model = createModel({ paceMs: 0 });
    let ended: (error: unknown) => void = () => undefined;
    const end = new Promise((resolve) => {
      ended = resolve;
    });
    const watched = await startPlainServer({
      handler: (request, response) =>
        model(request, response).catch((error: unknown) => {
          ended(error);
          throw error;
        }),
    });
    const body = JSON.stringify({ model: 'glm-5-2', stream: true, messages: [{ role: 'user', content: '/stall 1' }] });
    const message = await send(watched.url + CHAT_PATH, { headers: { authorization: 'Bearer dev-test' }, body });
    await withTimeout('the first bytes', DEADLINE, once(message, 'data'));
    message.destroy();
    assert.equal(((await withTimeout('the cancellation', DEADLINE, end)) as Error).name, 'AbortError');
    await new Promise(setImmediate);
    assert.deepEqual(said, []);
    await watched.close();
  });
});
