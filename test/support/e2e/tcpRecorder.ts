import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Growing } from './eventQueue.ts';

/** One connection through a tap. */
export interface TappedConnection {
  /** What the client has sent so far. */
  readonly sent: Buffer[];
  /** How many bytes that is. */
  length: number;
  /** What it has got back so far. */
  readonly received: Buffer[];
  /** Settles when the client's side of it is gone. */
  readonly closed: Promise<unknown>;
}

/** A TCP relay that sees every byte between a proxy and its enclave, or its client. */
export class Tap {
  readonly url: string;
  readonly port: number;
  readonly connections = new Growing<TappedConnection>();
  /** The connection of each piece, in the order in which they came. */
  readonly #progress = new Growing<TappedConnection>();
  readonly #received: Buffer[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async open(targetPort: number): Promise<Tap> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Tap(server, targetPort);
  }

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
    server.on('connection', (client) => {
      const target = connect(targetPort, '127.0.0.1');
      const closed = new Promise((resolve) => client.once('close', resolve));
      const connection: TappedConnection = { sent: [], length: 0, received: [], closed };
      client.on('data', (piece: Buffer) => {
        connection.sent.push(piece);
        connection.length += piece.length;
        this.#progress.add(connection);
      });
      target.on('data', (piece: Buffer) => {
        connection.received.push(piece);
        this.#received.push(piece);
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

  /** Every byte that clients have sent. */
  get sent(): Buffer {
    return Buffer.concat(this.connections.items.flatMap(({ sent }) => sent));
  }

  /** The connection that has carried more than so many bytes since the call. */
  async carrying(length: number): Promise<TappedConnection> {
    const before = new Map(this.connections.items.map((connection) => [connection, connection.length]));
    const carries = (connection: TappedConnection) => connection.length - (before.get(connection) ?? 0) > length;
    return this.#progress.find(`${length} bytes on a connection`, carries, this.#progress.items.length);
  }

  /** Every byte that clients have got back. */
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
