// The ID by which a user can find a request of the Messages dialect in the log.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { MODEL, PLAIN_MODEL } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST, anthropicClient } from '../support/e2e/dialects.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import type { ClientResponse, RequestOptions } from '../support/e2e/httpClient.ts';
import { perSuite, serve } from '../support/e2e/scope.ts';

const ID = /^req_[0-9a-f]{32}$/;
const [MESSAGES, RESPONSES] = DIALECTS_UNDER_TEST;

describe('The ID of a request of the Messages dialect', () => {
  const served = serve(perSuite());

  const idOf = ({ headers }: Pick<ClientResponse, 'headers'>) => {
    const [id = '', ...others] = headers['request-id'] ?? [];
    assert.match(id, ID);
    assert.deepEqual(others, []);
    return id;
  };
  const post = (content: string, fields: object = {}, options: RequestOptions = {}) =>
    openResponse(served.proxy.url, { path: MESSAGES.replyPath, body: MESSAGES.body(content, fields), ...options });

  for (const [name, options, status] of [
    ['a response', {}, 200],
    ['a list of models', { method: 'GET', path: MESSAGES.modelsPath, body: '' }, 200],
    ['a count of tokens', { path: MESSAGES.countPath }, 200],
    ['an unknown key', { key: `sealed-${'x'.repeat(43)}` }, 401],
    ['an unknown path', { path: `${MESSAGES.replyPath}/x` }, 404],
    ['a foreign host', { headers: { host: 'example.com' } }, 403],
    ['a wrong method', { method: 'GET' }, 405],
    ['a body that is not JSON', { body: '{' }, 400],
  ] as const) {
    it(`is in the header of ${name} and in the log`, async () => {
      const response = await sendRequest(served.proxy.url, {
        ...{ path: MESSAGES.replyPath, body: MESSAGES.body('Hello') },
        ...options,
      });
      assert.equal(response.status, status);
      const id = idOf(response);
      if (status !== 200) assert.equal((response.json() as Anthropic.ErrorResponse).request_id, id);
      await served.proxy.logged('request', { requestId: id, status });
    });
  }

  it('is in the response that the backend refuses', async () => {
    const response = await readResponse(await post('/status 503'));
    assert.equal((response.json() as Anthropic.ErrorResponse).request_id, idOf(response));
  });

  it('is in a stream, in its error event and in the log', async () => {
    const response = await readResponse(await post('/fail 3', { stream: true }));
    const id = idOf(response);
    const [, json = ''] = /^event: error\ndata: (.*)$/m.exec(response.body.toString()) ?? [];
    assert.equal((JSON.parse(json) as Anthropic.ErrorResponse).request_id, id);
    await served.proxy.logged('request', { requestId: id, status: 200 });
  });

  it('has the same digits as the ID of the message, and is another one for each request', async () => {
    const client = anthropicClient(served.proxy);
    const params = { model: PLAIN_MODEL, max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const replies = await Promise.all([1, 2, 3].map(() => client.messages.create(params)));
    for (const { id, _request_id: requestId } of replies) assert.equal(requestId, id.replace('msg_', 'req_'));
    assert.equal(new Set(replies.map(({ id }) => id)).size, 3);
  });

  it('is in the errors of the official client', async () => {
    const body = { model: MODEL, max_tokens: 9, messages: [] };
    await assert.rejects(anthropicClient(served.proxy).messages.create(body), (error) => {
      assert.ok(error instanceof Anthropic.BadRequestError);
      assert.match(error.requestID ?? '', ID);
      return true;
    });
  });

  it('is not that of the client, and does not reach the enclave', async () => {
    const start = served.enclave.journal.requests.length;
    const sent = `req_${'0'.repeat(32)}`;
    const response = await readResponse(await post('Hello', {}, { headers: { 'request-id': sent } }));
    const id = idOf(response);
    assert.notEqual(id, sent);
    const received = served.enclave.journal.requests.slice(start).flatMap(({ headers }) => headers);
    assert.ok(received.every(({ name }) => name !== 'request-id'));
  });

  it('is in the log for Responses too, with the digits of the ID of the response', async () => {
    const response = await sendRequest(served.proxy.url, { path: RESPONSES.replyPath, body: RESPONSES.body('Hello') });
    const { id } = response.json() as { id: string };
    assert.equal(response.headers['request-id'], undefined);
    await served.proxy.logged('request', { requestId: id.replace('resp_', 'req_') });
  });

  it('is only x-request-id below /v1', async () => {
    const logged = served.proxy.stderr.items.length;
    const response = await sendRequest(served.proxy.url, { method: 'GET', path: '/v1/models' });
    assert.equal(response.headers['request-id'], undefined);
    const { requestId } = await served.proxy.logged('request', { path: '/v1/models' }, logged);
    assert.deepEqual(response.headers['x-request-id'], [requestId]);
  });
});
