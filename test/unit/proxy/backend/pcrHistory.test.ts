import assert from 'node:assert/strict';
import { Agent } from 'undici';
import { PINS } from '../../../../src/attestation/pins.ts';
import { createHistoryLoader } from '../../../../src/proxy/backend/pcrHistory.ts';
import { HISTORIES, HistoryServer, namedOnlyIn } from '../../../support/histories.ts';
import { DEADLINE, flushEventLoop, withTimeout } from '../../../support/withTimeout.ts';

const MEBIBYTE = 1024 * 1024;
const [LISTED] = namedOnlyIn('production');
const UNAVAILABLE = { name: 'SessionError', code: 'history_unavailable' };

describe('createHistoryLoader()', () => {
  let test: HistoryServer;

  beforeEach(async () => {
    test = await HistoryServer.open();
  });

  afterEach(() => test.close());

  for (const environment of ['production', 'development'] as const) {
    it(`downloads the history of ${environment}, which approves the images in it`, async () => {
      const history = test.loader(environment);
      await flushEventLoop();
      assert.equal(test.server.connections.length, 0, 'not before the first call');
      const asked = history(namedOnlyIn(environment)[0]);
      const connection = await test.server.next();
      const { host, pathname } = new URL(PINS[environment].historyUrl);
      const head = await connection.takeHead();
      assert.match(head, new RegExp(`^GET ${pathname} HTTP/1\\.1\\r\\nhost: ${host}\\r\\n`));
      assert.doesNotMatch(head, /cookie|authorization|accept-encoding/i);
      const body = HISTORIES[environment];
      connection.write(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`);
      connection.write(body);
      const result = await withTimeout('the history', DEADLINE, asked);
      assert.equal(result.environment, environment);
      assert.equal(result.approves(namedOnlyIn(environment)[0]), true);
      assert.equal(result.approves('ab'.repeat(48)), false);
    });
  }

  for (const status of [201, 204, 206, 301, 302, 303, 307, 308, 403, 404, 429, 500, 503]) {
    it(`fails with status ${status}, and follows no redirect`, async () => {
      const asked = test.loader()(LISTED);
      asked.catch(() => undefined);
      const connection = await test.server.next();
      await connection.takeHead();
      const length = status === 204 ? '' : `content-length: ${HISTORIES.production.length}\r\n`;
      connection.write(`HTTP/1.1 ${status} X\r\nlocation: https://elsewhere.example/\r\n${length}\r\n`);
      if (status !== 204) connection.write(HISTORIES.production);
      await assert.rejects(withTimeout('the refusal', DEADLINE, asked), (error: unknown) => {
        assert.match(String((error as Error).cause), new RegExp(`answered with ${status}`));
        return (error as { code: string }).code === 'history_unavailable';
      });
      await flushEventLoop();
      assert.equal(test.server.connections.length, 1);
    });
  }

  it('does not read the body of a failed response', async () => {
    const asked = test.loader()(LISTED);
    asked.catch(() => undefined);
    const connection = await test.server.next();
    await connection.takeHead();
    connection.write(`HTTP/1.1 503 X\r\ncontent-length: ${MEBIBYTE}\r\n\r\nbusy`);
    await assert.rejects(withTimeout('the refusal', DEADLINE, asked), UNAVAILABLE);
    await withTimeout('the connection to close', DEADLINE, connection.closed);
  });

  it('fails for more than 1 MiB, and stops reading', async () => {
    const asked = test.loader()(LISTED);
    asked.catch(() => undefined);
    const connection = await test.server.next();
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
      await assert.rejects(test.answered(test.loader()(LISTED), body), refused);
    }
  });

  it('fails for an incomplete response', async () => {
    const asked = test.loader()(LISTED);
    asked.catch(() => undefined);
    const connection = await test.server.next();
    await connection.takeHead();
    connection.end(`HTTP/1.1 200 OK\r\ncontent-length: ${HISTORIES.production.length}\r\n\r\n[`);
    await assert.rejects(withTimeout('the refusal', DEADLINE, asked), UNAVAILABLE);
  });

  it('fails without a network, and keeps the cause', async () => {
    await test.server.close();
    const offline = new Agent({
      connect: (_options, callback) => {
        callback(Object.assign(new Error('offline'), { code: 'ENOTFOUND' }), null);
      },
    });
    await assert.rejects(
      withTimeout('the refusal', DEADLINE, createHistoryLoader('production', offline, test.clock)(LISTED)),
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
        const asked = test.loader()(LISTED);
        asked.catch(() => undefined);
        const connection = await test.server.next();
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
