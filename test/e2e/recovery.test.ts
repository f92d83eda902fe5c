// The enclave restarts, loses a session, or receives many requests at once.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { RequestFacts } from '../../src/devEnclave/transport/journal.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { openRequest, openResponse, readResponse, responseTo, sendRequest } from '../support/e2e/httpClient.ts';
import type { ClientResponse } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { perSuite, perTest, serve } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const MIB = 1024 * 1024;
const CLIENTS = 32;

/** Ways in which an enclave forgets a session, and whether it responds while the body is still being sent. */
const FORGETTING: readonly [string, boolean, (enclave: RunningEnclave) => void][] = [
  [
    'the enclave responds at once',
    true,
    (enclave) => {
      enclave.dropSessions();
    },
  ],
  [
    'the enclave responds and reads nothing',
    true,
    (enclave) => {
      enclave.setFaults('answer-before-body:1');
    },
  ],
  [
    'the enclave responds after the body',
    false,
    (enclave) => {
      enclave.setFaults('marked-decryption-failed:1');
    },
  ],
];

interface Outcome {
  readonly begun: number;
  readonly ended: number;
  readonly response: ClientResponse;
}

/** Starts clients that send one request after another until `stop`. */
function startLoad(url: string, clients: number) {
  const outcomes = new EventQueue<Outcome>();
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      const begun = performance.now();
      const response = await sendRequest(url, { body: chatBody('/burst 20', { stream: true }) });
      outcomes.add({ begun, ended: performance.now(), response });
    }
  };
  const loops = Array.from({ length: clients }, loop);
  return {
    outcomes,
    /** Resolves when this many more requests have succeeded. */
    async served(count: number): Promise<void> {
      let seen = 0;
      const succeeded = ({ response }: Outcome) => isComplete(response) && ++seen >= count;
      await outcomes.find(`${count} responses`, succeeded, outcomes.items.length);
    },
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

function isComplete({ status, broken, body }: ClientResponse): boolean {
  return status === 200 && !broken && body.toString().endsWith('data: [DONE]\n\n');
}

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`A proxy with ${runtime} under load`, () => {
    const scope = perTest();
    let folder: string;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-e2e-'));
    });
    after(() => {
      rmSync(folder, { recursive: true });
    });

    it('loses only requests in flight when the enclave stops, and makes one new session when it is back', async () => {
      const record = join(folder, 'record');
      const first = await scope.enclaveProcess();
      const proxy = await scope.proxy(first, {}, { nodeArgs });
      const load = startLoad(proxy.url, CLIENTS);
      await load.served(200);
      const inFlight = performance.now();
      await first.kill();
      const down = await load.outcomes.find('a failure', ({ response }) => !isComplete(response));
      assert.ok(down.ended >= inFlight);
      await scope.enclaveProcess(['--port', String(first.port), '--record', record]);
      const back = performance.now();
      await load.served(200);
      await load.stop();

      for (const { begun, ended, response } of load.outcomes.items) {
        if (isComplete(response)) continue;
        assert.ok(ended >= inFlight && begun <= back, 'only while the enclave was stopped');
        if (response.status === 200) assert.ok(response.broken && begun < inFlight);
        else assertError(response, { ...backendError('backend_unreachable'), message: /^Failed to communicate/ });
      }
      const lines = readFileSync(record, 'utf8').trimEnd().split('\n');
      const requests = lines.map((line) => JSON.parse(line) as RequestFacts);
      assert.ok(requests.length >= 200);
      assert.equal(new Set(requests.map(({ session_id: id }) => id)).size, 1);
      const events = proxy.log.map(({ event }) => event);
      assert.equal(events.filter((event) => event === 'session').length, 2);
      assert.equal(events.filter((event) => event === 'session_lost').length, 1);
      await proxy.logged('session_lost', { reason: 'rejected' });
    });

    it('makes one session for concurrent requests', async () => {
      const enclave = await scope.enclave();
      const proxy = await scope.proxy(enclave, {}, { nodeArgs });
      await proxy.logged('session');
      for (let round = 1; round <= 3; round++) {
        const responses = await Promise.all(
          Array.from({ length: 64 }, () => sendRequest(proxy.url, { body: chatBody('Hello', { stream: true }) })),
        );
        assert.ok(responses.every(isComplete));
        assert.equal(enclave.journal.handshakes, round);
        enclave.dropSessions();
      }
    });
  });

  describe(`A session that the enclave has forgotten, with ${runtime},`, () => {
    const served = serve(perSuite(), { process: { nodeArgs } });

    it('is replaced without an error for the client', async () => {
      for (const fault of ['', 'marked-session-not-found:1', 'marked-decryption-failed:1']) {
        const [requests, handshakes] = [served.enclave.journal.requests.length, served.enclave.journal.handshakes];
        if (fault === '') served.enclave.dropSessions();
        served.enclave.setFaults(fault);
        for (const body of [chatBody('Hello', { stream: true }), chatBody('/burst 50', { stream: true })]) {
          assert.ok(isComplete(await sendRequest(served.proxy.url, { body })));
        }
        assert.deepEqual(
          [served.enclave.journal.requests.length - requests, served.enclave.journal.handshakes - handshakes],
          [2, 1],
        );
      }
      served.enclave.setFaults('');
    });

    for (const [how, early, forget] of FORGETTING) {
      it(`is replaced during an upload of 5 MiB: ${how}`, async () => {
        const [requests, handshakes] = [served.enclave.journal.requests.length, served.enclave.journal.handshakes];
        const body = chatBodyOf(5 * MIB, '/describe');
        const logged = served.proxy.stderr.items.length;
        forget(served.enclave);
        const sent = openRequest(served.proxy.url, { headers: { 'content-length': String(body.length) } });
        const response = responseTo(sent);
        sent.write(body.subarray(0, 2 * MIB));
        // The upload pauses until the new session exists.
        if (early) await served.proxy.logged('session', {}, logged);
        sent.write(body.subarray(2 * MIB, 4 * MIB));
        sent.end(body.subarray(4 * MIB));
        const complete = await readResponse(await response);
        assert.equal(complete.status, 200);
        const sha256 = createHash('sha256').update(body).digest('hex');
        assert.deepEqual((complete.json() as { body: object }).body, { length: body.length, sha256 });
        assert.deepEqual(
          [served.enclave.journal.requests.length - requests, served.enclave.journal.handshakes - handshakes],
          [1, 1],
        );
        served.enclave.setFaults('');
      });
    }

    it('does not affect streams that have begun', async () => {
      const stream = await openResponse(served.proxy.url, { body: chatBody('/stall 3', { stream: true }) });
      served.enclave.dropSessions();
      assert.ok(isComplete(await sendRequest(served.proxy.url, { body: chatBody('Hello', { stream: true }) })));
      const text = new Promise<void>((resolve) => {
        let read = '';
        stream.on('data', (chunk: Buffer) => {
          read += chunk.toString();
          if (read.split('"word "').length === 4) resolve();
        });
        stream.on('error', () => undefined);
      });
      await withTimeout('the words of the stream', DEADLINE, text);
      assert.equal(stream.complete, false);
      stream.destroy();
    });
  });

  describe(`64 concurrent streams through a proxy with ${runtime}`, () => {
    const scope = perSuite();

    it('arrive completely, each with its own bytes', async () => {
      const model = recordedModel();
      const enclave = await scope.enclave({ handler: model.handler });
      const proxy = await scope.proxy(enclave, {}, { nodeArgs });
      const commands = Array.from({ length: 64 }, (_, index) => `/burst ${100 + 10 * index} stream-${index}`);
      const responses = await Promise.all(
        commands.map((command) => sendRequest(proxy.url, { body: chatBody(command, { stream: true }) })),
      );
      const sent = new Map(
        model.responses.map(({ request, chunks }) => [
          Buffer.from(request.body ?? []).toString(),
          Buffer.concat(chunks),
        ]),
      );
      for (const [index, response] of responses.entries()) {
        const expected = sent.get(chatBody(commands[index] ?? '', { stream: true }));
        assert.ok(expected !== undefined && expected.length > 10_000);
        assert.ok(isComplete(response) && response.body.equals(expected), commands[index]);
      }
      assert.equal(enclave.journal.handshakes, 1);
    });
  });
}

describe('A proxy whose handshakes fail', () => {
  const scope = perTest();

  it('retries a handshake at most once a second, for any number of requests', async () => {
    const enclave = await scope.enclave({ faults: 'handshake-500' });
    const proxy = await scope.proxy(enclave);
    await proxy.logged('handshake_failed');
    const begin = performance.now();
    const load = startLoad(proxy.url, CLIENTS);
    await load.outcomes.find('a response after the third handshake', () => enclave.journal.handshakes >= 3);
    const seconds = (performance.now() - begin) / 1000;
    assert.ok(enclave.journal.handshakes - 1 <= seconds + 1, `${enclave.journal.handshakes} in ${seconds} s`);
    enclave.setFaults('');
    await load.served(CLIENTS);
    await load.stop();
  });
});
