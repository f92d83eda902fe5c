import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiHandler } from '../../../src/devEnclave/model/apiHandler.ts';
import type { RunningEnclave } from '../../../src/devEnclave/server.ts';
import type { Session } from '../../../src/session/session.ts';
import { call, collect, connect, openAnswer, outerHeaders, seal, sendRecord } from '../../support/devEnclave/client.ts';
import { muteErrors, useEnclaves } from '../../support/devEnclave/fixture.ts';
import { DEADLINE, withTimeout } from '../../support/withTimeout.ts';

const CHAT = chat('hello');

function chat(content: string): Buffer {
  return Buffer.from(JSON.stringify({ model: 'llama3-3-70b', stream: true, messages: [{ role: 'user', content }] }));
}

describe('Responses of the development enclave', () => {
  const start = useEnclaves();
  let enclave: RunningEnclave;
  let session: Session;

  async function begin(options?: Parameters<typeof start>[0]): Promise<void> {
    enclave = await start(options);
    session = await connect(enclave.url);
  }

  describe('to a client that disconnects', () => {
    it('during its request do not fail the enclave', async () => {
      await begin();
      const headers = { ...outerHeaders(session), 'content-length': 1000 };
      const request = httpRequest(`${enclave.url}/v2/request`, { method: 'POST', agent: false, headers });
      request.on('error', () => undefined);
      request.write(Buffer.alloc(10));
      const [socket] = (await withTimeout('a socket', DEADLINE, once(request, 'socket'))) as [Socket];
      await withTimeout('the connection', DEADLINE, once(socket, 'connect'));
      request.destroy();
      assert.equal((await call(enclave.url, session, undefined)).status, 400);
      assert.equal(enclave.journal.requests.length, 1);
    });

    it('are cancelled at once and without an error', async () => {
      const said = muteErrors();
      await begin();
      const message = await sendRecord(enclave.url, session, seal(session, {}, chat('/stall 2')).record);
      await withTimeout('the first records', DEADLINE, once(message, 'data'));
      message.destroy();
      const { end } = await withTimeout('the journal', DEADLINE, enclave.journal.request(0));
      assert.equal((await withTimeout('the cancellation', DEADLINE, end)).ended, 'client-cancelled');
      await new Promise(setImmediate);
      assert.deepEqual(said, []);
    });

    it('are cancelled even if the model never pauses', async () => {
      await begin();
      const message = await sendRecord(enclave.url, session, seal(session, {}, chat('/burst 2000000000')).record);
      await withTimeout('the first records', DEADLINE, once(message, 'data'));
      message.destroy();
      const { end } = await withTimeout('the journal', DEADLINE, enclave.journal.request(0));
      assert.equal((await withTimeout('the cancellation', DEADLINE, end)).ended, 'client-cancelled');
    });
  });

  describe('to a client that reads slowly', () => {
    it('slow the model down and arrive completely', async () => {
      const count = 1000;
      let written = 0;
      await begin({
        handler: async (_request, response) => {
          response.start({ status: 200, headers: [] });
          for (; written < count; written++) {
            if (!response.write(new Uint8Array(65_536))) await response.drained();
          }
          response.end();
        },
      });
      const { record, opener } = seal(session, {}, CHAT);
      const message = await sendRecord(enclave.url, session, record);
      let before = -1;
      while (before !== written) {
        before = written;
        await new Promise((resolve) => setTimeout(resolve, 50)); // no event announces that the model waits
      }
      assert.ok(written < count, 'the model did not wait');
      const answer = openAnswer(opener, (await collect(message)).body);
      assert.equal(answer.body.length, count * 65_536);
    });
  });

  describe('of a handler that fails', () => {
    const failing: ApiHandler = (request, response) => {
      if (request.target === '/late') response.start({ status: 200, headers: [] });
      response.signal.throwIfAborted();
      return Promise.reject(new TypeError('a mistake'));
    };

    beforeEach(() => {
      muteErrors();
      return begin({ handler: failing });
    });

    it('have status 500 before the start', async () => {
      assert.equal((await call(enclave.url, session, undefined)).status, 500);
    });

    it('end with an Error record after the start', async () => {
      await assert.rejects(call(enclave.url, session, undefined, { target: '/late' }), { code: 'enclave_error' });
    });
  });

  it('are written one record at a time, of at most 65,536 bytes', async () => {
    await begin({
      handler: (_request, response) => {
        response.start({ status: 207, headers: [{ name: 'x-a', value: '1' }] });
        response.write(new Uint8Array(65_536 * 2 + 1));
        response.write(new Uint8Array(0));
        response.write(Uint8Array.of(1));
        response.end();
        return Promise.resolve();
      },
    });
    const answer = await call(enclave.url, session, undefined);
    assert.equal(answer.status, 207);
    assert.deepEqual(answer.headers, [{ name: 'x-a', value: '1' }]);
    assert.deepEqual(
      answer.chunks.map(({ length }) => length),
      [65_536, 65_536, 1, 1],
    );
  });
});
