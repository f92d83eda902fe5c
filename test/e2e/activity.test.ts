// The latest requests of a proxy's clients, which only windows of the same user can read.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type OpenAI from 'openai';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { RequestRecord } from '../../src/shared/activity.ts';
import { CHALLENGE_HEADER, REPORT_HEADER, REQUEST_HEADERS, WINDOW_HEADER } from '../../src/shared/ownership.ts';
import { authenticateChallenge, makeChallenge, makeRequest, openReport } from '../../src/shared/ownership.ts';
import type { ProxyReport } from '../../src/shared/ownership.ts';
import { DIRECT, UNKNOWN } from '../../src/shared/usage.ts';
import { VerifiedConnection, withConnection } from '../../src/supervisor/localProxy.ts';
import { MODEL, PLAIN_MODEL, chatBody } from '../support/e2e/chat.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import { openResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import type { InternalProxy } from '../support/e2e/scope.ts';

const SECRET = randomBytes(32);
const OTHER_KEY = `sealed-${'another_key'.repeat(4).slice(0, 43)}`;
const user = (content: string) => ({ role: 'user', content }) as const;
const idOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 16);

describe('The activity of a proxy', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let proxy: InternalProxy;
  let client: OpenAI;

  beforeEach(async () => {
    enclave = await scope.enclave();
    const settings = { PROXY_ACCESS_KEYS: `${ACCESS_KEY},${OTHER_KEY}` };
    proxy = await scope.internalProxy(enclave, settings, { ownership: SECRET });
    client = openaiClient(proxy);
  });

  const activity = (cursor = 0) => withConnection(proxy.port, SECRET, (connection) => connection.activity(cursor));
  const last = async (): Promise<RequestRecord> => (await activity()).finished.at(-1) ?? assert.fail('no request');
  const outcomes = async () => (await activity()).finished.map(({ outcome }) => outcome);
  const tokensOf = ({ tokensIn, tokensOut }: RequestRecord) => ({ tokensIn, tokensOut });
  const stream = async (content: string, include_usage: boolean) => {
    const options = { stream: true, stream_options: { include_usage } } as const;
    const response = await client.chat.completions.create({ model: MODEL, messages: [user(content)], ...options });
    let usage;
    for await (const chunk of response) usage = chunk.usage ?? usage;
    return { tokensIn: usage?.prompt_tokens ?? null, tokensOut: usage?.completion_tokens ?? null };
  };

  it('is empty when the proxy has started, and names its process', async () => {
    const { instance } = await reportOf(proxy);
    assert.deepEqual(await activity(), { instance, running: [], finished: [], cursor: 0 });
  });

  it('has the model and the tokens that responses report: streamed, complete, and embeddings', async () => {
    const begin = Date.now();
    const streamed = await stream('Tell me of the sea', true);
    const { at, firstByteMs, durationMs, ...record } = await last();
    assert.ok(at >= begin && firstByteMs !== null && firstByteMs <= durationMs && at + durationMs <= Date.now() + 1);
    assert.deepEqual(record, {
      ...{ id: 1, caller: idOf(ACCESS_KEY), method: 'POST', path: '/v1/chat/completions', model: MODEL },
      ...{ isCheck: false, requestedModel: MODEL, isUnsent: false, detail: null },
      ...{ ...streamed, tokensCached: null, status: 200, outcome: 'answered', end: 'complete' },
    });

    const complete = await client.chat.completions.create({ model: MODEL, messages: [user('Tell me of the sea')] });
    assert.equal(complete.usage?.prompt_tokens, streamed.tokensIn);
    const second = await last();
    assert.deepEqual([second.id, second.model, tokensOf(second)], [2, MODEL, streamed]);

    const embedded = await client.embeddings.create({ model: 'nomic-embed-text', input: 'the sea' });
    const third = await last();
    assert.deepEqual([third.path, third.model], ['/v1/embeddings', 'nomic-embed-text']);
    assert.deepEqual(tokensOf(third), { tokensIn: embedded.usage.prompt_tokens, tokensOut: 0 });

    await client.models.list();
    const list = await last();
    assert.deepEqual([list.method, list.path, list.model, list.tokensIn], ['GET', '/v1/models', null, null]);
  });

  it('has no tokens of a stream that does not report them, regardless of its text', async () => {
    const text = '{"model":"x","usage":{"prompt_tokens":999}} data: {"model":"x","usage":{"prompt_tokens":9}}';
    await stream(text, false);
    const record = await last();
    assert.deepEqual(
      [record.outcome, record.model, record.tokensIn, record.tokensOut],
      ['answered', MODEL, null, null],
    );
  });

  it('tells callers apart by their keys, and has requests without a valid one', async () => {
    for (const key of [ACCESS_KEY, OTHER_KEY, 'dev-own-key-of-a-client']) await openaiClient(proxy, key).models.list();
    for (const key of [null, `sealed-${'x'.repeat(43)}`])
      assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models', key })).status, 401);
    const { finished } = await activity();
    const callers = [idOf(ACCESS_KEY), idOf(OTHER_KEY), DIRECT, UNKNOWN, UNKNOWN];
    assert.deepEqual(
      finished.map(({ caller }) => caller),
      callers,
    );
    assert.deepEqual(
      finished.slice(2).map(({ status, outcome }) => [status, outcome]),
      [
        [200, 'answered'],
        [401, 'refused'],
        [401, 'refused'],
      ],
    );
  });

  it('has no request that is refused before its key is checked, and none of windows', async () => {
    await sendRequest(proxy.url, { method: 'GET', path: '/elsewhere' });
    await sendRequest(proxy.url, { method: 'DELETE', path: '/v1/models' });
    await sendRequest(proxy.url, { method: 'GET', path: '/v1/models', headers: { host: 'attacker.example' } });
    await sendRequest(proxy.url, { method: 'GET', path: '/health' });
    await activity();
    assert.deepEqual((await activity()).finished, []);
  });

  it('has the errors of the proxy and of the backend, and broken and missing responses', async () => {
    await assert.rejects(stream('/status 429', true), { status: 429 });
    assert.equal((await sendRequest(proxy.url, { headers: { 'content-length': '99999999' } })).status, 413);
    enclave.setFaults('early-end');
    await assert.rejects(stream('Hello', true));
    await enclave.close();
    await assert.rejects(stream('Hello', true), { status: 502 });
    const { finished } = await activity();
    assert.deepEqual(
      finished.map(({ outcome, status }) => [outcome, status]),
      [
        ['failed', 429],
        ['refused', 413],
        ['broken', 200],
        ['broken', 502],
      ],
    );
    const [failed, , broken] = finished;
    assert.deepEqual([failed?.end, failed?.firstByteMs, broken?.tokensOut], ['complete', null, null]);
    assert.notEqual(broken?.end, 'complete');
    assert.ok(Number(broken?.firstByteMs) > 0);
  });

  it('has a running request with what is known of it, and then its end', async () => {
    const response = await openResponse(proxy.url, { body: chatBody('/stall 1', { stream: true }) });
    await once(response, 'data');
    const { running, finished, cursor } = await activity();
    assert.deepEqual(finished, []);
    const [{ status, model, outcome, end, firstByteMs, durationMs } = assert.fail()] = running;
    assert.deepEqual([status, model, outcome, end], [200, PLAIN_MODEL, null, '']);
    assert.ok(firstByteMs !== null && firstByteMs <= durationMs);
    response.on('error', () => undefined).destroy();
    await proxy.log.find('the end of the request', (line) => line['end'] === 'client-gone');
    const next = await activity(cursor);
    assert.deepEqual(
      [next.running, next.finished.map((record) => [record.id, record.outcome, record.end])],
      [[], [[1, 'cancelled', 'client-gone']]],
    );
    assert.deepEqual((await activity(next.cursor)).finished, []);
  });

  it('says that a request was not sent if the backend cannot be reached, as the error for its client does', async () => {
    await enclave.close();
    const requests = [
      { path: '/v1/chat/completions', body: chatBody('Hello') },
      ...DIALECTS_UNDER_TEST.map(({ replyPath, body }) => ({ path: replyPath, body: body('Hello') })),
    ];
    for (const request of requests) {
      const { status, body } = await sendRequest(proxy.url, request);
      assert.equal(status, 502);
      assert.match(body.toString(), /Your prompt was not sent\./);
    }
    const { finished } = await activity();
    assert.deepEqual(
      finished.map(({ path, isUnsent }) => [path, isUnsent]),
      requests.map(({ path }) => [path, true]),
    );
  });

  for (const { name, replyPath, countPath, modelsPath, body, ask, stream: streamOne } of DIALECTS_UNDER_TEST) {
    it(`has the requests of the ${name} dialect, with the model and the tokens of the response behind them`, async () => {
      await streamOne(proxy, 'Tell me of the sea');
      const streamed = await last();
      assert.deepEqual([streamed.path, streamed.model], [replyPath, PLAIN_MODEL]);
      assert.ok(Number(streamed.tokensIn) > 0 && Number(streamed.tokensOut) > 0);
      await ask(proxy, 'Tell me of the sea');
      const complete = await last();
      assert.deepEqual([complete.model, tokensOf(complete)], [PLAIN_MODEL, tokensOf(streamed)]);
      await sendRequest(proxy.url, { path: countPath, body: body('Hello') });
      await sendRequest(proxy.url, { method: 'GET', path: modelsPath });
      const local = (await activity()).finished.slice(2).map(({ path, model, tokensIn }) => [path, model, tokensIn]);
      assert.deepEqual(local, [
        [countPath, null, null],
        [modelsPath, null, null],
      ]);
      for (const text of ['{', body('/status 429'), body('/broken 2'), body('/fail 2', { stream: true })])
        await sendRequest(proxy.url, { path: replyPath, body: text });
      // Without a stream, `/broken` has the status 502.
      const all = ['answered', 'answered', 'answered', 'answered', 'refused', 'failed', 'failed', 'broken'];
      assert.deepEqual(await outcomes(), all);
    });
  }

  it('cuts long names of models off, and stays readable with 500 of them', async () => {
    const name = '<b>\u001b[31m🜁'.repeat(200);
    const handler: ApiHandler = async (_request, response) => {
      response.start({ status: 200, headers: [{ name: 'content-type', value: 'application/json' }] });
      response.write(Buffer.from(JSON.stringify({ model: name })));
      response.end();
      return Promise.resolve();
    };
    proxy = await scope.internalProxy(await scope.enclave({ handler }), {}, { ownership: SECRET });
    for (let batch = 0; batch < 51; batch++)
      await Promise.all(
        Array.from({ length: 10 }, () => sendRequest(proxy.url, { body: chatBody('Hello', { model: name }) })),
      );
    const { finished, cursor } = await activity();
    assert.deepEqual([finished.length, cursor], [500, 510]);
    const expected = Array.from(name).slice(0, 200).join('');
    for (const { model, requestedModel } of finished) assert.deepEqual([model, requestedModel], [expected, expected]);
  });

  it('contains no prompt, no response and no key', async () => {
    await stream('a word that is a secret', true);
    const text = JSON.stringify(await activity());
    for (const secret of ['secret', ACCESS_KEY, 'sealed-', 'dev-']) assert.ok(!text.includes(secret), text);
  });

  it('is not requested before the proof', async () => {
    const connection = new VerifiedConnection(proxy.port, SECRET);
    await assert.rejects(connection.activity(0), /has not been authenticated/);
    connection.end();
  });

  it('is not returned without the secret, or with a request for another process', async () => {
    await client.models.list();
    const { body: health } = await sendRequest(proxy.url, { method: 'GET', path: '/health', key: null });
    const report = await reportOf(proxy);
    const right = makeRequest('activity', SECRET, report);
    const request = (value: string | string[], { url } = proxy, method = 'GET', path = '/health') =>
      sendRequest(url, { method, path, key: ACCESS_KEY, headers: { [REQUEST_HEADERS.activity]: value } });
    for (const wrong of [
      '',
      'x',
      makeRequest('activity', randomBytes(32), report),
      makeRequest('activity', SECRET, { ...report, instance: 'A'.repeat(43) }),
      makeRequest('activity', SECRET, { ...report, port: report.port + 1 }),
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

  it('cannot be read from another program, which answers with something else', async () => {
    const connection = new VerifiedConnection(proxy.port, SECRET);
    await connection.probe();
    proxy.setKeys({ apiKey: null, accessKeys: [], ownership: null }); // as of an older proxy: the plain health response
    await assert.rejects(connection.activity(0), /The proxy did not send its requests/);
    connection.end();
  });

  it('is not returned by a proxy on the command line', async () => {
    const { url, port } = await scope.proxy(enclave);
    const headers = { [REQUEST_HEADERS.activity]: makeRequest('activity', new Uint8Array(32), { instance: '', port }) };
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
