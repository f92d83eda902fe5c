// No log, argument or environment ever contains a secret.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody } from '../support/e2e/chat.ts';
import { listFaults } from '../support/e2e/faultList.ts';
import { openResponse, sendRequest } from '../support/e2e/httpClient.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import type { LogLine, RunningProcess } from '../support/e2e/process.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perTest } from '../support/e2e/scope.ts';
import { assertNoSecretLeaks } from '../support/e2e/secretLeaks.ts';

const ROOT = Buffer.from('cache-root-cache-root-cache-root').toString('base64');

const SECRETS = {
  'the API key': 'dev-api-key-of-the-proxy-59f1',
  'an access key': ACCESS_KEY,
  'an access key that is unknown': `sealed-${'Unknown_key'.repeat(4).slice(0, 43)}`,
  'a client’s own key': 'dev-own-key-of-a-client-77ab',
  'a key that cannot be sent': 'dev-wörong-key-of-a-client',
  'a key in the query': 'dev-key-in-the-query-5e5e',
  'a key in the path': 'dev-key-in-the-path-of-a-request',
  'a cookie': 'cookie-of-a-browser-31d4',
  'a header': 'header-of-a-client-c0de',
  'a prompt': 'questionable-word-in-a-question',
  'a response': 'answerable-word-in-an-answer',
  'the cache namespace root': ROOT,
  'a password of a proxy': 'password-of-a-company-proxy',
} as const;

/** The fields of each request, and those that only some have. */
const REQUEST = ['method', 'path', 'client', 'status', 'bytesIn', 'bytesOut', 'startMs', 'endMs', 'end'];
const OF_SOME = [
  ...['requestId', 'reason', 'model', 'tokensIn', 'tokensOut', 'tokensCached'],
  ...['detail', 'requestedModel', 'note', 'waitedMs'],
];
/** The fields of each event, besides time, level and event. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  session: ['verified', 'note'],
  session_lost: ['reason'],
  route: ['use', 'proxy', 'source', 'authentication'],
  handshake_failed: ['code', 'detail', 'message'],
  request: [...REQUEST, ...OF_SOME],
  client_error: ['code'],
  access: ['accessKeys', 'note'],
  stopping: ['signal'],
  stopped: ['finished', 'cutOff'],
  old_node: ['note'],
};
const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'];

function assertLogLine(line: LogLine): void {
  const { time, level, event, ...fields } = line;
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(LEVELS.includes(String(level)));
  const known = FIELDS[event];
  assert.ok(known, `the event ${event}`);
  for (const [name, value] of Object.entries(fields)) {
    assert.ok(known.includes(name), `${event}.${name}`);
    assert.ok(['string', 'number', 'boolean'].includes(typeof value) || value === null, `${event}.${name}`);
  }
  if (event !== 'request') return;
  for (const name of REQUEST) assert.ok(name in fields, name);
  assert.ok(Number(line['endMs']) >= Number(line['startMs'] ?? 0));
}

/** Every kind of success and failure, with secrets in every place. */
async function mixedLoad(proxy: RunningProcess, url: string, port: number, enclave: RunningEnclave): Promise<void> {
  const request = `${SECRETS['a prompt']} ${SECRETS['a response']}`;
  const headers = { 'x-secret': SECRETS['a header'], cookie: `session=${SECRETS['a cookie']}` };
  const asking = (content: string, stream = true, key: string = ACCESS_KEY) =>
    sendRequest(url, { body: chatBody(content, { stream }), headers, key });
  const client = openaiClient({ url });

  await asking(request);
  await asking(request, false, SECRETS['a client’s own key']);
  await client.embeddings.create({ model: 'nomic-embed-text', input: request });
  await client.models.list();
  await asking(request, false, SECRETS['a key that cannot be sent']);
  await asking(request, true, SECRETS['an access key that is unknown']);
  await asking(`/status 401`);
  for (const key of ['an access key', 'an access key that is unknown', 'the API key'] as const) {
    await sendRequest(url, { body: JSON.stringify({ model: SECRETS[key], messages: [] }), headers });
  }
  for (const path of [
    `/v1/models?api_key=${SECRETS['a key in the query']}`,
    `/v1/${SECRETS['a key in the path']}`,
    `/v1/models/${SECRETS['a key in the path']}?k=${SECRETS['a key in the query']}`,
  ]) {
    await sendRequest(url, { method: 'GET', path, headers });
  }
  await sendRequest(url, { headers: { ...headers, origin: 'https://evil.example' }, body: request });
  await sendRequest(url, { headers: { ...headers, host: 'evil.example' }, body: request });
  await sendRequest(url, { headers: { ...headers, 'content-length': '99999999' }, body: '' }).catch(() => undefined);

  for (const text of [
    `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRETS['a client’s own key']}\r\nbroken line\r\n\r\n`,
    `${SECRETS['a client’s own key']}\r\n\r\n`,
    `POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ACCESS_KEY}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n5\r\n${request}`,
    `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer dev-\xe9${SECRETS['a client’s own key']}\r\n\r\n`,
  ]) {
    const connection = await RawConnection.open(port);
    connection.send(text);
    await Promise.race([connection.readResponse(), connection.end()]).catch(() => undefined);
    connection.destroy();
  }

  for (const group of ['Outside of the records', 'In the records']) {
    for (const fault of listFaults().get(group) ?? []) {
      enclave.setFaults(fault);
      await asking(request);
    }
  }
  enclave.setFaults('');
  for (const hook of ['/hang', `/stall 1`, '/fail 2', `/raw text/plain ${Buffer.from(request).toString('base64')}`]) {
    await asking(`${hook} ${request}`);
  }
  const left = await openResponse(url, { body: chatBody(`/stall 3 ${request}`, { stream: true }), headers });
  left.on('error', () => undefined).destroy();
  for (const fault of ['wrong-nonce:1', 'wrong-session-id:1', 'handshake-cut:1', 'garbage-document:1']) {
    const { length } = proxy.log;
    enclave.dropSessions();
    enclave.setFaults(fault);
    await asking(request);
    await proxy.logged('handshake_failed', {}, length); // at most one handshake a second begins
  }
  enclave.setFaults('');
  await asking(request);
  await enclave.close();
  await asking(request);
}

/** Short, because some requests wait for them; the others must be much faster. */
const CLOCKS = { requestTimeoutSeconds: 1, streamIdleTimeoutSeconds: 1 };

describe('The output of a proxy at the log level trace', () => {
  const scope = perTest();

  const assertSilent = (proxy: RunningProcess) => {
    for (const line of proxy.log) assertLogLine(line);
    const events = new Set(proxy.log.map(({ event }) => event));
    for (const event of ['session', 'session_lost', 'handshake_failed', 'request', 'client_error']) {
      assert.ok(events.has(event), event);
    }
    assert.ok(proxy.log.length > 60);
    assertNoSecretLeaks(SECRETS, [...proxy.stdout.items, ...proxy.stderr.items].join('\n'), 'its output');
  };

  /** Other programs on this computer can read these files. */
  const assertHidden = ({ pid }: RunningProcess, file: 'cmdline' | 'environ') => {
    if (process.platform === 'linux') assertNoSecretLeaks(SECRETS, readFileSync(`/proc/${pid}/${file}`, 'utf8'), file);
  };

  it('on the command line has no secret, only lines of JSON with known fields', async () => {
    const enclave = await scope.enclave();
    const proxy = await scope.proxy(enclave, {
      PROXY_LOG_LEVEL: 'trace',
      PROXY_API_KEY: SECRETS['the API key'],
      PROXY_CACHE_NAMESPACE_ROOT: ROOT,
      PROXY_REQUEST_TIMEOUT_SECS: String(CLOCKS.requestTimeoutSeconds),
      PROXY_STREAM_IDLE_TIMEOUT_SECS: String(CLOCKS.streamIdleTimeoutSeconds),
      HTTPS_PROXY: `http://user:${SECRETS['a password of a proxy']}@127.0.0.1:9`,
    });
    await mixedLoad(proxy, proxy.url, proxy.port, enclave);
    assertHidden(proxy, 'cmdline');
    proxy.child.kill('SIGTERM');
    await proxy.exit();
    assertSilent(proxy);
  });

  it('when hosted by the editor has no secret either, nor has its environment', async () => {
    const enclave = await scope.enclave();
    const proxy = scope.hosted();
    proxy.send({
      type: 'start',
      settings: { backendUrl: enclave.url, port: 0, logLevel: 'trace', ...CLOCKS },
      secrets: { apiKey: SECRETS['the API key'], accessKeys: [ACCESS_KEY] },
      cacheNamespaceRoot: ROOT,
      network: { httpsProxy: `http://user:${SECRETS['a password of a proxy']}@127.0.0.1:9` },
    });
    const { url, port } = await proxy.message('ready');
    await mixedLoad(proxy, url, port, enclave);
    assertSilent(proxy);
    assertNoSecretLeaks(SECRETS, JSON.stringify(proxy.messages.items), 'its messages');
    assertHidden(proxy, 'cmdline');
    assertHidden(proxy, 'environ');
  });
});

describe('assertNoSecretLeaks()', () => {
  it('finds secrets in every form at every offset', () => {
    const secret = 'a-secret-of-this-test';
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const bytes = Buffer.from(`${before}${secret} and more`);
      for (const text of [
        bytes.toString(),
        bytes.toString('base64'),
        bytes.toString('base64url'),
        bytes.toString('hex'),
      ]) {
        assert.throws(() => {
          assertNoSecretLeaks({ it: secret }, `... ${text} ...`, 'this text');
        });
      }
    }
    assertNoSecretLeaks({ it: secret }, 'nothing', 'this text');
  });
});

describe('The traffic between the proxy and its enclave', () => {
  const scope = perTest();

  it('is encrypted: it contains no key, no header and no text of a request or a response', async () => {
    const enclave = await scope.enclave();
    const recorder = await scope.recorder(enclave);
    const proxy = await scope.proxy(recorder, {
      PROXY_API_KEY: SECRETS['the API key'],
      PROXY_CACHE_NAMESPACE_ROOT: ROOT,
    });
    const request = `${SECRETS['a prompt']} ${SECRETS['a response']}`;
    const response = await sendRequest(proxy.url, {
      path: `/v1/chat/completions?key=${SECRETS['a key in the query']}`,
      headers: { 'x-secret': SECRETS['a header'] },
      body: chatBody(request, { stream: true }),
    });
    assert.ok(response.body.includes(SECRETS['a response']));
    const seen = Buffer.concat([recorder.sent, recorder.received]).toString('latin1');
    assert.ok(seen.includes('POST /v2/request HTTP/1.1'));
    assertNoSecretLeaks({ ...SECRETS, 'a header’s name': 'x-secret', 'a path': '/v1/chat' }, seen, 'the traffic');
  });
});
