// What an operator allows each client: until when, which models, and how much in a minute.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { createAccessKey } from '../../src/shared/accessKeys.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { openResponse, sendRequest } from '../support/e2e/httpClient.ts';
import type { RequestOptions } from '../support/e2e/httpClient.ts';
import { assertError } from '../support/e2e/proxyErrors.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const LINES = {
  expired: 'expires=2026-01-31',
  valid: 'expires=2999-12-31',
  writer: 'models=gemma4-31b,nomic-embed-text',
  busy: 'requests=2/min',
  thrifty: 'tokens=50/min',
  leaver: 'tokens=50/min',
  lister: 'tokens=50/min',
  dialects: 'models=gemma4-31b tokens=50/min',
};
type Client = keyof typeof LINES;

describe('The limits of a client', () => {
  const scope = perSuite();
  const folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-limits-'));
  const file = join(folder, 'access-keys');
  const names = Object.keys(LINES) as Client[];
  const keys = Object.fromEntries(names.map((name) => [name, createAccessKey()])) as Record<Client, string>;
  const text = names.map((name) => `${name}=${keys[name]}   ${LINES[name]} # a comment\n`).join('');
  let proxy: ServerProcess;
  let enclave: RunningEnclave;

  before(async () => {
    writeFileSync(file, text);
    enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }) });
    proxy = await scope.proxy(enclave, { PROXY_ACCESS_KEYS: '', PROXY_ACCESS_KEYS_FILE: file });
    await proxy.logged('session');
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Sends a request with the key of this client; also returns its line in the log. */
  const send = async (client: Client, request: RequestOptions = { body: chatBody('Hello') }) => {
    const logged = proxy.stderr.items.length;
    const response = await sendRequest(proxy.url, { ...request, key: keys[client] });
    return { response, line: await proxy.logged('request', {}, logged) };
  };
  const dialectBody = (model: string) =>
    JSON.stringify({ model, max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] });

  it('end with the last day of an access key', async () => {
    assert.equal((await send('valid')).response.status, 200);
    const { response, line } = await send('expired');
    const message = /^This access key was valid until the end of 2026-01-31 \(UTC\)\. Ask the operator/;
    assertError(response, { status: 401, type: 'invalid_request_error', code: 'invalid_api_key', message });
    assert.deepEqual([line['client'], line['reason']], ['expired', 'expired_access_key']);
  });

  it('let a request with another model not leave the computer, however long it is', async () => {
    const sent = enclave.journal.requests.length;
    const long = 'word '.repeat(2_000_000);
    for (const body of [chatBody('Hello'), chatBody(long), '{"model":"gemma4-31b","mod\\u0065l":"glm-5-2"}', '']) {
      const { response, line } = await send('writer', { body });
      const message = /^This access key may be used only for gemma4-31b, nomic-embed-text\./;
      assertError(response, { status: 403, type: 'invalid_request_error', code: 'model_not_allowed', message });
      assert.deepEqual([line['client'], line['end']], ['writer', 'model_not_allowed']);
    }
    const others = { path: '/v1/embeddings', body: JSON.stringify({ model: 'another-embedding', input: 'Hello' }) };
    assert.equal((await send('writer', others)).response.status, 403);
    assert.equal(enclave.journal.requests.length, sent);
    const allowed = chatBody('Hello', { model: 'gemma4-31b' });
    assert.equal((await send('writer', { body: allowed })).response.status, 200);
    assert.equal((await send('writer', { method: 'GET', path: '/v1/models' })).response.status, 200);
    const embedding = JSON.stringify({ model: 'nomic-embed-text', input: 'Hello' });
    assert.equal((await send('writer', { path: '/v1/embeddings', body: embedding })).response.status, 200);
  });

  it('let no request leave the computer in which the backend could find a model elsewhere', async () => {
    const sent = enclave.journal.requests.length;
    const body = chatBody('&model=glm-5-2&', { model: 'gemma4-31b' });
    const requests: RequestOptions[] = [
      { path: '/v1/chat/completions?model=glm-5-2' },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { headers: { 'content-type': 'application/json; charset=utf-7' } },
      { headers: { 'content-type': ['application/json', 'application/x-www-form-urlencoded'] } },
      { headers: { 'content-encoding': 'br' } },
      { headers: { 'content-encoding': ['identity', 'br'] } },
    ];
    for (const request of requests) {
      const { response, line } = await send('writer', { body, ...request });
      const message = /^This access key may be used only for some models, so the proxy must be able to read/;
      assertError(response, { status: 403, type: 'invalid_request_error', code: 'model_not_allowed', message });
      assert.deepEqual([line['client'], line['reason']], ['writer', 'unreadable_model']);
    }
    assert.equal(enclave.journal.requests.length, sent);
    for (const type of ['application/json', 'Application/JSON; charset="UTF-8"']) {
      assert.equal((await send('writer', { body, headers: { 'content-type': type } })).response.status, 200);
    }
  });

  it('apply to the model that a dialect leads to', async () => {
    const path = '/anthropic/v1/messages';
    const refused = await send('dialects', { path, body: dialectBody('glm-5-2') });
    assert.equal(refused.response.status, 403);
    assert.match(
      refused.response.body.toString(),
      /"type":"permission_error","message":"This access key may be used only/,
    );
    assert.equal(refused.line['end'], 'model_not_allowed');
    const allowed = await send('dialects', { path, body: dialectBody('gemma4-31b') });
    assert.equal(allowed.response.status, 200);
  });

  it('count requests, and say when the client may try again', async () => {
    for (let i = 0; i < 2; i++) assert.equal((await send('busy')).response.status, 200);
    const { response, line } = await send('busy');
    const message = /^This client may use 2 requests in a minute, and has used them\. Try again in \d+ seconds\.$/;
    assertError(response, { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded', message });
    const [wait = ''] = response.headers['retry-after'] ?? [];
    assert.ok(Number(wait) >= 1 && Number(wait) <= 60, wait);
    assert.deepEqual([line['client'], line['reason']], ['busy', 'requests_limit']);
  });

  it('count no tokens for what no model answers', async () => {
    const count = { path: '/anthropic/v1/messages/count_tokens', body: dialectBody('gemma4-31b') };
    for (let i = 0; i < 5; i++) {
      assert.equal((await send('lister', { method: 'GET', path: '/v1/models' })).response.status, 200);
      assert.equal((await send('lister', { method: 'GET', path: '/anthropic/v1/models' })).response.status, 200);
      assert.equal((await send('lister', count)).response.status, 200);
    }
  });

  it('count the tokens that the backend reports', async () => {
    const { response } = await send('thrifty', { body: chatBody('word '.repeat(100)) });
    assert.equal(response.status, 200);
    const second = await send('thrifty');
    assert.equal(second.response.status, 429);
    assert.match(second.response.body.toString(), /50 tokens in a minute/);
    assert.equal(second.line['reason'], 'tokens_limit');
  });

  it('count about as many tokens for a stream that the client cuts off', async () => {
    const body = chatBody(`/repeat 500 ${'word '.repeat(300)}`, { stream: true });
    const logged = proxy.stderr.items.length;
    const response = await openResponse(proxy.url, { body, key: keys.leaver });
    response.once('data', () => response.destroy());
    await proxy.logged('request', { end: 'client-gone' }, logged);
    assert.equal((await send('leaver')).response.status, 429);
  });

  it('are those of the new file when the keys are loaded again', async () => {
    writeFileSync(file, text.replace('requests=2/min', 'requests=1/min'));
    await proxy.logged('keys_reloaded');
    await send('busy');
    assert.match((await send('busy')).response.body.toString(), /This client may use 1 request in a minute/);
  });

  it('are refused with the line if they are not valid, and the previous ones stay in use', async () => {
    const logged = proxy.stderr.items.length;
    writeFileSync(file, text.replace('requests=2/min', 'requests=2/hour'));
    const { reason } = await proxy.logged('keys_not_reloaded', {}, logged);
    assert.match(
      String(reason),
      /access-keys, line 4: requests: it must be a whole number from 1 to 999999999999 and \/min/,
    );
    assert.equal((await send('valid')).response.status, 200);
  });
});
