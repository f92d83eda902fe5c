// The metrics of a proxy, as Prometheus reads them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT_PCR0 } from '../../src/devEnclave/attestation/document.ts';
import { createTlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { createMetrics } from '../../src/proxy/metrics/metrics.ts';
import { createAccessKey } from '../../src/shared/accessKeys.ts';
import { toHex } from '../../src/shared/bytes.ts';
import { MODEL, PLAIN_MODEL, chatBody } from '../support/e2e/chat.ts';
import { openResponse, readResponse, sendRequest } from '../support/e2e/httpClient.ts';
import type { ClientResponse, RequestOptions } from '../support/e2e/httpClient.ts';
import { itWithSignals } from '../support/e2e/platforms.ts';
import { runToEnd } from '../support/e2e/process.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { API_KEY, perTest } from '../support/e2e/scope.ts';
import type { ServerProcess, Settings } from '../support/e2e/scope.ts';
import { Metrics } from '../support/prometheusText.ts';
import { eventually } from '../support/withTimeout.ts';

const [ALICE, BOB, UNNAMED, UNKNOWN] = [createAccessKey(), createAccessKey(), createAccessKey(), createAccessKey()];
const REQUESTS = 'sealed_proxy_requests_total';
const DURATIONS = 'gen_ai_client_operation_duration_seconds_count';
const TOKENS = 'gen_ai_client_token_usage_sum';

interface Measured {
  readonly proxy: ServerProcess;
  /** Of the listener for metrics. */
  readonly url: string;
}

function get(url: string, options: RequestOptions = {}): Promise<ClientResponse> {
  return sendRequest(url, { method: 'GET', path: '/metrics', key: null, ...options });
}

async function scrape(url: string): Promise<Metrics> {
  const { status, headers, body } = await get(url);
  assert.deepEqual([status, headers['content-type']], [200, ['text/plain; version=0.0.4; charset=utf-8']]);
  return new Metrics(body.toString());
}

/** The metrics as soon as so many requests are over: a client may have its response before the proxy has counted it. */
async function scrapeAfter(url: string, requests: number): Promise<Metrics> {
  let metrics = await scrape(url);
  await eventually(`${requests} requests in the metrics`, async () => {
    metrics = await scrape(url);
    return metrics.sum(REQUESTS) >= requests;
  });
  return metrics;
}

describe('The metrics', () => {
  const scope = perTest();

  const measure = async (proxy: ServerProcess): Promise<Measured> => {
    const { port } = await proxy.logged('metrics');
    return { proxy, url: `http://127.0.0.1:${String(port)}` };
  };

  const start = async (settings: Settings = {}, faults = ''): Promise<Measured> => {
    const enclave = await scope.enclave({ handler: createModel({ paceMs: 20 }), faults });
    const keys = { PROXY_ACCESS_KEYS: `alice=${ALICE},bob=${BOB},${UNNAMED}` };
    return measure(await scope.proxy(enclave, { PROXY_METRICS_PORT: '0', ...keys, ...settings }));
  };

  const chat = (proxy: ServerProcess, key: string, fields: object = {}, content = 'one two three') =>
    sendRequest(proxy.url, { key, body: chatBody(content, fields) });

  it('count requests, tokens and times by client, model and route', async () => {
    const { proxy, url } = await start();
    assert.equal((await chat(proxy, ALICE)).status, 200);
    assert.equal(
      (await chat(proxy, ALICE, { model: MODEL, stream: true, stream_options: { include_usage: true } })).status,
      200,
    );
    const messages = JSON.stringify({
      model: MODEL,
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    assert.equal(
      (await sendRequest(proxy.url, { path: '/anthropic/v1/messages', key: BOB, body: messages })).status,
      200,
    );
    const embeddings = JSON.stringify({ model: 'nomic-embed-text', input: 'Hello' });
    assert.equal(
      (await sendRequest(proxy.url, { path: '/v1/embeddings', key: UNNAMED, body: embeddings })).status,
      200,
    );
    assert.equal((await sendRequest(proxy.url, { method: 'GET', path: '/v1/models', key: API_KEY })).status, 200);
    const metrics = await scrapeAfter(url, 5);
    const plain = { client: 'alice', gen_ai_request_model: PLAIN_MODEL, http_route: '/v1/chat/completions' };
    const answered = { http_response_status_code: '200', outcome: 'answered', error_type: undefined };
    for (const labels of [
      plain,
      { ...plain, gen_ai_request_model: MODEL },
      { client: 'bob', gen_ai_request_model: MODEL, http_route: '/anthropic/v1/messages' },
      { client: 'other', gen_ai_request_model: 'nomic-embed-text', http_route: '/v1/embeddings' },
      { client: 'direct', gen_ai_request_model: 'none', http_route: '/v1/models' },
    ]) {
      assert.equal(metrics.sum(REQUESTS, { ...labels, ...answered }), 1, JSON.stringify(labels));
    }
    assert.equal(metrics.sum(REQUESTS), 5);
    assert.equal(metrics.sum(DURATIONS, { gen_ai_operation_name: 'chat' }), 3);
    assert.equal(metrics.sum(DURATIONS, { gen_ai_operation_name: 'embeddings' }), 1);
    assert.equal(metrics.sum(DURATIONS), 4, 'a list of models is not an operation');
    const input = metrics.sum(TOKENS, { ...plain, gen_ai_token_type: 'input' });
    const output = metrics.sum(TOKENS, { ...plain, gen_ai_token_type: 'output' });
    assert.ok(input > 0 && output >= 3, `${input} ${output}`);
    const first = metrics.sum('gen_ai_client_operation_time_to_first_chunk_seconds_count', {
      client: 'alice',
      gen_ai_request_model: MODEL,
    });
    assert.equal(first, 1);
  });

  it('never contain a key, a prompt, or a name that a client chose', async () => {
    const { proxy, url } = await start();
    const sealed = [API_KEY, ALICE, BOB, UNNAMED, UNKNOWN, 'dev-of-a-client'];
    assert.equal((await chat(proxy, ALICE, { model: ALICE })).status, 400);
    await chat(proxy, ALICE, { model: 'my-secret-model' }, 'my secret prompt');
    await chat(proxy, 'dev-of-a-client', {}, 'my secret prompt');
    await chat(proxy, UNKNOWN);
    await chat(proxy, 'not-a-key');
    await sendRequest(proxy.url, { path: `/v1/${UNKNOWN}`, key: BOB });
    await sendRequest(proxy.url, { method: 'GET', path: `/anthropic/v1/models/${UNKNOWN}`, key: BOB });
    await sendRequest(proxy.url, { method: 'PATCH', key: BOB });
    const metrics = await scrapeAfter(url, 8);
    for (const secret of [...sealed, 'secret', 'one two three', 'not-a-key', 'PATCH']) {
      assert.ok(!metrics.text.includes(secret), secret);
    }
    for (const model of ['none', 'other']) {
      const ofAlice = { client: 'alice', gen_ai_request_model: model, outcome: 'failed' };
      assert.equal(metrics.sum(REQUESTS, ofAlice), 1, model); // a key is no name of a model
    }
    assert.equal(metrics.sum(REQUESTS, { client: 'none', outcome: 'refused', error_type: 'unknown_access_key' }), 1);
    assert.equal(metrics.sum(REQUESTS, { client: 'direct', outcome: 'failed', error_type: '401' }), 1);
    assert.equal(metrics.sum(REQUESTS, { http_route: 'other', error_type: '404' }), 1);
    assert.equal(metrics.sum(REQUESTS, { http_route: '/anthropic/v1/models/{id}' }), 1);
    assert.equal(metrics.sum(REQUESTS, { error_type: '405' }), 1);
    assert.deepEqual(metrics.values('client'), new Set(['alice', 'bob', 'direct', 'none']));
  });

  it('count requests of any end, but no probes and preflights', async () => {
    const { proxy, url } = await start();
    assert.equal((await sendRequest(proxy.url, { method: 'OPTIONS', key: null })).status, 204);
    for (const path of ['/health', '/ready', '/ready'])
      await sendRequest(proxy.url, { method: 'GET', path, key: null });
    await chat(proxy, ALICE, {}, '/status 503');
    await chat(proxy, ALICE, { stream: true }, '/fail 2');
    const stalled = await openResponse(proxy.url, { key: ALICE, body: chatBody('/stall 2', { stream: true }) });
    stalled.destroy();
    await sendRequest(proxy.url, { key: ALICE, headers: { host: 'rebound.example' }, body: chatBody('Hello') });
    const metrics = await scrapeAfter(url, 4);
    const count = (labels: Record<string, string | undefined>) => metrics.sum(REQUESTS, labels);
    assert.equal(count({ outcome: 'failed', error_type: '503' }), 1);
    assert.equal(count({ outcome: 'broken', error_type: 'enclave_error', http_response_status_code: '200' }), 1);
    assert.equal(count({ outcome: 'cancelled', error_type: undefined }), 1);
    assert.equal(count({ outcome: 'refused', error_type: 'forbidden_host', client: 'none' }), 1);
    assert.equal(count({}), 4);
    assert.equal(metrics.sum(DURATIONS), 3);
  });

  it('count what Node cannot parse', async () => {
    const { proxy, url } = await start();
    const long = await sendRequest(proxy.url, {
      method: 'GET',
      path: '/v1/models',
      headers: { x: 'x'.repeat(200_000) },
    });
    assert.equal(long.status, 431);
    const metrics = await scrapeAfter(url, 1);
    assert.equal(
      metrics.sum(REQUESTS, { http_route: 'other', client: 'none', outcome: 'refused', error_type: '431' }),
      1,
    );
  });

  it('count handshakes, and tell when the session ends', async () => {
    const { proxy, url } = await start({}, 'handshake-500:1');
    await proxy.logged('handshake_failed');
    const before = await scrape(url);
    assert.equal(before.sum('sealed_proxy_handshakes_total', { result: 'handshake_unavailable' }), 1);
    assert.equal(before.sum('sealed_proxy_handshakes_total'), 1);
    assert.equal(before.sum('sealed_proxy_session_remaining_seconds'), 0);
    assert.equal((await chat(proxy, ALICE)).status, 200);
    const after = await scrape(url);
    assert.equal(after.sum('sealed_proxy_handshakes_total', { result: 'success' }), 1);
    const remaining = after.sum('sealed_proxy_session_remaining_seconds');
    assert.ok(remaining > 3500 && remaining <= 3570, `${remaining}`);
    assert.deepEqual(after.find('sealed_proxy_certificate_remaining_seconds'), [], 'a development backend has none');
  });

  it('tell when the certificate of the enclave ends, and count changes of its image', async () => {
    const tls = createTlsIdentity(Date.now());
    const enclave = await scope.enclave({ tls, signed: { moduleId: 'i-1-enc2' } });
    const other = 'ab'.repeat(48);
    const observer = await createMetrics();
    const images = { PROXY_ADDITIONAL_PCR0: `${toHex(DEVELOPMENT_PCR0)},${other}` };
    const proxy = await scope.internalProxy(enclave, images, {
      network: { certificates: [tls.ca] },
      internals: { anchors: enclave.anchors },
      observer,
    });
    const ask = async () => {
      assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
      return new Metrics(await observer.text());
    };
    const before = await ask();
    const remaining = before.sum('sealed_proxy_certificate_remaining_seconds');
    assert.ok(remaining > 0 && remaining < 4 * 3600, `${remaining}`);
    const image = { approved_by: 'additional', environment: 'production' };
    assert.equal(before.sum('sealed_proxy_image_info', { ...image, pcr0: toHex(DEVELOPMENT_PCR0) }), 1);
    assert.equal(before.sum('sealed_proxy_image_changes_total'), 0);
    enclave.setImage(Buffer.from(other, 'hex'));
    enclave.dropSessions();
    const after = await ask();
    assert.equal(after.sum('sealed_proxy_image_changes_total'), 1);
    assert.deepEqual(
      after.find('sealed_proxy_image_info').map(({ labels }) => labels),
      [{ ...image, pcr0: other }],
    );
  });

  describe('with access keys in a file', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-metrics-'));
    });

    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('count what the limits of a client refuse', async () => {
      const path = join(folder, 'access-keys');
      writeFileSync(path, `alice=${ALICE} models=${MODEL} requests=2/min\n`);
      const { proxy, url } = await start({ PROXY_ACCESS_KEYS: '', PROXY_ACCESS_KEYS_FILE: path });
      assert.equal((await chat(proxy, ALICE)).status, 403);
      assert.equal((await chat(proxy, ALICE, { model: MODEL })).status, 200);
      assert.equal((await chat(proxy, ALICE)).status, 429);
      const metrics = await scrapeAfter(url, 3);
      for (const error of ['model_not_allowed', 'requests_limit']) {
        assert.equal(metrics.sum(REQUESTS, { client: 'alice', outcome: 'refused', error_type: error }), 1, error);
      }
    });

    it('know the new clients after a change, and no longer the previous ones', async () => {
      const path = join(folder, 'access-keys');
      writeFileSync(path, `alice=${ALICE}\n`);
      const { proxy, url } = await start({ PROXY_ACCESS_KEYS: '', PROXY_ACCESS_KEYS_FILE: path });
      const running = openResponse(proxy.url, { key: ALICE, body: chatBody('/repeat 100', { stream: true }) });
      const stream = await running;
      writeFileSync(path, `carol=${BOB}\n`);
      await proxy.logged('keys_reloaded');
      assert.equal((await chat(proxy, BOB)).status, 200);
      assert.equal((await readResponse(stream)).broken, false);
      const metrics = await scrapeAfter(url, 2);
      assert.equal(metrics.sum(REQUESTS, { client: 'carol' }), 1);
      assert.equal(metrics.sum(REQUESTS, { client: 'other' }), 1);
      assert.equal(metrics.sum(REQUESTS, { client: 'alice' }), 0);
    });
  });

  it('are served alone, to hosts that may use the proxy', async () => {
    const { url } = await start({ PROXY_ALLOWED_HOSTS: '*.svc.cluster.local' });
    for (const host of ['127.0.0.1', 'localhost:9464', 'proxy.default.svc.cluster.local:9464']) {
      assert.equal((await get(url, { headers: { host } })).status, 200, host);
    }
    assert.equal((await get(url, { headers: { host: 'rebound.example' } })).status, 403);
    for (const path of ['/', '/health', '/v1/models', '/metrics/', '/metricsx']) {
      assert.equal((await get(url, { path })).status, 404, path);
    }
    assert.equal((await get(url, { path: '/metrics?name[]=up' })).status, 200);
    const post = await get(url, { method: 'POST' });
    assert.deepEqual([post.status, post.headers['allow']], [405, ['GET']]);
  });

  it('are served although connections that send nothing have taken all places', async () => {
    const { url } = await start();
    const port = Number(new URL(url).port);
    const silent = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(port)));
    const isServed = async () => (await get(url).catch(() => undefined))?.status === 200;
    const milliseconds = await eventually('the metrics', isServed);
    assert.ok(milliseconds < 60_000, `${milliseconds} ms`); // Node's own limit
    for (const connection of silent) connection.destroy();
  });

  it('need their own port', async () => {
    const { proxy } = await start();
    const settings = { PROXY_BACKEND_URL: 'http://127.0.0.1:9', PROXY_PORT: '0' };
    const taken = await runToEnd([], { ...settings, PROXY_METRICS_PORT: String(proxy.port) });
    assert.deepEqual([taken.code, taken.stdout], [3, '']);
    assert.match(
      taken.stderr,
      new RegExp(
        `^sealed-proxy: port ${proxy.port} on 127\\.0\\.0\\.1 is taken: .*set PROXY_METRICS_PORT to another port`,
      ),
    );
    const other = await runToEnd([], { ...settings, PROXY_PORT: String(proxy.port), PROXY_METRICS_PORT: '0' });
    assert.equal(other.code, 3, 'the listener for the metrics does not keep the process');
    assert.match(other.stderr, /set PROXY_PORT to another port/);
  });

  it('are off without their setting', async () => {
    const proxy = await scope.proxy(await scope.enclave());
    await proxy.logged('session');
    assert.ok(!proxy.log.some(({ event }) => event === 'metrics'));
    assert.equal((await get(proxy.url)).status, 404);
  });

  itWithSignals('are served while the proxy stops', async () => {
    const { proxy, url } = await start();
    const stream = await openResponse(proxy.url, {
      key: ALICE,
      body: chatBody('/repeat 100', { stream: true }),
    });
    proxy.child.kill('SIGTERM');
    await proxy.logged('stopping');
    assert.equal((await scrape(url)).sum(REQUESTS), 0);
    assert.equal((await readResponse(stream)).broken, false);
    assert.deepEqual(await proxy.exit(), { code: 0, signal: null });
  });
});
