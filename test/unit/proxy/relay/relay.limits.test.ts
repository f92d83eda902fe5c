// What a relay reserves of the limits on all requests, and that it releases all of it, however it ends.
import assert from 'node:assert/strict';
import { PROXY_ERRORS, errorBody } from '../../../../src/proxy/http/openaiErrors.ts';
import { SessionError } from '../../../../src/session/errors.ts';
import type { RawConnection } from '../../../support/e2e/rawHttp.ts';
import { RECORDS } from '../../../support/exchanges.ts';
import { RelaysUnderTest } from '../../../support/relays.ts';
import { flushEventLoop } from '../../../support/withTimeout.ts';

const MIB = 1024 * 1024;
const NOTHING = { requests: 0, bytes: 0 };

describe('Relay', () => {
  let relays: RelaysUnderTest;

  beforeEach(async () => {
    relays = await RelaysUnderTest.open();
  });

  afterEach(() => relays.close());

  /** Answers the next request, up to the first chunk. */
  const answer = async () => {
    const call = await relays.backend.transport.next('the request');
    const response = await relays.backend.respond(call);
    call.begin(200, RECORDS);
    call.handler.onData(Buffer.concat([response.start(), response.chunk('word')]));
    return { call, response };
  };
  const failure = new SessionError('network', 'The connection was reset');

  const ends: readonly [string, string, (connection: RawConnection) => Promise<void>][] = [
    [
      'is complete',
      'complete',
      async (connection) => {
        connection.send('5\r\nhello\r\n0\r\n\r\n');
        const { call, response } = await answer();
        call.handler.onData(response.end());
        call.handler.onEnd();
      },
    ],
    [
      'is complete before its upload',
      'complete',
      async (connection) => {
        connection.send('5\r\nhello\r\n');
        const { call, response } = await answer();
        connection.send('5\r\nworld\r\n');
        call.handler.onData(response.end());
        call.handler.onEnd();
      },
    ],
    [
      'loses its client during the upload',
      'client-gone',
      async (connection) => {
        connection.send('5\r\nhello\r\n');
        await relays.backend.transport.next('the request');
        connection.destroy();
      },
    ],
    [
      'loses its client before the first byte of the body',
      'client-gone',
      async (connection) => {
        await flushEventLoop();
        connection.destroy();
      },
    ],
    [
      'loses its client during the response',
      'client-gone',
      async (connection) => {
        connection.send('5\r\nhello\r\n0\r\n\r\n');
        await answer();
        await connection.until('word');
        connection.destroy();
      },
    ],
    [
      'fails before its response',
      'network',
      async (connection) => {
        connection.send('5\r\nhello\r\n0\r\n\r\n');
        (await relays.backend.transport.next('the request')).handler.onError(failure);
      },
    ],
    [
      'fails during its upload',
      'network',
      async (connection) => {
        connection.send('5\r\nhello\r\n');
        (await relays.backend.transport.next('the request')).handler.onError(failure);
        connection.send('5\r\nworld\r\n');
      },
    ],
    [
      'fails during its response',
      'network',
      async (connection) => {
        connection.send('5\r\nhello\r\n0\r\n\r\n');
        (await answer()).call.handler.onError(failure);
      },
    ],
    [
      'has a body that is too large',
      'body_too_large',
      async (connection) => {
        connection.send(`${(51 * MIB).toString(16)}\r\n`);
        connection.send(Buffer.alloc(51 * MIB));
        assert.equal((await connection.readResponse()).status, 413);
      },
    ],
    [
      'has an upload that stops',
      'upload_timeout',
      async (connection) => {
        connection.send('5\r\nhello\r\n');
        assert.equal((await connection.readResponse()).status, 408);
      },
    ],
    [
      'waits too long for its response',
      'timeout',
      async (connection) => {
        connection.send('5\r\nhello\r\n0\r\n\r\n');
        assert.equal((await connection.readResponse()).status, 504);
      },
    ],
    [
      'exceeds the limit of kept bytes',
      'busy',
      async (connection) => {
        const others = relays.limits.admit(['client']) ?? assert.fail();
        assert.ok(others.keep(250 * MIB - 7));
        connection.send('5\r\nhello\r\n');
        await relays.backend.transport.next('the request');
        connection.send('5\r\nworld\r\n');
        const refused = await connection.readResponse();
        assert.deepEqual([refused.status, refused.field('retry-after')], [503, '1']);
        assert.deepEqual(refused.json(), JSON.parse(errorBody(PROXY_ERRORS.busyKey)));
        others.end();
      },
    ],
  ];
  for (const [what, end, play] of ends) {
    it(`releases everything when it ${what}`, async () => {
      if (end === 'upload_timeout') relays.timeouts = { ...relays.timeouts, streamIdleTimeout: 100 };
      if (end === 'timeout') relays.timeouts = { ...relays.timeouts, requestTimeout: 100 };
      const connection = await relays.begin();
      await play(connection);
      assert.equal((await relays.end()).end, end);
      assert.deepEqual(relays.limits.held, NOTHING);
    });
  }

  it('reserves its body until the response starts, and its place until the response ends', async () => {
    const connection = await relays.begin();
    connection.send('5\r\nhello\r\n0\r\n\r\n');
    const call = await relays.backend.transport.next('the request');
    assert.deepEqual(relays.limits.held, { requests: 1, bytes: 5 });
    const response = await relays.backend.respond(call);
    call.begin(200, RECORDS);
    call.handler.onData(response.start());
    assert.deepEqual(relays.limits.held, { requests: 1, bytes: 0 });
    call.handler.onData(response.end());
    call.handler.onEnd();
    await relays.end();
    assert.deepEqual(relays.limits.held, NOTHING);
  });

  it('releases everything when no session can be made', async () => {
    const { sessions } = relays.backend;
    sessions.retire(sessions.current() ?? assert.fail(), 'rejected');
    relays.backend.connect = () => Promise.reject(new SessionError('attestation_refused', 'refused'));
    const connection = await relays.begin('Content-Length: 5');
    connection.send('hello');
    assert.equal((await connection.readResponse()).status, 502);
    assert.equal((await relays.end()).end, 'attestation_refused');
    assert.deepEqual(relays.limits.held, NOTHING);
  });
});
