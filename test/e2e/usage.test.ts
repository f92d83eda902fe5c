// The usage of a proxy's clients, which only windows of the same user can read.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type OpenAI from 'openai';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { CHALLENGE_HEADER, REPORT_HEADER, REQUEST_HEADERS, WINDOW_HEADER } from '../../src/shared/ownership.ts';
import { authenticateChallenge, makeChallenge, makeRequest, openReport } from '../../src/shared/ownership.ts';
import type { ProxyReport } from '../../src/shared/ownership.ts';
import { DIRECT, UNKNOWN } from '../../src/shared/usage.ts';
import type { KeyUsage, Outcomes } from '../../src/shared/usage.ts';
import { VerifiedConnection } from '../../src/supervisor/localProxy.ts';
import { MODEL, chatBody } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import { openResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';

const SECRET = randomBytes(32);
const OTHER_KEY = `sealed-${'another_key'.repeat(4).slice(0, 43)}`;
const NONE: Outcomes = { answered: 0, refused: 0, failed: 0, broken: 0, cancelled: 0 };
const user = (content: string) => ({ role: 'user', content }) as const;
const idOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 16);

describe('The usage of a proxy', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let proxy: InternalProxy;
  let client: OpenAI;
  let begin: number;

  beforeEach(async () => {
    begin = Date.now();
    enclave = await scope.enclave();
    const settings = { PROXY_ACCESS_KEYS: `${ACCESS_KEY},${OTHER_KEY}` };
    proxy = await scope.internalProxy(enclave, settings, { ownership: SECRET });
    client = openaiClient(proxy);
  });

  const usage = async () => {
    const connection = new VerifiedConnection(proxy.port, SECRET);
    try {
      assert.equal((await connection.probe()).kind, 'own');
      return await connection.usage();
    } finally {
      connection.end();
    }
  };
  const usageOf = async (caller: string): Promise<KeyUsage> => {
    const { keys } = await usage();
    const found = keys.find((key) => key.caller === caller);
    assert.ok(found, JSON.stringify(keys));
    return found;
  };
  const outcomes = async (caller = idOf(ACCESS_KEY)) => (await usageOf(caller)).outcomes;
  const tokens = async () => {
    const { tokensIn, tokensOut, counted } = await usageOf(idOf(ACCESS_KEY));
    return { tokensIn, tokensOut, counted };
  };
  const stream = async (content: string, include_usage: boolean) => {
    const options = { stream: true, stream_options: { include_usage } } as const;
    const response = await client.chat.completions.create({ model: MODEL, messages: [user(content)], ...options });
    let last;
    for await (const chunk of response) last = chunk.usage ?? last;
    return last;
  };

  it('is empty when the proxy has started', async () => {
    const { since, keys } = await usage();
    assert.ok(since >= begin && since <= Date.now());
    assert.deepEqual(keys, []);
  });

  it('counts the tokens that responses report: streamed, complete, and embeddings', async () => {
    const streamed = await stream('Tell me of the sea', true);
    const once = { tokensIn: streamed?.prompt_tokens, tokensOut: streamed?.completion_tokens, counted: 1 };
    assert.deepEqual(await tokens(), once);

    const complete = await client.chat.completions.create({ model: MODEL, messages: [user('Tell me of the sea')] });
    assert.deepEqual(complete.usage, streamed);
    const twice = { tokensIn: 2 * (once.tokensIn ?? 0), tokensOut: 2 * (once.tokensOut ?? 0), counted: 2 };
    assert.deepEqual(await tokens(), twice);

    const embedded = await client.embeddings.create({ model: 'nomic-embed-text', input: 'the sea' });
    const both = { ...twice, tokensIn: twice.tokensIn + embedded.usage.prompt_tokens, counted: 3 };
    assert.deepEqual(await tokens(), both);

    await client.models.list();
    assert.deepEqual(await tokens(), both);
    assert.deepEqual(await outcomes(), { ...NONE, answered: 4 });
  });

  it('counts no tokens of a stream that does not report them, regardless of its text', async () => {
    await stream('{"usage":{"prompt_tokens":999,"completion_tokens":999}} data: {"usage":{"prompt_tokens":9}}', false);
    assert.deepEqual(await tokens(), { tokensIn: 0, tokensOut: 0, counted: 0 });
    assert.deepEqual(await outcomes(), { ...NONE, answered: 1 });
  });

  it('is separate for each access key', async () => {
    await client.models.list();
    for (const key of [OTHER_KEY, OTHER_KEY, 'dev-own-key-of-a-client']) await openaiClient(proxy, key).models.list();
    assert.deepEqual(await outcomes(), { ...NONE, answered: 1 });
    assert.deepEqual(await outcomes(idOf(OTHER_KEY)), { ...NONE, answered: 2 });
    assert.deepEqual(await outcomes(DIRECT), { ...NONE, answered: 1 });
    const { keys } = await usage();
    assert.equal(keys.length, 3);
  });

  it('counts errors of the proxy separately from those of the backend', async () => {
    await assert.rejects(stream('/status 429', true), { status: 429 });
    assert.equal((await sendRequest(proxy.url, { headers: { 'content-length': '99999999' } })).status, 413);
    assert.deepEqual(await outcomes(), { ...NONE, failed: 1, refused: 1 });
    for (const key of [null, `sealed-${'x'.repeat(43)}`]) {
      assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models', key })).status, 401);
    }
    assert.deepEqual(await outcomes(UNKNOWN), { ...NONE, refused: 2 });
  });

  it('counts broken and missing responses', async () => {
    enclave.setFaults('early-end');
    await assert.rejects(stream('Hello', true));
    await enclave.close();
    await assert.rejects(stream('Hello', true), { status: 502 });
    const { outcomes, tokensOut, firstByte } = await usageOf(idOf(ACCESS_KEY));
    assert.deepEqual([outcomes, tokensOut], [{ ...NONE, broken: 2 }, 0]);
    assert.ok(firstByte !== null && firstByte > 0);
  });

  it('counts a stream that its client has left as cancelled', async () => {
    const response = await openResponse(proxy.url, { body: chatBody('/stall 1', { stream: true }) });
    response.on('error', () => undefined).destroy();
    await proxy.log.find('the end of the request', ({ end }) => end === 'client-gone');
    assert.deepEqual(await outcomes(), { ...NONE, cancelled: 1 });
  });

  for (const { name, replyPath, countPath, modelsPath, body, ask, stream: streamOne } of DIALECTS_UNDER_TEST) {
    it(`counts requests of the ${name} dialect, and the tokens of all their responses`, async () => {
      await streamOne(proxy, 'Tell me of the sea');
      const once = await tokens();
      assert.ok(once.tokensIn > 0 && once.tokensOut > 0 && once.counted === 1);
      await ask(proxy, 'Tell me of the sea');
      assert.deepEqual(await tokens(), { tokensIn: 2 * once.tokensIn, tokensOut: 2 * once.tokensOut, counted: 2 });
      await sendRequest(proxy.url, { path: countPath, body: body('Hello') });
      await sendRequest(proxy.url, { method: 'GET', path: modelsPath });
      assert.deepEqual(await outcomes(), { ...NONE, answered: 4 });
      assert.equal((await tokens()).counted, 2);

      for (const text of ['{', body('/status 429'), body('/broken 2'), body('/fail 2', { stream: true })]) {
        await sendRequest(proxy.url, { path: replyPath, body: text });
      }
      const stalled = await openResponse(proxy.url, { path: replyPath, body: body('/stall 1', { stream: true }) });
      stalled.on('error', () => undefined).destroy();
      await proxy.log.find('the end of the request', ({ end }) => end === 'client-gone');
      // Without a stream, `/broken` has the status 502.
      assert.deepEqual(await outcomes(), { answered: 4, refused: 1, failed: 2, broken: 1, cancelled: 1 });
    });
  }

  it('contains the time to the first byte of a response', async () => {
    await stream('/wait 300 Hello', true);
    const { firstByte, lastAt } = await usageOf(idOf(ACCESS_KEY));
    assert.ok(firstByte !== null && firstByte >= 300, `${firstByte} ms`);
    assert.ok(lastAt <= Date.now());
  });

  it('contains no prompt, no response and no key', async () => {
    await stream('a word that is a secret', true);
    const text = JSON.stringify(await usage());
    for (const secret of ['secret', ACCESS_KEY, 'sealed-', 'dev-']) assert.ok(!text.includes(secret), text);
  });

  it('is not requested before the proof', async () => {
    const connection = new VerifiedConnection(proxy.port, SECRET);
    await assert.rejects(connection.usage(), /has not been authenticated/);
    connection.end();
  });

  it('is not returned without the secret, or with a request for another process', async () => {
    await client.models.list();
    const { body: health } = await sendRequest(proxy.url, { method: 'GET', path: '/health', key: null });
    const report = await reportOf(proxy);
    const right = makeRequest('usage', SECRET, report);
    const request = (value: string | string[], { url } = proxy, method = 'GET', path = '/health') =>
      sendRequest(url, { method, path, key: ACCESS_KEY, headers: { [REQUEST_HEADERS.usage]: value } });
    for (const wrong of [
      '',
      'x',
      makeRequest('usage', randomBytes(32), report),
      makeRequest('usage', SECRET, { ...report, instance: 'A'.repeat(43) }),
      makeRequest('usage', SECRET, { ...report, port: report.port + 1 }),
      makeRequest('release', SECRET, report),
      [right, right],
    ]) {
      assert.deepEqual((await request(wrong)).body, health, String(wrong));
    }
    assert.equal((await request(right, proxy, 'POST')).status, 405);
    assert.equal((await request(right, proxy, 'HEAD')).body.length, 0);
    assert.doesNotMatch((await request(right, proxy, 'GET', '/v1/models')).body.toString(), /tokensIn/);
    assert.match((await request(right)).body.toString(), /tokensIn/);
    proxy.setKeys({ apiKey: null, accessKeys: [], ownership: null });
    assert.deepEqual((await request(right)).body, health);
  });

  it('is not returned by a proxy on the command line', async () => {
    const { url, port } = await scope.proxy(enclave);
    const headers = { [REQUEST_HEADERS.usage]: makeRequest('usage', new Uint8Array(32), { instance: '', port }) };
    const withHeaders = await sendRequest(url, { method: 'GET', path: '/health', headers });
    const plain = await sendRequest(url, { method: 'GET', path: '/health' });
    assert.deepEqual(withHeaders.body, plain.body);
  });
});

async function reportOf({ url, port }: InternalProxy): Promise<ProxyReport> {
  const challenge = makeChallenge();
  const response = await sendRequest(url, {
    method: 'GET',
    path: '/health',
    headers: { [CHALLENGE_HEADER]: challenge, [WINDOW_HEADER]: authenticateChallenge(SECRET, challenge, port) },
  });
  const [sealed = ''] = response.headers[REPORT_HEADER] ?? [];
  const report = openReport(SECRET, challenge, port, sealed);
  assert.ok(report);
  return report;
}
