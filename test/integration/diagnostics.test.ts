// The diagnostics with a real proxy process and the development enclave.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mock } from 'node:test';
import { ApiError, answerApiError } from '../../src/devEnclave/model/apiErrors.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { DiagnosticsContext, NamedResult } from '../../src/diagnostics/check.ts';
import { CHECK_LIMIT, diagnose } from '../../src/diagnostics/diagnose.ts';
import { diagnosticsReport } from '../../src/diagnostics/report.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { probe } from '../../src/supervisor/portProbe.ts';
import { HOST, makeContext, outline, resultNamed } from '../support/diagnostics.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { EventQueue } from '../support/e2e/eventQueue.ts';
import { perTest } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';
import { EditorWindow } from '../support/editorWindow.ts';
import { RawServer } from '../support/rawServer.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

function contextOf({ supervisor, settings, network, vault }: EditorWindow): DiagnosticsContext {
  return makeContext({
    status: () => supervisor.status,
    crashes: () => supervisor.crashes,
    settings: () => settings,
    network: () => network,
    probe: (port) => probe(port, Buffer.from(vault.ownership, 'base64')),
    withConnection: (act) => supervisor.withConnection(act),
    refresh: () => supervisor.check(),
    keys: () => Promise.resolve({ hasApiKey: vault.apiKey !== null, accessKeys: vault.accessKeys.length }),
  });
}

const HEALTHY = {
  'Proxy process': 'passed',
  'Port owner': 'passed',
  'Connection to 127.0.0.1': 'passed',
  'Connection to ::1': 'passed',
  'Proxy environment variables': 'passed',
  'Access keys': 'passed',
  'HTTP proxy for the backend': 'passed',
  'HTTP proxy for the list of images': 'skipped',
  'TLS certificates': 'passed',
  'API key': 'passed',
  Handshake: 'passed',
  steps: '–––––––––––',
  'System clock': 'skipped',
  Models: 'passed',
  'Streamed response': 'passed',
  Embedding: 'passed',
  Assistants: 'skipped',
};
const NOT_RUNNING = { 'HTTP proxy for the backend': 'skipped', 'TLS certificates': 'skipped' };
const NO_REQUESTS = { Models: 'skipped', 'Streamed response': 'skipped', Embedding: 'skipped' };
const NO_OWN_PROXY = {
  'Connection to 127.0.0.1': 'skipped',
  'API key': 'skipped',
  Handshake: 'skipped',
  ...NOT_RUNNING,
  ...NO_REQUESTS,
};

/** Compares all outcomes with those of a healthy proxy. */
function assertOutline(results: readonly NamedResult[], change: object = {}): void {
  const noIpv6 =
    resultNamed(results, 'Connection to ::1').outcome === 'skipped' ? { 'Connection to ::1': 'skipped' } : {};
  assert.deepEqual(outline(results), { ...HEALTHY, ...noIpv6, ...change });
}

describe('diagnose()', () => {
  const scope = perTest();
  let enclave: RunningEnclave;
  let editor: EditorWindow;

  beforeEach(async () => {
    enclave = await scope.enclave({ handler: createModel({ paceMs: 0 }) });
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
  });

  /** The results. Asserts that their report contains no secret. */
  const run = async (change: Partial<DiagnosticsContext> = {}) => {
    const results = await withTimeout('the diagnostics', DEADLINE, diagnose({ ...contextOf(editor), ...change }));
    const { apiKey, ownKey, ownership, cacheNamespaceRoot, accessKeys } = editor.vault;
    const keys = Object.fromEntries(accessKeys.map((key, index) => [`access key ${index}`, key]));
    const secrets = { ownKey, ownership, cacheNamespaceRoot, ...(apiKey !== null && { apiKey }), ...keys };
    const report = diagnosticsReport(results, HOST, []);
    assertNoSecretLeaks(secrets, report, 'the report');
    assert.doesNotMatch(report, /sealed-[A-Za-z0-9_-]{16}|bearer/i);
    for (const { name, outcome, finding, remedy } of results) {
      assert.notEqual(finding, '', name);
      if (outcome === 'failed') assert.match(remedy, /\.$/, name);
    }
    return results;
  };
  const start = async () => {
    await editor.supervisor.start();
    await editor.health('connected');
  };

  /** Lets the time of each check pass that hangs, once it does. The clock must be simulated. */
  const endHanging = async (hanging: EventQueue<undefined>, count: number) => {
    for (let index = 0; index < count; index++) {
      await hanging.find(`check ${index + 1} that hangs`, () => true, index);
      mock.timers.tick(CHECK_LIMIT);
    }
  };

  it('passes for a healthy proxy, and measures response times', async () => {
    await start();
    const results = await run();
    assertOutline(results);
    assert.deepEqual(
      results.filter(({ remedy }) => remedy !== ''),
      [],
    );
    const finding = (name: string) => resultNamed(results, name).finding;
    assert.match(
      finding('Streamed response'),
      /^gpt-oss-120b: first byte after \d+ ms, complete after \d+ ms, \d+ chunks$/,
    );
    assert.equal(finding('Embedding').replace(/\b\d+ ms/, 'T'), 'nomic-embed-text: 768 dimensions after T');
    assert.equal(finding('Models'), '8, 6 of them for chat');
    assert.equal(finding('Access keys'), "2, including the extension's own");
    assert.match(
      diagnosticsReport(results, HOST, []),
      /\*\*1[34] checks passed; 1[345] skipped\. You are using a development backend, which is not verified\.\*\*/,
    );
  });

  it('reports crashes of the proxy process', async () => {
    await start();
    const before = editor.statuses.items.length;
    process.kill(editor.pid, 'SIGKILL');
    await editor.status('restarting', before);
    const restarting = await run();
    assert.match(
      resultNamed(restarting, 'Proxy process').finding,
      / restarts at .* Crashes within three minutes: 1\.$/,
    );
    await editor.health('connected', before);
    const results = await run();
    assertOutline(results);
    assert.match(resultNamed(results, 'Proxy process').finding, /^Running, .* Crashes within three minutes: 1\.$/);
    assert.match(resultNamed(results, 'Proxy process').remedy, /Show Log/);
  });

  it('reports a refused API key, and sends no requests to models', async () => {
    editor.vault.apiKey = 'wrong-key-of-nobody';
    await editor.supervisor.start();
    await editor.health('keyRejected');
    const results = await run();
    assertOutline(results, { 'API key': 'failed', ...NO_REQUESTS });
    assert.match(resultNamed(results, 'API key').finding, /refused/);
    assert.match(resultNamed(results, 'API key').remedy, /Set a new one/);
  });

  it('reports a missing API key, and how to set it', async () => {
    editor.vault.apiKey = null;
    await editor.supervisor.start();
    await editor.health('noKey');
    const results = await run();
    const { outcome } = resultNamed(results, 'Handshake');
    const noConnection = { Handshake: outcome, 'HTTP proxy for the backend': 'skipped' } as const;
    assertOutline(results, { 'API key': 'failed', ...noConnection, ...NO_REQUESTS });
    assert.match(resultNamed(results, 'API key').remedy, /^Get one from .* Then run "Sealed Proxy: Set API Key"\.$/);
    assert.notEqual(outcome, 'failed');
  });

  it('reports an unreachable backend, and suggests to check the network', async () => {
    await enclave.close();
    await editor.supervisor.start();
    await editor.health('unreachable');
    const results = await run();
    assertOutline(results, { 'API key': 'skipped', Handshake: 'failed', ...NO_REQUESTS });
    assert.match(resultNamed(results, 'Handshake').finding, /\(network, ECONNREFUSED\)/);
    assert.match(resultNamed(results, 'Handshake').remedy, /network/);
  });

  it('reports which attestation step failed', async () => {
    enclave.setFaults('wrong-nonce');
    await editor.supervisor.start();
    await editor.health('unreachable');
    const results = await run();
    const steps = '––––✗––––––';
    assertOutline(results, { 'API key': 'skipped', Handshake: 'failed', steps, ...NO_REQUESTS });
    assert.match(resultNamed(results, 'Handshake').finding, /nonce_mismatch/);
    assert.match(resultNamed(results, 'Handshake').remedy, /intercepted\. Try another network/);
  });

  it('reports a foreign program on the port, and sends no key to it', async () => {
    const foreign = await RawServer.listen();
    scope.onClose(() => foreign.close());
    await editor.change({ port: foreign.port });
    const answering = async () => {
      for (;;) (await foreign.next()).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    };
    void answering().catch(() => undefined);
    await editor.supervisor.start();
    assert.equal(editor.supervisor.status.kind, 'portTaken');
    const results = await run();
    assertOutline(results, { 'Proxy process': 'failed', 'Port owner': 'failed', ...NO_OWN_PROXY });
    assert.match(resultNamed(results, 'Port owner').finding, /: used by another program$/);
    assert.match(resultNamed(results, 'Port owner').remedy, /^Sealed Proxy sent it no key\. .*Use a Free Port/);
    for (const { received } of foreign.connections) assert.doesNotMatch(received, /authorization/i);
  });

  it('reports that the proxy is off and its port is free, and how to start it', async () => {
    const results = await run();
    assertOutline(results, { 'Proxy process': 'failed', ...NO_OWN_PROXY });
    assert.match(resultNamed(results, 'Proxy process').remedy, /Sealed Proxy: Start/);
    assert.match(resultNamed(results, 'Port owner').finding, /free$/);
    assert.equal(enclave.journal.requests.length, 0);
  });

  it('reports another program on ::1', async function () {
    await start();
    const other = createServer().listen(editor.settings.port, '::1');
    try {
      await once(other, 'listening');
    } catch {
      this.skip(); // no IPv6 here
    }
    scope.onClose(async () => {
      other.close();
      await once(other, 'close');
    });
    const results = await run();
    assertOutline(results, { 'Connection to ::1': 'failed' });
    assert.match(resultNamed(results, 'Connection to ::1').remedy, /Use 127\.0\.0\.1 in base URLs/);
  });

  it('does not repeat a key that the backend includes in its error message', async () => {
    const key = String(editor.vault.apiKey);
    const model = createModel({ paceMs: 0 });
    const echoing = await scope.enclave({
      handler: async (request, response) => {
        if (request.method === 'GET') await model(request, response);
        else answerApiError(response, new ApiError(400, 'upstream_invalid_request', `Bad key ${key}`));
      },
    });
    await editor.change({ backendUrl: echoing.url });
    await start();
    const results = await run();
    assertOutline(results, { 'Streamed response': 'failed', Embedding: 'failed' });
    assert.match(resultNamed(results, 'Embedding').finding, /status 400 \(upstream_invalid_request\)/);
  });

  it('reports a response that breaks off, without the message of the backend', async () => {
    const model = createModel({ paceMs: 0 });
    const breaking = await scope.enclave({
      handler: (request, response) =>
        model(
          request.target === '/v1/chat/completions'
            ? { ...request, body: Buffer.from(chatBody('/broken 2', { stream: true })) }
            : request,
          response,
        ),
    });
    await editor.change({ backendUrl: breaking.url });
    await start();
    const results = await run();
    assertOutline(results, { 'Streamed response': 'failed' });
    assert.equal(
      resultNamed(results, 'Streamed response').finding,
      'gpt-oss-120b: the response broke off after 2 chunks',
    );
  });

  it('ends a check that hangs, and continues with the next one', async () => {
    await start();
    const hanging = new EventQueue<undefined>();
    const never = () => {
      hanging.add(undefined);
      return new Promise<never>(() => undefined);
    };
    mock.timers.enable({ apis: ['setTimeout'] });
    const running = run({ withConnection: never, refresh: never });
    await endHanging(hanging, 3);
    const results = await running;
    assertOutline(results, { 'Streamed response': 'failed', Embedding: 'failed' });
    assert.equal(resultNamed(results, 'Embedding').finding, 'No result within 30 s');
  });

  it('aborts the request of a check that takes too long', async () => {
    const hanging = new EventQueue<undefined>();
    const silent = await scope.enclave({
      handler: (request, response) => {
        if (request.method === 'GET') return createModel({ paceMs: 0 })(request, response);
        hanging.add(undefined);
        return new Promise(() => undefined);
      },
    });
    await editor.change({ backendUrl: silent.url });
    await start();
    mock.timers.enable({ apis: ['setTimeout'] });
    const running = run();
    await endHanging(hanging, 2);
    const results = await running;
    assertOutline(results, { 'Streamed response': 'failed', Embedding: 'failed' });
    await editor.log.find('the end of both', (line) => line.includes('/v1/embeddings') && line.includes('client-gone'));
  });
});
