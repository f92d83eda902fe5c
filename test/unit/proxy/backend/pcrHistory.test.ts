import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import type { PcrHistory } from '../../../../src/attestation/history.ts';
import { PINS } from '../../../../src/attestation/pins.ts';
import type { Environment } from '../../../../src/attestation/pins.ts';
import { createHistoryLoader } from '../../../../src/proxy/backend/pcrHistory.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { RawServer } from '../../../support/rawServer.ts';
import type { RawConnection } from '../../../support/rawServer.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../../support/withTimeout.ts';

const MINUTE = 60_000;
const MEBIBYTE = 1024 * 1024;
const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}.json`, import.meta.url));
const HISTORIES = { production: fixture('pcr-history-prod'), development: fixture('pcr-history-dev') };
const UNAVAILABLE = { name: 'SessionError', code: 'history_unavailable' };

/** A PCR0 that is in the history but not in the pinned list. */
function namedOnlyIn(environment: Environment): string {
  const entries = JSON.parse(HISTORIES[environment].toString()) as { readonly PCR0: string }[];
  const known = PINS[environment].pcr0;
  return (entries.find(({ PCR0 }) => !known.includes(PCR0)) ?? assert.fail()).PCR0;
}

describe('createHistoryLoader()', () => {
  let server: RawServer;
  let dispatcher: Dispatcher;
  let clock: FakeClock;

  beforeEach(async () => {
    server = await RawServer.listen();
    clock = new FakeClock();
    dispatcher = new Agent({
      // Every connection goes to the server of the test, without TLS.
      connect: (_options, callback) => {
        const socket = connect(server.port, '127.0.0.1', () => {
          callback(null, socket);
        });
      },
    });
  });

  afterEach(async () => {
    await withTimeout('the dispatcher to close', DEADLINE, dispatcher.destroy());
    await server.close();
  });

  async function answer(connection: RawConnection, body: Uint8Array, status = 200): Promise<void> {
    await connection.takeHead();
    connection.write(`HTTP/1.1 ${status} X\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`);
    connection.write(body);
  }

  /** Loads the history, and answers the download. */
  async function fetched(history: () => Promise<PcrHistory>, body: Uint8Array, status = 200): Promise<PcrHistory> {
    const asked = history();
    asked.catch(() => undefined);
    await answer(await server.next(), body, status);
    return withTimeout('the history', DEADLINE, asked);
  }

  for (const environment of ['production', 'development'] as const) {
    it(`downloads the history of ${environment}, which approves the images in it`, async () => {
      const history = createHistoryLoader(environment, dispatcher, clock);
      await flushEventLoop();
      assert.equal(server.connections.length, 0, 'not before the first call');
      const asked = history();
      const connection = await server.next();
      const { host, pathname } = new URL(PINS[environment].historyUrl);
      const head = await connection.takeHead();
      assert.match(head, new RegExp(`^GET ${pathname} HTTP/1\\.1\\r\\nhost: ${host}\\r\\n`));
      assert.doesNotMatch(head, /cookie|authorization|accept-encoding/i);
      const body = HISTORIES[environment];
      connection.write(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`);
      connection.write(body);
      const result = await withTimeout('the history', DEADLINE, asked);
      assert.equal(result.environment, environment);
      assert.equal(result.approves(namedOnlyIn(environment)), true);
      assert.equal(result.approves('ab'.repeat(48)), false);
    });
  }

  it('downloads once for simultaneous calls, and keeps the history for ten minutes', async () => {
    const history = createHistoryLoader('production', dispatcher, clock);
    const asked = [history(), history()];
    await answer(await server.next(), HISTORIES.production);
    asked.push(history());
    const [first, ...others] = await withTimeout('the history', DEADLINE, Promise.all(asked));
    assert.ok(others.every((other) => other === first));
    await clock.advance(10 * MINUTE - 1);
    assert.equal(await history(), first);
    assert.equal(server.connections.length, 1);
    await clock.advance(1);
    const second = await fetched(history, HISTORIES.production);
    assert.notEqual(second, first);
    assert.equal(server.connections.length, 2);
  });

  it('retries a failed download after ten minutes and not before', async () => {
    const history = createHistoryLoader('production', dispatcher, clock);
    await assert.rejects(fetched(history, Buffer.alloc(0), 503), UNAVAILABLE);
    await clock.advance(10 * MINUTE - 1);
    await assert.rejects(history(), UNAVAILABLE);
    assert.equal(server.connections.length, 1);
    await clock.advance(1);
    const result = await fetched(history, HISTORIES.production);
    assert.equal(result.approves(namedOnlyIn('production')), true);
    await clock.advance(MINUTE);
    assert.equal(await history(), result);
  });

  for (const status of [201, 204, 206, 301, 302, 303, 307, 308, 403, 404, 429, 500, 503]) {
    it(`fails with status ${status}, and follows no redirect`, async () => {
      const asked = createHistoryLoader('production', dispatcher, clock)();
      asked.catch(() => undefined);
      const connection = await server.next();
      await connection.takeHead();
      const length = status === 204 ? '' : `content-length: ${HISTORIES.production.length}\r\n`;
      connection.write(`HTTP/1.1 ${status} X\r\nlocation: https://elsewhere.example/\r\n${length}\r\n`);
      if (status !== 204) connection.write(HISTORIES.production);
      await assert.rejects(withTimeout('the refusal', DEADLINE, asked), (error: unknown) => {
        assert.match(String((error as Error).cause), new RegExp(`answered with ${status}`));
        return (error as { code: string }).code === 'history_unavailable';
      });
      await flushEventLoop();
      assert.equal(server.connections.length, 1);
    });
  }

  it('does not read the body of a failed response', async () => {
    const asked = createHistoryLoader('production', dispatcher, clock)();
    asked.catch(() => undefined);
    const connection = await server.next();
    await connection.takeHead();
    connection.write(`HTTP/1.1 503 X\r\ncontent-length: ${MEBIBYTE}\r\n\r\nbusy`);
    await assert.rejects(withTimeout('the refusal', DEADLINE, asked), UNAVAILABLE);
    await withTimeout('the connection to close', DEADLINE, connection.closed);
  });

  it('fails for more than 1 MiB, and stops reading', async () => {
    const asked = createHistoryLoader('production', dispatcher, clock)();
    asked.catch(() => undefined);
    const connection = await server.next();
    await connection.takeHead();
    connection.write(`HTTP/1.1 200 OK\r\ncontent-length: ${64 * MEBIBYTE}\r\n\r\n`);
    connection.write(Buffer.alloc(MEBIBYTE, ' '));
    await flushEventLoop();
    connection.write(Buffer.alloc(1, ' '));
    await assert.rejects(withTimeout('the refusal', DEADLINE, asked), (error: unknown) => {
      assert.match(String((error as Error).cause), /longer than 1 MiB/);
      return (error as { code: string }).code === 'history_unavailable';
    });
    await withTimeout('the connection to close', DEADLINE, connection.closed);
  });

  it('reads up to 1 MiB, and refuses a malformed history', async () => {
    const refused = { name: 'AttestationError', code: 'history_invalid' };
    for (const body of [Buffer.alloc(MEBIBYTE, ' '), Buffer.from('{}'), Buffer.from('<html>'), Buffer.from('[]')]) {
      await assert.rejects(fetched(createHistoryLoader('production', dispatcher, clock), body), refused);
    }
  });

  it('downloads a malformed history again after ten minutes', async () => {
    const history = createHistoryLoader('production', dispatcher, clock);
    await assert.rejects(fetched(history, Buffer.from('{}')), { code: 'history_invalid' });
    await clock.advance(10 * MINUTE);
    assert.equal((await fetched(history, HISTORIES.production)).environment, 'production');
  });

  it('fails for an incomplete response', async () => {
    const asked = createHistoryLoader('production', dispatcher, clock)();
    asked.catch(() => undefined);
    const connection = await server.next();
    await connection.takeHead();
    connection.end(`HTTP/1.1 200 OK\r\ncontent-length: ${HISTORIES.production.length}\r\n\r\n[`);
    await assert.rejects(withTimeout('the refusal', DEADLINE, asked), UNAVAILABLE);
  });

  it('fails without a network, and keeps the cause', async () => {
    await server.close();
    const offline = new Agent({
      connect: (_options, callback) => {
        callback(Object.assign(new Error('offline'), { code: 'ENOTFOUND' }), null);
      },
    });
    await assert.rejects(
      withTimeout('the refusal', DEADLINE, createHistoryLoader('production', offline, clock)()),
      (error: unknown) => {
        assert.equal(((error as Error).cause as { code?: string }).code, 'ENOTFOUND');
        return (error as { code: string }).code === 'history_unavailable';
      },
    );
  });

  for (const begun of [false, true]) {
    it(`times out after five seconds if the response does not ${begun ? 'end' : 'begin'}`, async () => {
      const timeout = new AbortController();
      const limits: number[] = [];
      const original = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (milliseconds) => {
        limits.push(milliseconds);
        return timeout.signal;
      };
      try {
        const asked = createHistoryLoader('production', dispatcher, clock)();
        asked.catch(() => undefined);
        const connection = await server.next();
        await connection.takeHead();
        if (begun) connection.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[');
        await flushEventLoop();
        timeout.abort(new Error('5 s'));
        await assert.rejects(withTimeout('the refusal', DEADLINE, asked), UNAVAILABLE);
        await withTimeout('the connection to close', DEADLINE, connection.closed);
        assert.deepEqual(limits, [5000]);
      } finally {
        AbortSignal.timeout = original;
      }
    });
  }
});
