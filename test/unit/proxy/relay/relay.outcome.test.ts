import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { FakeBackend, RECORDS } from '../../../support/exchanges.ts';
import { ACCESS_KEY, API_KEY, ServerUnderTest } from '../../../support/proxyServers.ts';
import { RelaysUnderTest } from '../../../support/relays.ts';

const PATH = '/v1/chat/completions';
const EVENTS = [{ name: 'content-type', value: 'text/event-stream' }];

describe('A request of a Relay', () => {
  let server: ServerUnderTest;

  beforeEach(async () => {
    server = await ServerUnderTest.open();
  });

  afterEach(() => server.close());

  /** The line of the log, once the request is over. */
  const line = async () => {
    await server.recorded();
    const lines = server.lines().filter(({ event }) => event === 'request');
    assert.equal(lines.length, 1);
    return lines[0] ?? assert.fail();
  };

  it('reaches the backend byte for byte, in pieces of any size, and so does the response the client', async () => {
    const uploaded = randomBytes(300_000);
    const connection = await server.send({ method: 'POST', path: PATH, headers: ['Transfer-Encoding: chunked'] });
    for (let offset = 0; offset < uploaded.length; offset += 50_000) {
      const piece = uploaded.subarray(offset, offset + 50_000);
      connection.send(`${piece.length.toString(16)}\r\n`);
      connection.send(piece);
      connection.send('\r\n');
    }
    connection.send('0\r\n\r\n');
    const call = await server.backend.transport.next('the request');
    const record = await call.body();
    assert.deepEqual(server.backend.enclaveOf(call).open(record).body, uploaded);
    const downloaded = randomBytes(3_000_000);
    const response = server.backend.enclaveOf(call).respond(record.subarray(0, 16));
    call.begin(200, RECORDS);
    call.handler.onData(response.start(201, [{ name: 'x-other', value: '1' }]));
    for (let offset = 0; offset < downloaded.length; offset += 16_000) {
      call.handler.onData(response.chunk(downloaded.subarray(offset, offset + 16_000)));
      call.handler.onData(response.chunk(''));
    }
    call.handler.onData(response.end());
    call.handler.onEnd();
    const received = await connection.readResponse();
    assert.equal(received.status, 201);
    assert.equal(received.field('x-other'), '1');
    assert.equal(received.field('date'), undefined); // the backend sends one, or there is none
    assert.ok(received.body.equals(downloaded));
    const { bytesIn, bytesOut, status, end } = await line();
    assert.deepEqual([bytesIn, bytesOut, status, end], [uploaded.length, downloaded.length, 201, 'complete']);
  });

  for (const isUnsent of [true, false]) {
    it(`is recorded as ${isUnsent ? 'certainly not sent' : 'sent, perhaps,'} if its connection fails`, async () => {
      const { call } = await server.chat();
      call.handler.onError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), isUnsent);
      await server.recorded();
      assert.deepEqual(
        server.records.map(({ end, detail, isUnsent: recorded }) => [end, detail, recorded]),
        [['network', 'ECONNREFUSED', isUnsent]],
      );
    });
  }

  it('gets its status at once, before there is a body', async () => {
    const { connection, call } = await server.chat();
    const response = await server.begin(call, 200, EVENTS);
    await connection.until('text/event-stream');
    call.handler.onData(response.chunk('data: 1\n\n'));
    await connection.until('data: 1\n\n');
    call.handler.onData(response.end());
    call.handler.onEnd();
    assert.equal((await connection.readResponse()).body.toString(), 'data: 1\n\n');
  });

  it("keeps the backend's request ID, and has one of the proxy without it", async () => {
    const { connection, call } = await server.chat();
    const response = await server.backend.respond(call);
    call.respond(200, RECORDS, response.start(200, [{ name: 'X-Request-Id', value: 'theirs' }]), response.end());
    const received = await connection.readResponse();
    assert.deepEqual(
      received.fields.filter((field) => /^x-request-id/i.test(field)),
      ['X-Request-Id: theirs'],
    );
    const { connection: other, call: next } = await server.chat();
    await server.answer(next);
    assert.match((await other.readResponse()).field('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
  });

  for (const [what, status, key, expected] of [
    ['a success', 200, ACCESS_KEY, [null]],
    ['a success with the last status', 399, ACCESS_KEY, [null]],
    ['no news if the request was wrong', 400, ACCESS_KEY, []],
    ['no news if the backend failed', 500, ACCESS_KEY, []],
    ["a refusal of the proxy's own key", 401, ACCESS_KEY, ['key_refused']],
    ["no news if a client's own key was refused", 401, 'sk-of-the-client', []],
  ] as const) {
    it(`with status ${status} is ${what}`, async () => {
      const { connection, call } = await server.chat({ key });
      await server.answer(call, status);
      assert.equal((await connection.readResponse()).status, status);
      await line();
      assert.deepEqual(
        server.outcomes.map((failure) => failure?.code ?? null),
        expected,
      );
    });
  }

  it('that could not be sent is answered with the reason, which is a failure of the connection', async () => {
    const { connection, call } = await server.chat();
    call.handler.onError(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    const received = await connection.readResponse();
    assert.equal(received.status, 502);
    const { status, end, detail } = await line();
    assert.deepEqual([status, end, detail], [502, 'network', 'ECONNRESET']);
    assert.deepEqual(
      server.outcomes.map((failure) => failure?.code ?? null),
      ['network'],
    );
    assert.deepEqual(server.limits.held, { requests: 0, bytes: 0 });
  });

  it('whose response ends too early is cut off, and keeps its status in the log', async () => {
    const { connection, call } = await server.chat();
    const response = await server.begin(call, 200, EVENTS);
    call.handler.onData(response.chunk('data: 1\n\n'));
    await connection.until('data: 1\n\n');
    call.handler.onEnd();
    await connection.end();
    assert.ok(!connection.received.includes('\r\n0\r\n\r\n'), 'the end of a complete response');
    const { status, end } = await line();
    assert.equal(status, 200);
    assert.notEqual(end, 'complete');
    assert.equal(server.records[0]?.outcome, 'broken');
  });

  it('whose response is not authentic is refused, and nothing of it reaches the client', async () => {
    const { connection, call } = await server.chat();
    const response = await server.backend.respond(call);
    const start = response.start(200, [{ name: 'x-secret', value: 'planted' }]);
    start[start.length - 1] = (start.at(-1) ?? 0) ^ 1;
    call.begin(200, RECORDS);
    call.handler.onData(start);
    const received = await connection.readResponse();
    assert.equal(received.status, 502);
    assert.ok(!received.fields.some((field) => field.includes('planted')));
    assert.ok(!JSON.stringify(server.lines()).includes(API_KEY));
  });

  describe('with short time limits', () => {
    const limits = { requestTimeout: 50, streamIdleTimeout: 50 };

    beforeEach(async () => {
      await server.close();
      server = await ServerUnderTest.open({ state: limits });
    });

    it('is answered with 504 if the backend does not begin to answer', async () => {
      const { connection, call } = await server.chat();
      const received = await connection.readResponse();
      assert.equal(received.status, 504);
      assert.ok(call.isCancelled());
      assert.equal((await line())['end'], 'timeout');
    });

    it('is answered with what the user can do, if the image of the enclave waits for consent', async () => {
      await server.close();
      const backend = Object.assign(new FakeBackend(), { awaitsConsent: () => true });
      backend.connect = () => new Promise(() => undefined);
      server = await ServerUnderTest.open({ state: limits, backend });
      const connection = await server.send({ method: 'POST', path: PATH, body: '{}' });
      const received = await connection.readResponse();
      assert.equal(received.status, 502);
      assert.match(received.body.toString(), /Confirm the image in VS Code/);
    });

    it('whose response is a stream is cut off if nothing of it comes', async () => {
      const { connection, call } = await server.chat();
      await server.begin(call, 200, EVENTS);
      await connection.end();
      assert.ok(call.isCancelled());
      const { status, end } = await line();
      assert.deepEqual([status, end], [200, 'timeout']);
    });
  });
});

describe('A Relay whose connection certainly sent nothing', () => {
  let relays: RelaysUnderTest;

  beforeEach(async () => {
    relays = await RelaysUnderTest.open();
  });

  afterEach(() => relays.close());

  for (const [isResent, prompt] of [
    [false, 'Your prompt was not sent.'],
    [true, 'The enclave may have received your prompt.'],
  ] as const) {
    it(`says "${prompt}" to a request that was ${isResent ? '' : 'not '}sent before`, async () => {
      const connection = await relays.begin('Content-Length: 5');
      const entry = await relays.entry();
      if (isResent) entry.waited(2000);
      connection.send('hello');
      const call = await relays.backend.transport.next('the request');
      call.handler.onError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), true);
      const { body } = await connection.readResponse();
      assert.ok(body.toString().includes(prompt), body.toString());
      await relays.end();
      assert.equal(entry.record(1, 'direct', true).isUnsent, !isResent);
    });
  }
});
