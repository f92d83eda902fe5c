import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dialect, Reply, ReplyOutcome } from '../../../../src/dialects/dialect.ts';
import { DialectSink } from '../../../../src/proxy/dialects/dialectSink.ts';
import type { DialectSinkOptions } from '../../../../src/proxy/dialects/dialectSink.ts';
import { PROXY_ERRORS } from '../../../../src/proxy/http/openaiErrors.ts';
import { RequestEntry } from '../../../../src/proxy/usage/requestEntry.ts';
import type { HeaderField } from '../../../../src/session/wire.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../../support/withTimeout.ts';

/** A dialect whose events are words. */
const reply: Reply = {
  begin: () => 'begin|',
  delta: (delta) => ('text' in delta ? `${delta.text}|` : ''),
  ping: () => 'ping|',
  end: ({ finish }) => `${finish}|`,
  fail: ({ status }) => `fail ${status}|`,
  body: ({ finish }) => JSON.stringify(finish),
};
const EVENTS = { name: 'content-type', value: 'text/event-stream' };
const JSON_TYPE = { name: 'content-type', value: 'application/json' };
const HELLO = 'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n';
const STOP = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const WHOLE = '{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}';

describe('DialectSink', () => {
  let server: Server;
  let received: IncomingMessage | undefined;
  let events: string[];
  let entry: RequestEntry;

  beforeEach(async () => {
    events = [];
    entry = new RequestEntry('POST', '/');
    received = undefined;
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    received?.destroy();
    server.closeAllConnections();
    const closed = once(server, 'close');
    server.close();
    await withTimeout('the end of the server', DEADLINE, closed);
  });

  /** A response to a real client. */
  const open = async ({ stream = true, pingInterval = 60_000, own = reply, lingerTime = 60_000 } = {}) => {
    const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    sent.on('error', () => undefined);
    sent.on('response', (response) => {
      received = response;
      response.on('error', () => undefined);
    });
    sent.end();
    const [, res] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const options: DialectSinkOptions = {
      res,
      entry,
      cors: ['x-cors', 'yes'],
      plan: { model: 'm', stream },
      pingInterval,
      lingerTime,
      dialect: { createReply: () => own } as unknown as Dialect,
      identity: { id: '0'.repeat(32), createdAt: 0 },
      onAccepted: () => events.push('accepted'),
      onRefused: ({ status, text }) => events.push(`refused ${status} ${text}`),
      onFailed: ({ status }) => events.push(`failed ${status}`),
    };
    const sink = new DialectSink(options, {
      pause: () => events.push('pause'),
      resume: () => events.push('resume'),
      abandon: (error, end) => events.push(`${end}: ${error?.message ?? ''}`),
    });
    const response = once(sent, 'response') as Promise<[IncomingMessage]>;
    const head = () => withTimeout('the head', DEADLINE, response);
    /** What the client gets until the end, or until its text satisfies the test. */
    const text = async (enough: (text: string) => boolean = () => false) => {
      const [message] = await head();
      let all = '';
      const done = new Promise<void>((resolve) => {
        message.on('data', (chunk: Buffer) => {
          all += chunk.toString();
          if (enough(all)) resolve();
        });
        message.on('end', resolve);
      });
      await withTimeout('the body', DEADLINE, done);
      return all;
    };
    return { sink, res, head, text };
  };
  const start = (sink: DialectSink, status: number, ...headers: HeaderField[]) => {
    sink.start({ status, headers });
  };
  const write = (sink: DialectSink, text: string) => {
    sink.chunk(Buffer.from(text));
  };

  it('translates an event stream chunk by chunk', async () => {
    const { sink, text } = await open();
    start(sink, 200, EVENTS, { name: 'X-Request-Id', value: 'id-7' }, { name: 'set-cookie', value: 'a=b' });
    for (const character of HELLO) write(sink, character);
    assert.ok((await text((all) => all === 'begin|Hello|')) !== '');
    write(sink, STOP);
    sink.end();
    assert.equal(await text(), 'stop|');
    const { headers } = received ?? assert.fail();
    assert.match(String(headers['content-type']), /^text\/event-stream/);
    assert.deepEqual([headers['x-request-id'], headers['x-cors'], headers['set-cookie']], ['id-7', 'yes', undefined]);
    assert.deepEqual([events, entry.bytesOut], [['accepted'], 'begin|Hello|stop|'.length]);
  });

  for (const [what, type, body] of [
    ['an event stream', EVENTS, HELLO + STOP],
    ['a complete response', JSON_TYPE, WHOLE],
  ] as const) {
    it(`answers as the client asked, with a stream or a body, if the backend sends ${what}`, async () => {
      for (const [stream, expected] of [
        [true, 'begin|Hello|stop|'],
        [false, '"stop"'],
      ] as const) {
        const { sink, text } = await open({ stream });
        start(sink, 200, type);
        write(sink, body);
        sink.end();
        assert.equal(await text(), expected);
        assert.equal(entry.bytesOut, expected.length);
      }
    });
  }

  it('tells the dialect when the response was complete, and how it was processed', async () => {
    const tier = (name: string) => `data: {"choices":[],"service_tier":"${name}"}\n\n`;
    for (const stream of [true, false]) {
      let outcome: ReplyOutcome | undefined;
      const end = (facts: ReplyOutcome) => {
        outcome = facts;
        return '{}';
      };
      const begin = Math.floor(Date.now() / 1000);
      const { sink } = await open({ stream, own: { ...reply, end, body: end } });
      start(sink, 200, EVENTS);
      write(sink, HELLO + tier('flex') + tier('priority') + STOP);
      sink.end();
      assert.deepEqual([outcome?.finish, outcome?.reported], ['stop', { service_tier: 'flex' }]);
      const { completedAt = 0 } = outcome ?? {};
      assert.ok(Number.isInteger(completedAt) && completedAt >= begin && completedAt <= Date.now() / 1000);
    }
  });

  it('passes an error on when it is complete, and has sent nothing before', async () => {
    const { sink, res } = await open();
    start(sink, 429, EVENTS);
    write(sink, 'No ');
    write(sink, 'capacity');
    assert.equal(res.headersSent, false);
    sink.end();
    assert.deepEqual(events, ['refused 429 No capacity']);
    assert.equal(res.headersSent, false);
  });

  it('gives up an error that does not end', async () => {
    const { sink } = await open();
    start(sink, 429, EVENTS);
    for (let count = 0; count < 5; count++) write(sink, ' '.repeat(1024 * 1024));
    assert.equal(events.length, 1);
    assert.match(events[0] ?? '', /^invalid_response: .*too long/);
  });

  it('can be replaced by an error while nothing was sent', async () => {
    const { sink } = await open({ stream: false });
    start(sink, 200, JSON_TYPE);
    write(sink, WHOLE);
    sink.fail(PROXY_ERRORS.imageRefused);
    assert.deepEqual(events, ['accepted', 'failed 502']);
  });

  for (const [what, type, body, message] of [
    ['that ends early', EVENTS, HELLO, /incomplete/],
    ['that is empty', JSON_TYPE, '', /valid JSON/],
    ['that is not JSON', JSON_TYPE, '<html>', /valid JSON/],
    ['with an event that is not JSON', EVENTS, `${HELLO}data: {\n\n`, /valid JSON/],
    ['with an error', EVENTS, `${HELLO}data: {"error":{"message":"Out of memory"}}\n\n`, /Out of memory/],
    ['that is too long', JSON_TYPE, ' '.repeat(4 * 1024 * 1024 + 1), /too long/],
  ] as const) {
    it(`reports a response ${what}, once, and reads no more of it`, async () => {
      for (const stream of [true, false]) {
        const { sink, res } = await open({ stream });
        start(sink, 200, type);
        write(sink, body);
        write(sink, '');
        sink.end();
        const [accepted, invalid = '', ...more] = events.splice(0);
        assert.deepEqual([accepted, more], ['accepted', []]);
        assert.match(invalid, message);
        assert.equal(res.writableEnded, false);
        assert.equal(res.headersSent, stream);
        res.destroy();
      }
    });
  }

  it('reports a mistake in the dialect without its message', async () => {
    const own = {
      ...reply,
      delta: () => {
        throw new TypeError('secret');
      },
    };
    const { sink } = await open({ own });
    start(sink, 200, EVENTS);
    write(sink, HELLO);
    const [, invalid = ''] = events;
    assert.match(invalid, /^translation_failed: The proxy failed/);
  });

  it('ends a stream that fails with the failure, and completely', async () => {
    const { sink, text, res } = await open();
    start(sink, 200, EVENTS);
    sink.fail(PROXY_ERRORS.timeout);
    assert.equal(await text(), 'begin|fail 504|');
    assert.deepEqual([res.writableEnded, received?.complete], [true, true]);
  });

  it('sends what came before an error in the same chunk', async () => {
    const { sink, text } = await open();
    start(sink, 200, EVENTS);
    write(sink, `${HELLO}data: {\n\n`);
    sink.fail(PROXY_ERRORS.imageRefused);
    assert.equal(await text(), 'begin|Hello|fail 502|');
  });

  for (const [what, fail] of [
    ['an error in the dialect', () => assert.fail('secret')],
    ['a dialect that says nothing', () => ''],
  ] as const) {
    it(`leaves a stream without an end if its failure cannot be written, by ${what}`, async () => {
      const { sink, res } = await open({ own: { ...reply, fail } });
      start(sink, 200, EVENTS);
      const closed = once(res, 'close');
      sink.fail(PROXY_ERRORS.timeout);
      await withTimeout('the end of the connection', DEADLINE, closed);
      assert.equal(res.writableEnded, false);
    });
  }

  it('closes the connection of a client that does not read the failure', async () => {
    const own = { ...reply, delta: () => 'x'.repeat(1024 * 1024) };
    const { sink, res } = await open({ own, lingerTime: 1 });
    start(sink, 200, EVENTS);
    for (let count = 0; count < 40; count++) write(sink, HELLO); // far more than the system's own buffers hold
    const closed = once(res, 'close');
    sink.fail(PROXY_ERRORS.timeout);
    await withTimeout('the end of the connection', DEADLINE, closed);
    assert.equal(res.writableFinished, false);
  });

  it('pings a silent stream until it ends', async () => {
    const { sink, text } = await open({ pingInterval: 5 });
    start(sink, 200, EVENTS);
    await text((all) => all.startsWith('begin|ping|ping|'));
    write(sink, STOP);
    sink.end();
    assert.match(await text(), /^(ping\|)*stop\|$/);
  });

  it('keeps back-pressure, and does not ping a client that does not read', async () => {
    let pings = 0;
    const own = {
      ...reply,
      delta: () => 'x'.repeat(1024 * 1024),
      ping: () => {
        pings++;
        return 'ping|';
      },
    };
    const { sink, res, head } = await open({ pingInterval: 1, own });
    start(sink, 200, EVENTS);
    for (let count = 0; count < 40; count++) write(sink, HELLO); // far more than the system's own buffers hold
    assert.deepEqual(events, ['accepted', 'pause']);
    const begin = performance.now();
    while (performance.now() - begin < 10) await flushEventLoop();
    assert.equal(pings, 0);
    assert.equal(res.writableNeedDrain, true);
    const drained = once(res, 'drain');
    const [message] = await head();
    message.resume();
    await withTimeout('the drain', DEADLINE, drained);
    assert.deepEqual(events, ['accepted', 'pause', 'resume']);
  });
});
