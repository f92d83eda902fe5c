// The transport of the proxy, with a backend of plain sockets.
import { UndiciTransport } from '../../src/proxy/backend/undiciTransport.ts';
import type { UpstreamCall, UpstreamRequest } from '../../src/session/transport.ts';
import { RawServer } from './rawServer.ts';
import type { RawConnection } from './rawServer.ts';
import { RecordingHandler } from './recordingHandler.ts';
import { DEADLINE, flushEventLoop, withTimeout } from './withTimeout.ts';

export const REQUEST: UpstreamRequest = {
  method: 'POST',
  path: '/v2/request',
  headers: ['content-type', 'application/octet-stream', 'x-session-id', 'ab'],
  body: Buffer.from('record'),
};

export interface Sent {
  readonly handler: RecordingHandler;
  readonly call: UpstreamCall;
}

export class TransportUnderTest {
  readonly server: RawServer;
  readonly transport: UndiciTransport;

  private constructor(server: RawServer) {
    this.server = server;
    this.transport = new UndiciTransport({ origin: server.origin, basePath: '', verified: false, loopback: true });
  }

  static async open(): Promise<TransportUnderTest> {
    return new TransportUnderTest(await RawServer.listen());
  }

  async close(): Promise<void> {
    await withTimeout('the transport to close', DEADLINE, this.transport.close());
    await this.server.close();
  }

  send(request: Partial<UpstreamRequest> = {}): Sent {
    const handler = new RecordingHandler();
    return { handler, call: this.transport.send({ ...REQUEST, ...request }, handler) };
  }

  /** Sends a request on a new connection, and waits until it has arrived completely. */
  async exchange(): Promise<Sent & { readonly connection: RawConnection }> {
    const sent = this.send();
    const connection = await this.server.next();
    await connection.take('the request', 'record');
    return { ...sent, connection };
  }

  /** Answers a request on this connection, which is then free for the next one. */
  async respond(connection: RawConnection, sent = this.send()): Promise<void> {
    await connection.take('the request', 'record');
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    await sent.handler.until('end');
    await flushEventLoop();
  }
}

/** A body that begins with `first`, and continues when the test settles `rest`. */
export function openBody(first: string): { body: AsyncIterable<Uint8Array>; rest: PromiseWithResolvers<Uint8Array> } {
  const rest = Promise.withResolvers<Uint8Array>();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first);
    yield await rest.promise;
  }
  return { body: body(), rest };
}
