import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { UndiciTransport } from '../../../../src/proxy/backend/undiciTransport.ts';
import { RecordingHandler } from '../../../support/recordingHandler.ts';
import { eventually } from '../../../support/withTimeout.ts';

const [CONNECTIONS, REQUESTS] = [264, 256];

describe('UndiciTransport and requests that are cancelled while no connection opens', () => {
  it('opens a limited number of connections, keeps a limited number of requests, and recovers', async () => {
    const sockets = new Set<Socket>();
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      sockets.add(socket.on('error', () => undefined));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // which never answers in TLS
    const transport = new UndiciTransport({ origin, basePath: '', verified: true, loopback: true });
    const send = () => {
      const handler = new RecordingHandler();
      return {
        handler,
        call: transport.send({ method: 'POST', path: '/', headers: [], body: Buffer.alloc(9) }, handler),
      };
    };
    try {
      const calls = Array.from({ length: CONNECTIONS }, send);
      await eventually('all connections', () => connections === CONNECTIONS);
      for (const { call } of calls.slice(0, REQUESTS)) call.cancel();
      const { handler } = send();
      await handler.until('error');
      assert.equal((handler.error as NodeJS.ErrnoException).code, 'ETIMEDOUT');
      assert.equal(connections, CONNECTIONS);
      for (const socket of sockets) socket.destroy();
      await eventually('another connection', () => {
        send().call.cancel();
        return connections > CONNECTIONS;
      });
    } finally {
      await transport.close();
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    }
  });
});
