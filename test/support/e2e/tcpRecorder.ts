import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { EventQueue } from './eventQueue.ts';

/** One recorded connection. */
export interface RecordedConnection {
  /** The chunks that the client has sent so far. */
  readonly sent: Buffer[];
  /** The number of bytes that the client has sent. */
  length: number;
  /** The chunks that the client has received so far. */
  readonly received: Buffer[];
  /** Resolves when the client's side is closed. */
  readonly closed: Promise<unknown>;
}

/** A TCP relay that records every byte between a proxy and its enclave, or its client. */
export class TcpRecorder {
  readonly url: string;
  readonly port: number;
  readonly connections = new EventQueue<RecordedConnection>();
  /** The connection of each chunk that a client has sent, in order. */
  readonly #progress = new EventQueue<RecordedConnection>();
  readonly #received: Buffer[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async open(targetPort: number): Promise<TcpRecorder> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpRecorder(server, targetPort);
  }

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    server.on('connection', (client) => {
      const target = connect(targetPort, '127.0.0.1');
      const closed = new Promise((resolve) => client.once('close', resolve));
      const connection: RecordedConnection = { sent: [], length: 0, received: [], closed };
      client.on('data', (chunk: Buffer) => {
        connection.sent.push(chunk);
        connection.length += chunk.length;
        this.#progress.add(connection);
      });
      target.on('data', (chunk: Buffer) => {
        connection.received.push(chunk);
        this.#received.push(chunk);
      });
      client.pipe(target).pipe(client);
      for (const [socket, other] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('close', () => {
          this.#sockets.delete(socket);
          other.destroySoon();
        });
      }
      this.connections.add(connection);
    });
  }

  /** All bytes that clients have sent. */
  get sent(): Buffer {
    return Buffer.concat(this.connections.items.flatMap(({ sent }) => sent));
  }

  /** Resolves with the first connection whose client sends more than `length` bytes from now on. */
  async carrying(length: number): Promise<RecordedConnection> {
    const before = new Map(this.connections.items.map((connection) => [connection, connection.length]));
    const carries = (connection: RecordedConnection) => connection.length - (before.get(connection) ?? 0) > length;
    return this.#progress.find(`${length} bytes on a connection`, carries, this.#progress.items.length);
  }

  /** All bytes that clients have received. */
  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
