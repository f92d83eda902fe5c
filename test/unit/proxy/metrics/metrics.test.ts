import assert from 'node:assert/strict';
import type { ConnectionEvent } from '../../../../src/proxy/backend/connection.ts';
import { createMetrics } from '../../../../src/proxy/metrics/metrics.ts';
import type { Metrics } from '../../../../src/proxy/metrics/metrics.ts';
import { RequestEntry } from '../../../../src/proxy/usage/requestEntry.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { Metrics as Scraped } from '../../../support/prometheusText.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const STREAM = [{ name: 'content-type', value: 'text/event-stream' }];
const CHAT = '/v1/chat/completions';
const HOUR = 3_600_000;

describe('Metrics', () => {
  let clock: FakeClock;
  let metrics: Metrics;
  let remaining: number;
  let models: string[];
  let loads: PromiseWithResolvers<unknown>[];

  beforeEach(async () => {
    clock = new FakeClock();
    remaining = 0;
    models = ['glm-5-2'];
    loads = [];
    metrics = await createMetrics(() => clock.wall());
    metrics.clientsChanged(['alice']);
    metrics.begin({
      sessionRemaining: () => remaining,
      isModel: (model) => models.includes(model),
      loadModels: () => {
        const load = Promise.withResolvers<unknown>();
        loads.push(load);
        return load.promise;
      },
    });
  });

  const scrape = async () => new Scraped(await metrics.text());

  const request = (path = CHAT, client = 'alice') => {
    const entry = new RequestEntry('POST', path, null, clock);
    entry.client = client;
    return entry;
  };

  const answer = async (model: string, { headers = JSON_TYPE, tokens = [12, 34] } = {}) => {
    const entry = request();
    entry.received(Buffer.from(JSON.stringify({ model })));
    await clock.advance(500);
    entry.startedByBackend({ status: 200, headers });
    const usage = { prompt_tokens: tokens[0], completion_tokens: tokens[1], total_tokens: 46 };
    const json = JSON.stringify({ model, usage });
    entry.chunk(Buffer.from(headers === STREAM ? `data: ${json}\n\n` : json));
    await clock.advance(1500);
    metrics.requestEnded(entry);
  };

  const verified = (pcr0: string, establishedAt: number): ConnectionEvent => ({
    type: 'verified',
    establishedAt,
    verified: {
      kind: 'verified',
      environment: 'production',
      pcr0,
      approvedBy: 'pinned',
      listedSince: null,
      moduleId: 'i-1',
      timestamp: 0,
      certificateNotBefore: 0,
      certificateNotAfter: clock.wall() + HOUR,
      document: '',
    },
  });

  it('count a request, its time and its tokens', async () => {
    await answer('glm-5-2');
    const scraped = await scrape();
    const labels = { client: 'alice', gen_ai_request_model: 'glm-5-2', http_route: CHAT };
    assert.equal(
      scraped.sum('sealed_proxy_requests_total', {
        ...labels,
        http_response_status_code: '200',
        outcome: 'answered',
        error_type: undefined,
      }),
      1,
    );
    const operation = { ...labels, gen_ai_operation_name: 'chat' };
    const name = 'gen_ai_client_operation_duration_seconds';
    assert.equal(scraped.sum(`${name}_sum`, { ...operation, error_type: undefined }), 2);
    assert.equal(scraped.sum(`${name}_bucket`, { ...operation, le: '1.28' }), 0);
    assert.equal(scraped.sum(`${name}_bucket`, { ...operation, le: '2.56' }), 1);
    const usage = 'gen_ai_client_token_usage_sum';
    assert.equal(scraped.sum(usage, { ...operation, gen_ai_token_type: 'input' }), 12);
    assert.equal(scraped.sum(usage, { ...operation, gen_ai_token_type: 'output' }), 34);
  });

  it('measure the time to the first chunk of streams alone', async () => {
    const name = 'gen_ai_client_operation_time_to_first_chunk_seconds';
    await answer('glm-5-2');
    assert.equal((await scrape()).sum(`${name}_count`), 0);
    await answer('glm-5-2', { headers: STREAM });
    const scraped = await scrape();
    assert.deepEqual([scraped.sum(`${name}_count`), scraped.sum(`${name}_sum`)], [1, 0.5]);
  });

  it('use the buckets of the conventions', async () => {
    await answer('glm-5-2');
    const scraped = await scrape();
    const bounds = (name: string) => new Set(scraped.find(name).map(({ labels }) => labels['le']));
    assert.deepEqual(
      [...bounds('gen_ai_client_operation_duration_seconds_bucket')],
      '0.01 0.02 0.04 0.08 0.16 0.32 0.64 1.28 2.56 5.12 10.24 20.48 40.96 81.92 +Inf'.split(' '),
    );
    assert.deepEqual(
      [...bounds('gen_ai_client_token_usage_bucket')],
      '1 4 16 64 256 1024 4096 16384 65536 262144 1048576 4194304 16777216 67108864 +Inf'.split(' '),
    );
  });

  it('do not count probes, and measure no operation for a request that the proxy refused', async () => {
    const probe = request('/ready', 'none');
    probe.routine = true;
    metrics.requestEnded(probe);
    const refused = request(CHAT, 'none');
    refused.refuse();
    refused.reason = 'no_key';
    refused.started(401);
    metrics.requestEnded(refused);
    const scraped = await scrape();
    assert.equal(scraped.sum('sealed_proxy_requests_total'), 1);
    assert.equal(
      scraped.sum('sealed_proxy_requests_total', {
        client: 'none',
        outcome: 'refused',
        error_type: 'no_key',
        gen_ai_request_model: 'none',
      }),
      1,
    );
    assert.equal(scraped.sum('gen_ai_client_operation_duration_seconds_count'), 0);
  });

  it('count what is refused, from zero, so that the first burst is an increase, too', async () => {
    const name = 'sealed_proxy_refusals_total';
    const REFUSED = [
      ['refused', '401', 'no_key'],
      ['refused', '401', 'expired_access_key'],
      ['refused', '429', 'tokens_limit'],
      ['refused', '503', '503'],
      ['refused', '503', 'busy'],
      ['failed', '401', '401'],
    ] as const;
    const count = (scraped: Scraped) =>
      REFUSED.map(([outcome, http_response_status_code, error_type]) => {
        const found = scraped.find(name, { outcome, http_response_status_code, error_type });
        return found.length === 1 ? found[0]?.value : undefined;
      });
    assert.deepEqual(count(await scrape()), [0, 0, 0, 0, 0, 0]);
    for (const [outcome, status, error] of REFUSED) {
      const entry = request(CHAT, outcome === 'failed' ? 'alice' : 'none');
      if (outcome === 'failed') entry.startedByBackend({ status: Number(status), headers: JSON_TYPE });
      else entry.refuse();
      entry.started(Number(status));
      if (error === 'busy') entry.end = error;
      else if (error !== status) entry.reason = error;
      metrics.requestEnded(entry);
    }
    const direct = request(CHAT, 'direct');
    direct.startedByBackend({ status: 401, headers: JSON_TYPE });
    metrics.requestEnded(direct); // the client's own API key
    await answer('glm-5-2');
    const scraped = await scrape();
    assert.deepEqual(count(scraped), [1, 1, 1, 1, 1, 1]);
    assert.equal(scraped.sum(name), REFUSED.length);
  });

  it('load the list of models for a name that is not in it, wait for it, and not again for a minute', async () => {
    await answer('new-model');
    assert.equal(loads.length, 1);
    await answer('new-model');
    assert.equal(loads.length, 1, 'shared');
    assert.equal((await scrape()).sum('sealed_proxy_requests_total'), 0);
    models.push('new-model');
    loads[0]?.resolve(undefined);
    await flushEventLoop();
    assert.equal((await scrape()).sum('sealed_proxy_requests_total', { gen_ai_request_model: 'new-model' }), 2);
    await answer('my secret');
    assert.equal(loads.length, 1);
    await clock.advance(60_000);
    await answer('my secret');
    assert.equal(loads.length, 2);
    loads[1]?.reject(new Error('unreachable'));
    await flushEventLoop();
    const scraped = await scrape();
    assert.equal(scraped.sum('sealed_proxy_requests_total', { gen_ai_request_model: 'other' }), 2);
    assert.ok(!scraped.text.includes('my secret'));
  });

  it('do not wait for the list when the backend did not respond', async () => {
    const entry = request();
    entry.received(Buffer.from('{"model":"new-model"}'));
    entry.end = 'network';
    metrics.requestEnded(entry);
    assert.equal(loads.length, 0);
    const facts = { outcome: 'broken', error_type: 'network', http_response_status_code: undefined };
    assert.equal((await scrape()).sum('sealed_proxy_requests_total', facts), 1);
  });

  it('know the clients that have an access key when a request ends', async () => {
    metrics.clientsChanged(['bob']);
    await answer('glm-5-2');
    metrics.requestEnded(request(CHAT, 'bob'));
    assert.deepEqual((await scrape()).values('client'), new Set(['other', 'bob']));
  });

  it('count handshakes by their result, each of which is there from the start', async () => {
    const before = await scrape();
    assert.equal(before.sum('sealed_proxy_handshakes_total'), 0);
    assert.ok(before.values('result').has('attestation_refused'));
    const failed = { type: 'handshakeFailed', detail: null, message: '' } as const;
    metrics.connectionEvent({ ...failed, code: 'network' });
    metrics.connectionEvent({ ...failed, code: 'unheard-of' });
    metrics.connectionEvent(verified('a', 1));
    metrics.connectionEvent(verified('a', 1)); // the same one, with a date
    const after = await scrape();
    assert.deepEqual(after.values('result'), before.values('result'));
    for (const result of ['network', 'other', 'success']) {
      assert.equal(after.sum('sealed_proxy_handshakes_total', { result }), 1, result);
    }
  });

  it('count changes of the image, and name the latest one', async () => {
    for (const [index, pcr0] of ['a', 'a', 'b', 'a'].entries()) metrics.connectionEvent(verified(pcr0, index));
    const scraped = await scrape();
    assert.equal(scraped.sum('sealed_proxy_image_changes_total'), 2);
    assert.deepEqual(
      scraped.find('sealed_proxy_image_info').map(({ labels }) => labels),
      [{ pcr0: 'a', approved_by: 'pinned', environment: 'production' }],
    );
  });

  it('tell the time until the session and its certificate end', async () => {
    const read = async () => {
      const scraped = await scrape();
      return ['session', 'certificate'].map((name) => {
        return scraped.find(`sealed_proxy_${name}_remaining_seconds`).map(({ value }) => value);
      });
    };
    assert.deepEqual(await read(), [[0], []]);
    metrics.connectionEvent(verified('a', 1));
    remaining = 3_570_000;
    assert.deepEqual(await read(), [[3570], [3600]]);
    await clock.advance(HOUR + 1000);
    assert.deepEqual(await read(), [[3570], [-1]]);
    remaining = 0;
    assert.deepEqual(await read(), [[0], []]);
    metrics.connectionEvent({
      type: 'verified',
      establishedAt: 2,
      verified: { kind: 'development', moduleId: null },
    });
    remaining = 1000;
    assert.deepEqual(await read(), [[1], []]);
  });

  it('share one text among scrapes at the same time', async () => {
    const [one, other] = await Promise.all([metrics.text(), metrics.text()]);
    assert.equal(one, other);
    assert.match(one, /^process_cpu_seconds_total \d/m);
    assert.match(one, /^nodejs_eventloop_lag_p99_seconds \d/m);
  });
});
