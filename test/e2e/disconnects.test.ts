// Either side may disconnect at any moment: the other side is notified at once, and the proxy keeps running.
import assert from 'node:assert/strict';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { chatBody, chatBodyOf } from '../support/e2e/chat.ts';
import { sendRequest } from '../support/e2e/httpClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { assertError, backendError } from '../support/e2e/proxyErrors.ts';
import { RawConnection, beginUpload } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, serve } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';
import type { TcpRecorder } from '../support/e2e/tcpRecorder.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

const MIB = 1024 * 1024;

/** The ways in which a client can disconnect. The last one may be that of a client that waits. */
const GOES: readonly [string, (connection: RawConnection) => void][] = [
  ['closes its connection', (connection) => connection.socket.destroy()],
  ['resets its connection', (connection) => connection.socket.resetAndDestroy()],
];
const DISCONNECTS: typeof GOES = [
  ...GOES,
  ['closes its half of the connection', (connection) => connection.socket.end()],
];

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`A proxy with ${runtime}, when the client disconnects,`, () => {
    const scope = perSuite();
    let enclave: RunningEnclave;
    let recorder: TcpRecorder;
    let proxy: ServerProcess;

    before(async () => {
      enclave = await scope.enclave();
      recorder = await scope.recorder(enclave);
      proxy = await scope.proxy(recorder, {}, { nodeArgs });
      await proxy.logged('session');
    });

    const connect = (length: number, body: string | Uint8Array) =>
      beginUpload(proxy.port, `Content-Length: ${length}`, body);

    const assertAlive = async () => {
      assert.equal((await sendRequest(proxy.url, { body: chatBody('Hello') })).status, 200);
    };

    for (const [how, leave] of DISCONNECTS) {
      it(`and ${how} during its upload, cancels the request to the enclave`, async () => {
        const index = enclave.journal.requests.length;
        const logged = proxy.stderr.items.length;
        const carrying = recorder.carrying(MIB);
        const client = await connect(4 * MIB, chatBodyOf(2 * MIB, '/describe'));
        const { closed } = await carrying;
        leave(client);
        await withTimeout('the end of the connection at the enclave', DEADLINE, closed);
        await proxy.logged('request', { end: 'client-gone', status: 0 }, logged);
        await assertAlive();
        assert.equal(enclave.journal.requests.length, index + 1);
      });

      it(`and ${how} during a stream, cancels it`, async () => {
        const body = chatBody('/stall 2', { stream: true });
        const index = enclave.journal.requests.length;
        const connection = await connect(body.length, body);
        await connection.until('"word "');
        const { end } = await enclave.journal.request(index);
        leave(connection);
        assert.equal(
          (await withTimeout('the end of the request at the enclave', DEADLINE, end)).ended,
          'client-cancelled',
        );
        await assertAlive();
        await proxy.logged('request', { end: 'client-gone', status: 200 });
      });
    }

    for (const [how, leave] of GOES) {
      it(`and ${how} while it waits, cancels the request`, async () => {
        const body = chatBody('/hang');
        const index = enclave.journal.requests.length;
        const connection = await connect(body.length, body);
        const { end } = await withTimeout('the request at the enclave', DEADLINE, enclave.journal.request(index));
        leave(connection);
        assert.equal(
          (await withTimeout('the end of the request at the enclave', DEADLINE, end)).ended,
          'client-cancelled',
        );
        await assertAlive();
      });

      it(`and ${how} some time after its half, cancels the request`, async () => {
        const body = chatBody('/hang');
        const index = enclave.journal.requests.length;
        const connection = await connect(body.length, body);
        const { end } = await withTimeout('the request at the enclave', DEADLINE, enclave.journal.request(index));
        connection.socket.end();
        await connection.until('102 Processing');
        leave(connection);
        assert.equal(
          (await withTimeout('the end of the request at the enclave', DEADLINE, end)).ended,
          'client-cancelled',
        );
        await assertAlive();
      });
    }

    it('but only its half after a complete request, answers it', async () => {
      for (const options of [{}, { stream: true }]) {
        const body = chatBody('/wait 1500 Hello', options);
        const connection = await connect(body.length, body);
        connection.socket.end();
        let response = await connection.readResponse();
        for (; response.status === 102; response = await connection.readResponse())
          assert.equal(response.fields.length, 0);
        assert.equal(response.status, 200);
        assert.match(response.body.toString(), /Hello/);
        assert.equal(await connection.end(), 'closed');
      }
    });

    it('but only its half after requests that it has pipelined, answers them', async () => {
      const connection = await RawConnection.open(proxy.port);
      const body = chatBody('Hello');
      const head = ['POST /v1/chat/completions HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${ACCESS_KEY}`];
      const request = [...head, `Content-Length: ${body.length}`, '', body].join('\r\n');
      connection.socket.end(`${request}${request}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      for (let answered = 0; answered < 3;) {
        const { status } = await connection.readResponse();
        if (status === 200) answered++;
        else assert.equal(status, 102);
      }
      assert.equal(await connection.end(), 'closed');
    });

    it('during a stream that it does not read, cancels it', async () => {
      const body = chatBody('/bytes 500000000');
      const index = enclave.journal.requests.length;
      const connection = await connect(body.length, body);
      await connection.until('200 OK');
      connection.socket.pause();
      const { end } = await enclave.journal.request(index);
      connection.socket.resetAndDestroy();
      assert.equal(
        (await withTimeout('the end of the request at the enclave', DEADLINE, end)).ended,
        'client-cancelled',
      );
      await assertAlive();
    });

    it('before its head is complete, sends nothing to the enclave', async () => {
      const index = enclave.journal.requests.length;
      for (const [, leave] of DISCONNECTS) {
        const connection = await RawConnection.open(proxy.port);
        connection.send('POST /v1/chat/completions HTTP/1.1\r\nHost: loc');
        leave(connection);
      }
      await assertAlive();
      assert.equal(enclave.journal.requests.length, index + 1);
    });
  });

  describe(`A proxy with ${runtime}, when the enclave disconnects,`, () => {
    const served = serve(perSuite(), { process: { nodeArgs } });

    const sendWithFault = async (fault: string, body: string | Uint8Array) => {
      served.enclave.setFaults(fault);
      const response = await sendRequest(served.proxy.url, { body });
      served.enclave.setFaults('');
      const alive = await sendRequest(served.proxy.url, { body: chatBody('Hello') });
      assert.deepEqual([alive.status, alive.broken], [200, false]);
      return response;
    };

    for (const fault of ['reset-before-response', 'close-before-response']) {
      it(`answers with 502: ${fault}`, async () => {
        for (const body of [chatBody('Hello'), chatBody('Hello', { stream: true }), chatBodyOf(3 * MIB, 'Hello')]) {
          assertError(await sendWithFault(fault, body), backendError('backend_unreachable', 'maybe sent'));
        }
        await served.proxy.logged('request', { status: 502, end: 'network' });
        assert.equal(served.enclave.journal.handshakes, 1, 'the session is kept');
      });
    }

    for (const fault of ['reset-mid-response', 'close-mid-response']) {
      it(`breaks the response: ${fault}`, async () => {
        const stream = await sendWithFault(fault, chatBody('/repeat 9', { stream: true }));
        assert.deepEqual([stream.status, stream.broken], [200, true]);
        assert.match(stream.body.toString(), /^data: .*\n\n$/);
        const long = await sendWithFault(fault, chatBody('/bytes 300000'));
        assert.deepEqual([long.status, long.broken], [200, true]);
        await served.proxy.logged('request', { status: 200, end: 'network' });
        await served.proxy.logged('session_lost', { reason: 'bad_response' });
      });
    }
  });
}
