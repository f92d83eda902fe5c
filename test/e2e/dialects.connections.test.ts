// Connections of clients that use a dialect: pipelining, expectations, back-pressure, and clients that disconnect.
import assert from 'node:assert/strict';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { DIALECTS_UNDER_TEST, chatRequest } from '../support/e2e/dialects.ts';
import { openResponse, readResponse } from '../support/e2e/httpClient.ts';
import { RawConnection } from '../support/e2e/rawHttp.ts';
import { ACCESS_KEY, perSuite, perTest, serve } from '../support/e2e/scope.ts';
import { DEADLINE, until, withTimeout } from '../support/withTimeout.ts';

/** The ways in which a client can disconnect. The last one may be that of a client that waits. */
const GOES: readonly [string, (connection: RawConnection) => void][] = [
  ['closes its connection', (connection) => connection.socket.destroy()],
  ['resets its connection', (connection) => connection.socket.resetAndDestroy()],
];
const DISCONNECTS: typeof GOES = [
  ...GOES,
  ['closes its half of the connection', (connection) => connection.socket.end()],
];

for (const dialect of DIALECTS_UNDER_TEST) {
  const post = (body: string, { path = dialect.replyPath, more = [] as string[] } = {}) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${ACCESS_KEY}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...more,
      '',
      body,
    ].join('\r\n');
  const ask = (content: string, stream = false) => post(dialect.body(content, { stream }));

  describe(`A connection of the ${dialect.name} dialect`, () => {
    const served = serve(perSuite());

    it('gets the responses to pipelined requests in order, with those of other routes', async () => {
      const connection = await RawConnection.open(served.proxy.port);
      const count = post(dialect.body('Hello'), { path: dialect.countPath });
      const unknown = `GET ${dialect.replyPath}/x HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      connection.send(ask('/wait 150 slow') + count + unknown + ask('/repeat 300', true) + ask('/repeat 2'));
      assert.match(dialect.textOf((await connection.readResponse()).json()), /slow$/);
      assert.ok(dialect.countOf((await connection.readResponse()).json()) > 0);
      assert.equal((await connection.readResponse()).status, 404);
      assert.match((await connection.readResponse()).body.toString(), /event: (?:message_stop|response\.completed)\n/);
      assert.equal(dialect.textOf((await connection.readResponse()).json()), 'word word ');
      assert.equal(connection.received.length, 0);
      connection.destroy();
    });

    it('goes on after the error event of a stream that was pipelined behind a slow response', async () => {
      const connection = await RawConnection.open(served.proxy.port);
      connection.send(ask('/wait 150 slow') + ask('/fail 3', true) + ask('/repeat 2'));
      assert.match(dialect.textOf((await connection.readResponse()).json()), /slow$/);
      const failed = await connection.readResponse();
      assert.equal(failed.status, 200);
      assert.match(failed.body.toString(), new RegExp(`event: ${dialect.errorEvent}\\n.*\\n\\n$`));
      assert.equal(dialect.textOf((await connection.readResponse()).json()), 'word word ');
      connection.destroy();
    });

    it('is told to send the body, and keeps going after a response', async () => {
      const connection = await RawConnection.open(served.proxy.port);
      const body = dialect.body('/repeat 1');
      for (let round = 0; round < 2; round++) {
        const [head = ''] = post(body, { more: ['Expect: 100-continue'] }).split('\r\n\r\n');
        connection.send(`${head}\r\n\r\n`);
        await connection.until('HTTP/1.1 100 Continue\r\n\r\n');
        connection.discard();
        connection.send(body);
        assert.equal((await connection.readResponse()).status, 200);
      }
      connection.destroy();
    });

    const assertCancelled = async (content: string, begin: string, leave: (connection: RawConnection) => void) => {
      const index = served.enclave.journal.requests.length;
      const connection = await RawConnection.open(served.proxy.port);
      connection.send(ask(content, true));
      const { end } = await chatRequest(served.enclave, index);
      await connection.until(begin);
      leave(connection);
      assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
    };

    for (const [how, leave] of GOES) {
      it(`cancels the request when the client ${how} before the response`, async () => {
        await assertCancelled('/hang', '', leave);
      });
    }

    it('answers a client that closes its half of the connection before the response', async () => {
      const connection = await RawConnection.open(served.proxy.port);
      connection.socket.end(ask('/wait 300 slow'));
      let response = await connection.readResponse();
      while (response.status === 102) response = await connection.readResponse();
      assert.match(dialect.textOf(response.json()), /slow$/);
    });

    for (const [how, leave] of DISCONNECTS) {
      it(`cancels the request when the client ${how} during the response`, async () => {
        await assertCancelled('/stall 2', '"word "', leave);
      });

      it(`sends nothing to the enclave when the client ${how} during its upload`, async () => {
        const [index, logged] = [served.enclave.journal.requests.length, served.proxy.stderr.items.length];
        const connection = await RawConnection.open(served.proxy.port);
        connection.send(ask('Hello').slice(0, -5));
        leave(connection);
        await served.proxy.logged('request', { path: dialect.replyPath, end: 'client-gone', status: 0 }, logged);
        assert.equal(served.enclave.journal.requests.length, index);
      });
    }
  });

  describe(`A client of the ${dialect.name} dialect that does not read`, () => {
    const scope = perTest();

    it('stops the enclave, and gets everything when it reads on', async () => {
      const [model, perChunk, count] = [createModel({ paceMs: 0 }), 300, 1000]; // to the client, some 40 MB
      const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'words' } }] })}\n\n`;
      const chunk = Buffer.from(event.repeat(perChunk));
      const last = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`;
      let written = 0;
      const enclave = await scope.enclave({
        handler: async (request, response) => {
          if (request.target === '/v1/models') return model(request, response);
          response.start({ status: 200, headers: [{ name: 'content-type', value: 'text/event-stream' }] });
          for (; written < count; written++) if (!response.write(chunk)) await response.drained();
          response.write(Buffer.from(last));
          response.end();
        },
      });
      const proxy = await scope.proxy(enclave);
      const body = dialect.body('Hello', { stream: true });
      const message = await openResponse(proxy.url, { path: dialect.replyPath, body });
      await until(
        'the enclave to stop',
        () => written > 0,
        () => written,
      );
      assert.ok(written < count / 2, `${written} of ${count} chunks were written`);
      const response = await readResponse(message);
      assert.equal(response.broken, false);
      const deltas = response.body.toString().match(/^event: (?:content_block_delta|response\.output_text\.delta)$/gm);
      assert.equal(deltas?.length, count * perChunk);
    });
  });

  describe(`A client of the ${dialect.name} dialect that waits for the list of models`, () => {
    const scope = perTest();

    for (const path of [dialect.replyPath, dialect.countPath, dialect.modelsPath]) {
      it(`cancels it when it disconnects: ${path}`, async () => {
        const model = createModel({ paceMs: 0 });
        const enclave = await scope.enclave({
          handler: (request, response) =>
            request.target === '/v1/models' ? new Promise(() => undefined) : model(request, response),
        });
        const proxy = await scope.proxy(enclave);
        const connection = await RawConnection.open(proxy.port);
        const body = dialect.body('Hello');
        connection.send(path === dialect.modelsPath ? post('', { path }).replace('POST', 'GET') : post(body, { path }));
        const { end, target } = await enclave.journal.request(0);
        assert.equal(target, '/v1/models');
        connection.destroy();
        assert.equal((await withTimeout('the end at the enclave', DEADLINE, end)).ended, 'client-cancelled');
        await proxy.logged('request', { path, end: 'client-gone' });
      });
    }
  });
}
