// Hostile clients and backends of the dialects, through the proxy's HTTP server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { DIALECTS_UNDER_TEST } from '../support/e2e/dialects.ts';
import { checkResponse, mutatedRequest, mutatingBackend, sendAll } from '../support/e2e/hostile.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, API_KEY, perSuite, perTest } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';
import { seededRandom } from '../support/mutations.ts';

const ROUNDS = 5;
const PER_ROUND = 2000;
const TRACE = { PROXY_LOG_LEVEL: 'trace' };
const SECRETS = {
  'the API key': API_KEY,
  'the access key': ACCESS_KEY,
  'a prompt': 'Read the picture.',
  'a header': 'header-of-a-client-c0de',
};
const headers = { 'x-session': SECRETS['a header'] };

for (const dialect of DIALECTS_UNDER_TEST) {
  describe(`The ${dialect.name} dialect, given ${ROUNDS * PER_ROUND} mutated requests`, () => {
    const scope = perSuite();
    let proxy: ServerProcess;

    before(async () => {
      proxy = await scope.proxy(await scope.enclaveProcess(), TRACE);
      await proxy.logged('session');
    });

    for (let round = 0; round < ROUNDS; round++) {
      it(`answers each, or rejects it in its form (seed ${round})`, async () => {
        const random = seededRandom(round);
        const requests = Array.from({ length: PER_ROUND }, () => ({
          path: random() < 0.9 ? dialect.replyPath : dialect.countPath,
          body: mutatedRequest(dialect, random),
          headers,
        }));
        const counts = { complete: 0, failed: 0, error: 0 };
        await sendAll(proxy.url, requests, (response) => {
          counts[checkResponse(dialect, response)]++;
          assert.ok([200, 400, 404].includes(response.status), response.body.toString());
        });
        assert.ok(counts.complete > 100 && counts.error > 100, JSON.stringify(counts));
      });
    }

    it('has not stopped, and has logged no secret', async () => {
      assert.equal((await sendRequest(proxy.url, { path: '/health', method: 'GET' })).status, 200);
      assertNoSecretLeaks(SECRETS, proxy.stderr.items.join('\n'), 'the log');
    });
  });

  describe(`The ${dialect.name} dialect, given ${ROUNDS * PER_ROUND} mutated events of the backend`, () => {
    const scope = perSuite();
    let proxy: ServerProcess;
    let random = seededRandom(0);
    let mutated = 0;

    before(async () => {
      const handler = mutatingBackend(
        createModel({ paceMs: 0 }),
        () => random(),
        () => mutated++,
      );
      proxy = await scope.proxy(await scope.enclave({ handler }), TRACE);
      await proxy.logged('session');
    });

    for (let round = 0; round < ROUNDS; round++) {
      it(`passes each on, or fails in its form (seed ${round})`, async () => {
        random = seededRandom(round);
        mutated = 0;
        const counts = { complete: 0, failed: 0, error: 0 };
        const untilEnough = function* () {
          while (mutated < PER_ROUND) {
            yield {
              path: dialect.replyPath,
              body: dialect.body(SECRETS['a prompt'], { stream: random() < 0.7 }),
              headers,
            };
          }
        };
        await sendAll(proxy.url, untilEnough(), (response) => {
          counts[checkResponse(dialect, response)]++;
        });
        assert.ok(counts.complete > 10 && counts.failed > 10 && counts.error > 5, JSON.stringify(counts));
      });
    }

    it('has not stopped, and has logged no secret', async () => {
      assert.equal((await sendRequest(proxy.url, { path: '/health', method: 'GET' })).status, 200);
      assertNoSecretLeaks(SECRETS, proxy.stderr.items.join('\n'), 'the log');
    });
  });

  describe(`An upload in tiny chunks to the ${dialect.name} dialect`, () => {
    const scope = perTest();

    it('takes little more memory than its bytes', async function () {
      if (process.platform !== 'linux') this.skip();
      const proxy = await scope.proxy(await scope.enclave());
      await proxy.logged('session');
      const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${proxy.pid}/status`, 'utf8'))?.[1]) / 1024;
      const before = memory();
      const connection = await RawConnection.open(proxy.port);
      const head = [`POST ${dialect.replyPath} HTTP/1.1`, 'Host: 127.0.0.1', 'Authorization: Bearer anyone'];
      connection.send([...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'));
      connection.send('1\r\nx\r\n'.repeat(1_000_000));
      connection.send('0\r\n\r\n');
      assert.equal((await connection.readResponse()).status, 401);
      assert.ok(memory() - before < 150, 'the chunks take too much memory');
      connection.destroy();
    });
  });
}
