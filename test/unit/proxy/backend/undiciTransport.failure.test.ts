import assert from 'node:assert/strict';
import { TransportUnderTest } from '../../../support/transports.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n';

describe('UndiciTransport does not retry', () => {
  let test: TransportUnderTest;

  beforeEach(async () => {
    test = await TransportUnderTest.open();
  });

  afterEach(() => test.close());

  const half = ['head 200', 'data half'];
  for (const [what, end, text, events] of [
    ['the connection ends without a response', 'end', '', []],
    ['the connection is reset without a response', 'reset', '', []],
    ['the response is not HTTP', 'write', '220 smtp.example\r\n\r\n', []],
    ['the only response is a 100', 'end', 'HTTP/1.1 100 Continue\r\n\r\n', []],
    ['a 100 is cut off', 'end', 'HTTP/1.1 100 Con', []],
    ['the response is a 101', 'write', 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', []],
    ['the response is a 100 and then not HTTP', 'write', 'HTTP/1.1 100 Continue\r\n\r\n220 smtp\r\n', []],
    ['the head is cut off', 'end', OK, []],
    ['the body is cut off', 'end', `${OK}content-length: 9\r\n\r\nhalf`, half],
    ['the last chunk is missing', 'end', `${OK}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`, half],
    ['a chunk is malformed', 'write', `${OK}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n`, half],
    ['there are two different lengths', 'write', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, []],
  ] as const) {
    it(`when ${what}: one request, one error, no end`, async () => {
      const { handler, connection } = await test.exchange();
      connection[end](text);
      await handler.until('error');
      await flushEventLoop();
      assert.deepEqual(handler.events.slice(0, -1), events);
      assert.match(handler.events.at(-1) ?? '', /^error /);
      assert.equal(test.server.connections.length, 1);
      assert.equal(connection.received, '');
    });
  }

  it('when the connection is reset in the middle of the body', async () => {
    const { handler, connection } = await test.exchange();
    connection.write(`${OK}content-length: 9\r\n\r\nhalf`);
    await handler.until('data half');
    connection.reset();
    await handler.until('error');
    assert.equal(handler.events.length, 3);
    assert.equal(test.server.connections.length, 1);
  });

  it('when no server listens', async () => {
    await test.server.close();
    const { handler } = test.send();
    await handler.until('error');
    assert.deepEqual(handler.events, ['error ECONNREFUSED']);
  });

  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    it(`when the status is ${status}, even with retry-after`, async () => {
      const { handler, connection } = await test.exchange();
      connection.write(`HTTP/1.1 ${status} Later\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n`);
      await handler.until('end');
      await flushEventLoop();
      assert.deepEqual(handler.events, [`head ${status}`, 'end']);
      assert.equal(test.server.connections.length, 1);
      assert.equal(connection.received, '');
    });
  }

  it('when a kept-alive connection closes while it has the next request', async () => {
    const first = await test.exchange();
    first.connection.write(`${OK}content-length: 0\r\n\r\n`);
    await first.handler.until('end');
    await flushEventLoop();
    const { handler } = test.send();
    await first.connection.take('the second request', 'record');
    first.connection.end();
    await handler.until('error');
    await flushEventLoop();
    assert.equal(handler.events.length, 1);
    assert.equal(test.server.connections.length, 1);
  });
});
