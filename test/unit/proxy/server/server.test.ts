import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import type { ClientError } from '../../../../src/proxy/http/openaiErrors.ts';
import { RECONNECTING } from '../../../../src/proxy/server/readiness.ts';
import {
  CHALLENGE_HEADER,
  REPORT_HEADER,
  REQUEST_HEADERS,
  WINDOW_HEADER,
  authenticateChallenge,
  makeChallenge,
  makeRequest,
  openReport,
} from '../../../../src/shared/ownership.ts';
import type { WindowRequest } from '../../../../src/shared/ownership.ts';
import { VERSION } from '../../../../src/shared/version.ts';
import { BODY_LIMITS } from '../../../support/bodyLimits.ts';
import { identityFor } from '../../../support/e2e/companyProxy.ts';
import { RawConnection } from '../../../support/e2e/rawHttp.ts';
import type { RawResponse } from '../../../support/e2e/rawHttp.ts';
import { RECORDS } from '../../../support/exchanges.ts';
import { ACCESS_KEY, ACCESS_KEY_ID, API_KEY, ServerUnderTest } from '../../../support/proxyServers.ts';
import { aReport } from '../../../support/reports.ts';
import { DEADLINE, eventually, withTimeout } from '../../../support/withTimeout.ts';

const CHAT = { method: 'POST', path: '/v1/chat/completions', body: '{"model":"m"}' };
const MESSAGES = {
  method: 'POST',
  path: '/anthropic/v1/messages',
  body: '{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"Hi"}]}',
};
const PAGE = 'Origin: https://app.example';

/** The error of a response, if it is the proxy's own in the form of OpenAI's API. */
function assertError(response: RawResponse, error: ClientError): void {
  const { message, type, code } = error;
  assert.equal(response.status, error.status);
  assert.deepEqual(response.json(), { error: { message, type, param: null, code } });
}

describe('The server of createProxyServer()', () => {
  let server: ServerUnderTest;

  afterEach(() => server.close());

  const log = (path: string) => server.lines().filter((line) => line.event === 'request' && line['path'] === path);
  /** The line of the log with the ID that the client was told. */
  const lineOf = (response: RawResponse) =>
    server.lines().find((line) => line['requestId'] === response.field('x-request-id')) ?? assert.fail('No line');
  const assertNothingSent = () => {
    assert.equal(server.backend.transport.calls.length, 0);
  };

  describe('before anything else', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    for (const path of ['/', '/health', '/ready', '/v1/models', '/elsewhere', '/anthropic/v1/messages']) {
      it(`refuses a foreign host for ${path}, also from a page that may use the proxy`, async () => {
        const response = await server.ask({ path, headers: ['Host: evil.example', PAGE] });
        assert.equal(response.status, 403);
        assert.match(response.body.toString(), /The Host header does not name this computer/);
        assert.equal(response.field('access-control-allow-origin'), undefined);
        assert.equal(lineOf(response)['reason'], 'forbidden_host');
        assertNothingSent();
      });

      it(`refuses a foreign page for ${path}`, async () => {
        for (const method of ['GET', 'POST', 'OPTIONS']) {
          const response = await server.ask({ method, path, headers: ['Origin: https://evil.example'] });
          assert.equal(response.status, 403, method);
          assert.match(response.body.toString(), /Web pages of this origin may not use the proxy/);
          assert.equal(response.field('access-control-allow-origin'), undefined);
          assert.equal(lineOf(response)['reason'], 'forbidden_origin');
        }
        assertNothingSent();
      });
    }

    it('refuses a request with two hosts, with none, or for another server', async () => {
      for (const headers of [['Host: 127.0.0.1', 'Host: 127.0.0.1'], ['Host:']]) {
        assertError(await server.ask({ path: '/health', headers }), PROXY_ERRORS.badHost);
      }
      assertError(await server.ask({ path: 'http://evil.example/health' }), PROXY_ERRORS.foreignHost);
      assertError(await server.ask({ path: 'https://127.0.0.1/health' }), PROXY_ERRORS.badTarget);
      assertError(await server.ask({ path: '/health#x' }), PROXY_ERRORS.badTarget);
      assert.equal((await server.ask({ path: 'http://127.0.0.1/health', headers: ['Host: x'] })).status, 200);
    });

    it('serves the names that are allowed', async () => {
      assert.equal((await server.ask({ path: '/health', headers: ['Host: proxy.example:80'] })).status, 200);
    });

    it('tells an allowed page what it may do, and every response that the page may read it', async () => {
      const preflight = await server.ask({ ...CHAT, method: 'OPTIONS', headers: [PAGE] });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.field('allow'), 'POST, OPTIONS');
      assert.equal(preflight.field('access-control-allow-methods'), 'POST');
      assert.equal(lineOf(preflight)['status'], 204);
      const responses = [
        preflight,
        await server.ask({ path: '/health', headers: [PAGE] }),
        await server.ask({ path: '/ready', headers: [PAGE] }),
        await server.ask({ path: '/v1/models', key: null, headers: [PAGE] }),
        await server.ask({ path: '/elsewhere', headers: [PAGE] }),
      ];
      assert.deepEqual(
        responses.map(({ status }) => status),
        [204, 200, 200, 401, 404],
      );
      for (const response of responses) {
        assert.equal(response.field('access-control-allow-origin'), 'https://app.example');
        assert.equal(response.field('vary'), 'Origin');
      }
      const { connection, call } = await server.chat({ headers: [PAGE] });
      await server.answer(call);
      assert.equal((await connection.readResponse()).field('access-control-allow-origin'), 'https://app.example');
    });

    it('tells nothing about pages to a program that is none', async () => {
      const response = await server.ask({ ...CHAT, method: 'OPTIONS', key: null });
      assert.equal(response.status, 204);
      assert.deepEqual(
        response.fields.filter((line) => /^(?:access-control|vary)/i.test(line)),
        [],
      );
    });
  });

  describe('for paths and methods', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    it('refuses other paths and methods in the form that the client knows', async () => {
      assertError(await server.ask({ path: '/elsewhere' }), PROXY_ERRORS.noSuchPath);
      const wrongMethod = await server.ask({ ...CHAT, method: 'GET' });
      assert.equal(wrongMethod.status, 405);
      assert.equal(wrongMethod.field('allow'), 'POST, OPTIONS');
      const messages = await server.ask({ path: '/anthropic/elsewhere' });
      assert.equal(messages.status, 404);
      const { type, request_id: id } = messages.json() as { type: string; request_id: string };
      assert.equal(type, 'error');
      assert.equal(id, messages.field('request-id'));
      assert.equal(id, messages.field('x-request-id'));
      const responses = await server.ask({ path: '/responses/elsewhere' });
      assert.equal(responses.field('request-id'), undefined);
      assert.notEqual(responses.field('x-request-id'), undefined);
      assertNothingSent();
    });

    it('logs a path that it does not serve without its text, with the ID that the client is told', async () => {
      const line = lineOf(await server.ask({ path: `/${ACCESS_KEY}` }));
      assert.equal(line['path'], 'other');
      assert.equal(line['status'], 404);
      assert.equal(line['end'], 'complete');
      assert.equal(line.level, 'info');
      assert.ok(!JSON.stringify(server.lines()).includes(ACCESS_KEY));
    });

    it('answers /health without a key, and logs it only at debug', async () => {
      const response = await server.ask({ path: '/health', key: null });
      assert.equal(response.status, 200);
      assert.deepEqual(response.json(), { status: 'ok', service: 'sealed-proxy', version: VERSION });
      assert.equal(response.field(REPORT_HEADER), undefined);
      assert.equal(lineOf(response).level, 'debug');
    });

    it('answers /ready with the reason, and logs it only at debug', async () => {
      const ready = await server.ask({ path: '/ready', key: null });
      assert.deepEqual([ready.status, ready.json()], [200, { status: 'ready' }]);
      server.notReady = RECONNECTING;
      const notReady = await server.ask({ path: '/ready', key: null });
      const { message } = RECONNECTING;
      assert.deepEqual(
        [notReady.status, notReady.json()],
        [503, { status: 'not_ready', reason: 'reconnecting', message }],
      );
      assert.equal(lineOf(notReady).level, 'debug');
    });
  });

  describe('for windows of the same user', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    const own = (request: WindowRequest, secret: Uint8Array = server.secret) =>
      `${REQUEST_HEADERS[request]}: ${makeRequest(request, secret, aReport(server.port))}`;

    it('proves that it is theirs', async () => {
      const challenge = makeChallenge();
      const code = authenticateChallenge(server.secret, challenge, server.port);
      const headers = [`${CHALLENGE_HEADER}: ${challenge}`, `${WINDOW_HEADER}: ${code}`];
      const sealed = (await server.ask({ path: '/health', key: null, headers })).field(REPORT_HEADER) ?? '';
      assert.deepEqual(openReport(server.secret, challenge, server.port, sealed), aReport(server.port));
    });

    it('gives back the port, reports its requests and evidence, and erases its sums', async () => {
      await server.ask({ path: '/v1/models', key: null });
      const release = await server.ask({ method: 'POST', path: '/health', key: null, headers: [own('release')] });
      assert.deepEqual([release.status, release.json(), release.field('connection')], [202, {}, 'close']);
      assert.equal(lineOf(release).level, 'info');
      assert.deepEqual(server.events, [{ type: 'releaseRequested' }]);
      const activity = await server.ask({ path: '/health?after=0', key: null, headers: [own('activity')] });
      assert.equal(lineOf(activity).level, 'debug');
      const { finished } = activity.json() as { finished: { path: string }[] };
      assert.deepEqual(
        finished.map(({ path }) => path),
        ['/v1/models'],
      );
      const later = await server.ask({ path: '/health?after=1', key: null, headers: [own('activity')] });
      assert.deepEqual((later.json() as { finished: unknown }).finished, []);
      const evidence = await server.ask({ path: '/health', key: null, headers: [own('evidence')] });
      assert.deepEqual([evidence.status, evidence.json()], [200, null]);
      assert.equal(lineOf(evidence).level, 'debug');
      const erase = await server.ask({ method: 'POST', path: '/health', key: null, headers: [own('eraseUsage')] });
      assert.deepEqual([erase.status, erase.json()], [202, {}]);
      assert.deepEqual(server.usage, ['flush', 'flush', 'erase']);
    });

    it('gives nobody else anything but its health', async () => {
      for (const request of ['release', 'eraseUsage', 'activity', 'evidence'] as const) {
        const headers = [own(request, randomBytes(32))];
        assert.equal((await server.ask({ method: 'POST', path: '/health', headers })).status, 405);
        assert.deepEqual((await server.ask({ path: '/health', headers })).json(), {
          status: 'ok',
          service: 'sealed-proxy',
          version: VERSION,
        });
        // only /health is for windows
        assert.equal(
          (await server.ask({ path: '/ready', headers: [own(request)] })).body.toString(),
          '{"status":"ready"}',
        );
      }
      assert.deepEqual([server.events, server.usage], [[], []]);
    });

    it('does not count their checks as answers to a user', async () => {
      const { connection, call } = await server.chat({ headers: [own('check')] });
      await server.answer(call);
      await connection.readResponse();
      await server.recorded();
      assert.equal(server.records[0]?.isCheck, true);
      assert.deepEqual(server.events, []);
    });
  });

  describe('for keys', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    for (const [name, key, error] of [
      ['no key', null, PROXY_ERRORS.noKey],
      ['a malformed key', 'with a space', PROXY_ERRORS.badKey],
      ['an unknown access key', `sealed-${'x'.repeat(43)}`, PROXY_ERRORS.unknownAccessKey],
    ] as const) {
      it(`refuses ${name} on every route that needs one`, async () => {
        for (const request of [CHAT, { path: '/v1/models' }, { ...CHAT, path: '/v1/embeddings' }]) {
          const response = await server.ask({ ...request, key });
          assertError(response, error);
          assert.equal(response.field('www-authenticate'), 'Bearer realm="sealed-proxy"');
          const { reason, client, status } = lineOf(response);
          assert.deepEqual([reason, client, status], [error.reason, 'none', 401]);
        }
        assert.equal((await server.ask({ ...MESSAGES, key })).status, 401);
        assert.deepEqual(
          server.records.map(({ caller, outcome }) => [caller, outcome]),
          Array(4).fill(['unknown', 'refused']),
        );
        assertNothingSent();
      });
    }

    it('takes the x-api-key header only for Messages and Responses', async () => {
      const headers = [`x-api-key: ${ACCESS_KEY}`];
      assert.equal((await server.ask({ ...CHAT, key: null, headers })).status, 401);
      assertNothingSent();
      await server.send({ ...MESSAGES, key: null, headers });
      const { metadata } = await server.backend.open(await server.backend.transport.next('the translated request'));
      assert.deepEqual(metadata['credential'], { kind: 'api_key', value: API_KEY });
      assert.ok(!JSON.stringify(metadata).includes(ACCESS_KEY));
    });

    it('puts the API key of the proxy in the place of an access key, which stays here', async () => {
      const { connection, call } = await server.chat({ headers: [`x-api-key: ${ACCESS_KEY}`, 'x-kept: 1'] });
      const { metadata, body } = await server.backend.open(call);
      const { credential, method, target, headers } = metadata;
      assert.deepEqual(credential, { kind: 'api_key', value: API_KEY });
      assert.deepEqual([method, target], ['POST', '/v1/chat/completions']);
      assert.deepEqual(headers, [{ name: 'x-kept', value: '1' }]);
      assert.equal(body.toString(), '{"model":"m"}');
      connection.destroy();
    });

    it('sends the key of a client that has its own', async () => {
      const { connection, call } = await server.chat({ key: 'sk-of-the-client' });
      const { metadata } = await server.backend.open(call);
      assert.deepEqual(metadata['credential'], { kind: 'api_key', value: 'sk-of-the-client' });
      connection.destroy();
      await server.recorded();
      assert.equal(server.records[0]?.caller, 'direct');
      assert.equal(log(CHAT.path)[0]?.['client'], 'direct');
    });

    it('separates the prompt cache of this user only for chats', async () => {
      const { call: chat } = await server.chat();
      const { call: embeddings } = await server.chat({ path: '/v1/embeddings' });
      const { call: models } = await server.chat({ method: 'GET', path: '/v1/models' });
      const roots = await Promise.all(
        [chat, embeddings, models].map(async (call) => (await server.backend.open(call)).metadata),
      );
      assert.deepEqual(
        roots.map((metadata) => metadata['cache_namespace_root'] === null),
        [false, true, true],
      );
    });

    it('refuses HTTP/1.0, and a body in a coding that it cannot read', async () => {
      const connection = await server.connect();
      connection.send(server.text(CHAT).replace('HTTP/1.1', 'HTTP/1.0'));
      assertError(await connection.readResponse(), PROXY_ERRORS.httpVersion);
      assert.equal((await server.ask({ ...MESSAGES, headers: ['Content-Encoding: gzip'] })).status, 415);
      assertNothingSent();
    });

    it('refuses a request that is too large to be sent', async () => {
      const { max, error } = BODY_LIMITS.relayed;
      const headers = [`Content-Length: ${max + 1}`];
      const { method, path } = CHAT;
      const response = await server.ask({ method, path, headers });
      assertError(response, error);
      const translated = [`Content-Length: ${BODY_LIMITS.translated.max + 1}`];
      assert.equal((await server.ask({ method, path: MESSAGES.path, headers: translated })).status, 413);
      assertNothingSent();
    });
  });

  describe('for the limits of a client', () => {
    it('refuses a key that has expired', async () => {
      server = await ServerUnderTest.open({ limits: { expires: '1969-12-31' } });
      const response = await server.ask(CHAT);
      assert.equal(response.status, 401);
      assert.match(response.body.toString(), /valid until the end of 1969-12-31/);
      assert.equal(lineOf(response)['client'], 'alice');
      assertNothingSent();
    });

    it('refuses a request beyond those of a minute, of this client alone', async () => {
      server = await ServerUnderTest.open({ limits: { requests: 1 } });
      const { connection, call } = await server.chat();
      await server.answer(call);
      assert.equal((await connection.readResponse()).status, 200);
      const response = await server.ask(CHAT);
      assert.equal(response.status, 429);
      assert.equal(response.field('retry-after'), '60');
      assert.equal(lineOf(response)['reason'], 'requests_limit');
      const other = await server.chat({ key: 'sk-of-the-client' });
      await server.answer(other.call);
      assert.equal((await other.connection.readResponse()).status, 200);
    });

    const USAGE = '{"usage":{"prompt_tokens":8,"completion_tokens":2}}';
    const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
    /** Answers with 10 tokens. */
    const answerWithUsage = async (path = CHAT.path, method = 'POST') => {
      const { connection, call } = await server.chat({ path, method });
      const response = await server.backend.respond(call);
      call.respond(200, RECORDS, response.start(200, JSON_TYPE), response.chunk(USAGE), response.end());
      await connection.readResponse();
      await eventually('the end of the request', () => server.records.at(-1)?.path === path);
    };

    it('refuses a request beyond the tokens of a minute', async () => {
      server = await ServerUnderTest.open({ limits: { tokens: 10 } });
      await answerWithUsage('/v1/models', 'GET'); // no model answers these
      await answerWithUsage('/v1/embeddings');
      const response = await server.ask(CHAT);
      assert.equal(response.status, 429);
      assert.match(response.body.toString(), /10 tokens in a minute/);
    });

    it('counts the tokens of a chat', async () => {
      server = await ServerUnderTest.open({ limits: { tokens: 11 } });
      await answerWithUsage();
      await answerWithUsage();
      assert.equal((await server.ask(CHAT)).status, 429);
    });

    it('sends no request for a model that this client may not use, or whose model cannot be read', async () => {
      server = await ServerUnderTest.open({ limits: { models: ['other'] } });
      for (const path of [CHAT.path, '/v1/embeddings']) {
        const response = await server.ask({ ...CHAT, path, headers: ['content-type: application/json'] });
        assert.equal(response.status, 403, path);
        assert.match(response.body.toString(), /may be used only for other/);
      }
      assertError(await server.ask({ ...CHAT, path: `${CHAT.path}?a=b` }), PROXY_ERRORS.unreadableModel);
      assert.equal(server.limits.held.requests, 0);
      assertNothingSent();
      const { call } = await server.chat({ method: 'GET', path: '/v1/models' });
      assert.equal((await server.backend.open(call)).metadata['target'], '/v1/models');
    });

    it('translates no request for a model that this client may not use', async () => {
      server = await ServerUnderTest.open({ limits: { models: ['other'] } });
      const connection = await server.send(MESSAGES);
      await server.answer(await server.backend.transport.next('the list of models'), 200, '{"data":[{"id":"m"}]}');
      const response = await connection.readResponse();
      assert.equal(response.status, 403);
      assert.match(response.body.toString(), /may be used only for other/);
      assert.equal(server.backend.transport.calls.length, 1);
    });

    it('sends a request for a model that this client may use', async () => {
      server = await ServerUnderTest.open({ limits: { models: ['m'] } });
      const { call } = await server.chat({ headers: ['content-type: application/json'] });
      assert.equal((await server.backend.open(call)).metadata['target'], CHAT.path);
    });
  });

  describe('when a request ends', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    it('has one line in the log, one record, and the news that this key was answered', async () => {
      const { connection, call } = await server.chat();
      await server.answer(call);
      const response = await connection.readResponse();
      assert.equal(response.body.toString(), '{}');
      await server.recorded();
      const { client, status, end } = lineOf(response);
      assert.deepEqual([client, status, end], ['alice', 200, 'complete']);
      assert.equal(log(CHAT.path).length, 1);
      assert.equal(server.records[0]?.caller, ACCESS_KEY_ID);
      assert.deepEqual(server.events, [{ type: 'chatAnswered', id: ACCESS_KEY_ID }]);
      assert.deepEqual(server.outcomes, [null]);
      assert.deepEqual(server.limits.held, { requests: 0, bytes: 0 });
    });

    it('is no answer to a chat if it failed, was no chat, or came without an access key', async () => {
      const failed = await server.chat();
      await server.answer(failed.call, 500);
      const models = await server.chat({ method: 'GET', path: '/v1/models' });
      await server.answer(models.call);
      const direct = await server.chat({ key: 'sk-of-the-client' });
      await server.answer(direct.call);
      for (const { connection } of [failed, models, direct]) await connection.readResponse();
      await server.recorded(3);
      assert.deepEqual(server.events, []);
    });

    it('tells that the client has gone', async () => {
      const { connection, call } = await server.chat();
      connection.destroy();
      await server.recorded();
      assert.ok(call.isCancelled());
      assert.equal(server.records[0]?.outcome, 'cancelled');
      assert.equal(log(CHAT.path)[0]?.['end'], 'client-gone');
      assert.deepEqual(server.limits.held, { requests: 0, bytes: 0 });
    });

    it('logs no model that is a key', async () => {
      const { connection, call } = await server.chat({ body: JSON.stringify({ model: API_KEY }) });
      await server.answer(call, 404);
      await connection.readResponse();
      await server.recorded();
      assert.equal(server.records[0]?.requestedModel, null);
      assert.ok(!JSON.stringify(server.lines()).includes(API_KEY));
    });

    it('counts how it ended while the proxy stops', async () => {
      const early = await server.chat();
      await server.answer(early.call);
      await early.connection.readResponse();
      await server.recorded();
      assert.deepEqual(server.shutdown.counts, { finished: 0, cutOff: 0 });
      assert.ok(!server.shutdown.isStopping);
      server.shutdown.begin();
      assert.ok(server.shutdown.isStopping);
      const [finished, cutOff] = [await server.chat(), await server.chat()];
      await server.ask({ path: '/health' }); // is not relayed
      await server.answer(finished.call);
      await finished.connection.readResponse();
      await server.recorded(2);
      server.shutdown.cutOff();
      server.shutdown.begin(); // changes nothing any more
      server.cutOff();
      await cutOff.connection.end();
      await server.recorded(3);
      assert.deepEqual(server.shutdown.counts, { finished: 1, cutOff: 1 });
      assert.deepEqual(
        log(CHAT.path).map(({ end }) => end),
        ['complete', 'complete', 'shutdown'],
      );
    });

    it('is refused at once if there is no room for its caller', async () => {
      while (server.limits.admit([ACCESS_KEY_ID]) !== undefined);
      const response = await server.ask(CHAT);
      assertError(response, PROXY_ERRORS.busyKey);
      assert.equal(response.field('retry-after'), '1');
      while (server.limits.admit(['direct', 'unknown']) !== undefined);
      assertError(await server.ask({ ...CHAT, key: 'sk-of-the-client' }), PROXY_ERRORS.busy);
      assertNothingSent();
    });

    it('makes its API key a caller of its own once the backend has accepted it', async () => {
      const key = 'sk-of-the-client';
      const { connection, call } = await server.chat({ key });
      await server.answer(call);
      await connection.readResponse();
      while (server.limits.admit(['direct', 'unknown']) !== undefined);
      assert.equal((await server.ask({ ...CHAT, key: 'sk-of-another' })).status, 503);
      assert.equal((await server.chat({ key })).call.request.method, 'POST');
    });
  });

  describe('for what clients expect before they send a body', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    const { method, path, body } = CHAT;
    const length = `Content-Length: ${body.length}`;

    it('says that it may come, once the head was accepted', async () => {
      const connection = await server.send({ method, path, headers: ['Expect: 100-continue', length] });
      assert.equal((await connection.readResponse()).status, 100);
      connection.send(body);
      await server.answer(await server.backend.transport.next('the request'));
      assert.equal((await connection.readResponse()).status, 200);
    });

    it('closes the connection of a client that sends none because it was refused', async () => {
      const connection = await server.send({ method, path, key: null, headers: ['Expect: 100-continue', length] });
      const response = await connection.readResponse();
      assertError(response, PROXY_ERRORS.noKey);
      assert.equal(response.field('connection'), 'close');
      assert.equal(await connection.end(), 'closed');
    });

    it('refuses what it does not know', async () => {
      const connection = await server.send({ ...CHAT, headers: ['Expect: 200-ok'] });
      const response = await connection.readResponse();
      assertError(response, PROXY_ERRORS.expectation);
      assert.equal(response.field('connection'), 'close');
      assertNothingSent();
    });
  });

  describe('for connections', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    it('answers what is not HTTP, and closes the connection', async () => {
      const connection = await server.connect();
      connection.send('HELLO\r\n\r\n');
      const response = await connection.readResponse();
      assertError(response, PROXY_ERRORS.badRequest);
      assert.equal(response.field('connection'), 'close');
      assert.equal(await connection.end(), 'closed');
      const line = lineOf(response);
      assert.deepEqual([line['path'], line['status'], line['method']], ['other', 400, '']);
    });

    it('answers a head that is too long', async () => {
      const connection = await server.connect();
      connection.send(server.text({ path: '/health', headers: [`x: ${'y'.repeat(200 * 1024)}`] }));
      assertError(await connection.readResponse(), PROXY_ERRORS.headTooLarge);
    });

    it('does not act as a proxy for other servers', async () => {
      const connection = await server.connect();
      connection.send('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
      const response = await connection.readResponse();
      assertError(response, PROXY_ERRORS.noSuchPath);
      assert.equal(await connection.end(), 'closed');
      assert.equal(lineOf(response)['method'], 'CONNECT');
    });

    it('refuses a tunnel after the responses that the client waits for', async () => {
      const connect = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n';
      const { connection, call } = await server.chat();
      connection.send(server.text({ path: '/health' }) + connect + 'more');
      await server.ask({ path: '/ready' }); // by then, the proxy has read what was sent before
      await server.answer(call);
      for (const status of [200, 200, 404]) assert.equal((await connection.readResponse()).status, status);
      assert.equal(await connection.end(), 'closed');

      const { connection: gone, call: cancelled } = await server.chat();
      gone.send(connect);
      gone.destroy();
      await eventually('the end of the request', () => cancelled.isCancelled());
    });

    it('does not answer a request twice if the rest of its body cannot be read', async () => {
      const headers = ['Transfer-Encoding: chunked'];
      const { method, path } = CHAT;
      for (const [status, request] of [
        [401, { method, path, key: null }],
        [200, { path: '/health' }],
      ] as const) {
        const connection = await server.send({ ...request, headers });
        assert.equal((await connection.readResponse()).status, status);
        connection.send('not a length\r\n');
        assert.equal(await connection.end(), 'closed');
        assert.equal(connection.received.length, 0);
      }
      const connection = await server.send({ path: '/health', headers });
      connection.send('0\r\n\r\n');
      assert.equal((await connection.readResponse()).status, 200);
      connection.send('HELLO\r\n\r\n');
      assertError(await connection.readResponse(), PROXY_ERRORS.badRequest);
    });

    it('does not answer what follows a request that still runs, and is not HTTP', async () => {
      const { connection } = await server.chat();
      connection.send('HELLO\r\n\r\n');
      await connection.end();
      assert.equal(connection.received.length, 0);
    });

    it('answers a chunk that cannot be read in the middle of a body', async () => {
      const { method, path } = CHAT;
      const connection = await server.send({ method, path, headers: ['Transfer-Encoding: chunked'] });
      connection.send('5\r\n{"mod\r\n');
      await server.backend.transport.next('the request');
      connection.send('not a length\r\n');
      assertError(await connection.readResponse(), PROXY_ERRORS.badRequest);
    });

    it('answers requests that were sent at once in their order', async () => {
      const connection = await server.connect();
      const health = server.text({ path: '/health' });
      connection.send(health + server.text({ path: '/ready' }) + health);
      const bodies: string[] = [];
      for (let count = 0; count < 3; count++) bodies.push((await connection.readResponse()).body.toString());
      assert.deepEqual(
        bodies.map((body) => body.slice(0, 15)),
        ['{"status":"ok",', '{"status":"read', '{"status":"ok",'],
      );
    });

    it('lets 32 requests wait on a connection, and closes one with more', async () => {
      const health = server.text({ path: '/health' });
      const { connection, call } = await server.chat();
      connection.send(health.repeat(31));
      await server.answer(call);
      for (let count = 0; count < 32; count++) assert.equal((await connection.readResponse()).status, 200);
      const { connection: closed, call: cancelled } = await server.chat();
      closed.send(health.repeat(32));
      await closed.end();
      assert.equal(closed.received.length, 0);
      await eventually('the end of the request', () => cancelled.isCancelled());
      await eventually('the end of those that wait', () => log('/health').length === 31 + 31);
      assert.deepEqual(
        log('/health').map(({ end }) => end),
        [...Array<string>(31).fill('complete'), ...Array<string>(31).fill('client-gone')],
      );
    });

    it('lets the client read an early response although it still sends', async () => {
      const { method, path } = CHAT;
      const size = 4 * 1024 * 1024;
      const connection = await server.send({ method, path, key: null, headers: [`Content-Length: ${size}`] });
      connection.send(Buffer.alloc(size / 2, 'x'));
      assertError(await connection.readResponse(), PROXY_ERRORS.noKey);
      connection.send(Buffer.alloc(size / 2, 'x'));
      connection.send(server.text({ path: '/health' }));
      assert.equal((await connection.readResponse()).status, 200);
    });

    it('answers a client that has closed its half, and notices one that has gone', async () => {
      const waiting = await server.connect({ allowHalfOpen: true });
      waiting.send(server.text(CHAT));
      const call = await server.backend.transport.next('the request');
      waiting.socket.end();
      assert.equal((await waiting.readResponse()).status, 102); // which shows whether anybody is there
      await server.answer(call);
      let response = await waiting.readResponse();
      while (response.status === 102) response = await waiting.readResponse();
      assert.equal(response.status, 200);
      assert.ok(!call.isCancelled());
      assert.equal(await waiting.end(), 'closed');

      const gone = await server.connect({ allowHalfOpen: true });
      gone.send(server.text(CHAT));
      const cancelled = await server.backend.transport.next('the request');
      gone.socket.end();
      await gone.readResponse();
      gone.destroy();
      await eventually('the end of the request', () => cancelled.isCancelled());
    });

    it('takes a client for gone that ends its half in the middle of a response', async () => {
      const { connection, call } = await server.chat();
      const response = await server.begin(call);
      call.handler.onData(response.chunk('data: 1\n\n'));
      await connection.until('data: 1');
      connection.socket.end();
      await eventually('the end of the request', () => call.isCancelled());
    });
  });

  describe('when it stops listening', () => {
    beforeEach(async () => {
      server = await ServerUnderTest.open();
    });

    it('closes idle connections, and lets requests finish', async () => {
      const idle = await server.send({ path: '/health' });
      await idle.readResponse();
      const { connection: running, call } = await server.chat();
      const { port } = server;
      const stopped = server.stop();
      assert.equal(await idle.end(), 'closed');
      await assert.rejects(RawConnection.open(port), { code: 'ECONNREFUSED' });
      await server.answer(call);
      assert.equal((await running.readResponse()).status, 200);
      assert.equal(await running.end(), 'closed');
      await stopped;
      assert.equal(log(CHAT.path).length, 1);
    });

    it('answers the first request of a connection that was just made', async () => {
      const [used, unused] = [await server.connect(), await server.connect()];
      const { port } = server;
      const stopped = server.stop(false);
      used.send(server.text({ path: '/health', headers: [`Host: 127.0.0.1:${port}`] }));
      assert.equal((await used.readResponse()).status, 200);
      assert.equal(await unused.end(), 'closed');
      await stopped;
    });
  });

  describe('with TLS', () => {
    const identity = identityFor('localhost');
    let sockets: TLSSocket[];

    beforeEach(async () => {
      sockets = [];
      server = await ServerUnderTest.open({ tls: identity });
    });

    afterEach(() => {
      for (const socket of sockets) socket.destroy();
    });

    /** Resolves with the protocol and the cipher; rejects if the handshake fails. */
    const handshake = async (options: ConnectionOptions) => {
      const socket = connectTls({
        port: server.port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: identity.ca,
        ...options,
      });
      sockets.push(socket);
      await withTimeout(
        'the handshake',
        DEADLINE,
        new Promise((resolve, reject) => {
          socket.once('secureConnect', resolve).once('error', reject);
        }),
      );
      return socket;
    };

    it('serves requests, also in the form for proxies, and notices that a client has gone', async () => {
      const connection = await server.connect({ ca: [identity.ca] });
      connection.send(server.text({ path: '/health' }));
      assert.equal((await connection.readResponse()).status, 200);
      connection.send(server.text({ path: 'https://localhost/health' }));
      assert.equal((await connection.readResponse()).status, 200);
      connection.send(server.text({ path: 'http://localhost/health' }));
      assertError(await connection.readResponse(), PROXY_ERRORS.badTarget);
      connection.send(server.text(CHAT));
      const call = await server.backend.transport.next('the request');
      connection.destroy();
      await eventually('the end of the request', () => call.isCancelled());
    });

    it('uses TLS 1.3, or 1.2 with forward secrecy and authenticated encryption', async () => {
      assert.equal((await handshake({})).getProtocol(), 'TLSv1.3');
      for (const ciphers of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305']) {
        const socket = await handshake({ maxVersion: 'TLSv1.2', ciphers });
        assert.equal(socket.getProtocol(), 'TLSv1.2');
        assert.equal(socket.getCipher().name, ciphers);
      }
      for (const ciphers of ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256']) {
        assert.equal((await handshake({ ciphers })).getCipher().name, ciphers);
      }
      for (const options of [
        { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
        { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      ] as const) {
        await assert.rejects(handshake(options), { code: /^ERR_SSL_/ });
      }
    });

    it('refuses to do a handshake twice on one connection, and closes it', async () => {
      const socket = await handshake({ maxVersion: 'TLSv1.2' });
      const closed = new Promise((resolve) => {
        socket.once('close', resolve);
      });
      const error = await withTimeout(
        'the refusal',
        DEADLINE,
        new Promise((resolve) => {
          socket.once('error', resolve);
          socket.renegotiate({ rejectUnauthorized: false }, resolve);
        }),
      );
      assert.equal((error as NodeJS.ErrnoException).code, 'ERR_SSL_NO_RENEGOTIATION');
      await withTimeout('the end of the connection', DEADLINE, closed);
      await server.stop();
    });

    it('closes a connection that does not begin with a handshake, without an answer', async () => {
      const connection = await server.connect();
      connection.send(server.text({ path: '/health' }));
      await connection.end();
      assert.ok(!connection.received.toString('latin1').includes('HTTP/'));
    });

    it('uses a new certificate for new connections', async () => {
      const next = identityFor('localhost');
      await handshake({});
      server.setTls(next);
      await assert.rejects(handshake({}), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
      await handshake({ ca: next.ca });
    });
  });
});
