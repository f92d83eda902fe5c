// The connections of local clients. When there are too many, idle ones are closed, so that any client can always connect.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { UNKNOWN } from '../../shared/usage.ts';

/** Together with those to the backend, they fit into 1024 open files, the lowest limit that systems commonly have. */
export const MAX_CONNECTIONS = 640;

export class ClientConnection {
  /** With TLS, another one after the handshake. */
  socket: Socket;
  /** The responses that the client waits for, in order. */
  readonly waiting = new Set<ServerResponse>();
  /** As `performance.now()`. */
  readonly opened = performance.now();
  /** The latest request of which a complete head has arrived. */
  latest: IncomingMessage | undefined;
  /** The caller of the latest request that was accepted. */
  caller = UNKNOWN;
  /** Requests that are being relayed. */
  relayed = 0;
  readonly #onUsed: () => void;

  constructor(socket: Socket, onUsed: (connection: ClientConnection) => void) {
    this.socket = socket;
    this.#onUsed = () => {
      onUsed(this);
    };
  }

  usedBy(caller: string): void {
    this.caller = caller;
    this.#onUsed();
  }

  beginRelay(caller: string): void {
    this.relayed++;
    this.usedBy(caller);
  }

  endRelay(): void {
    this.relayed--;
    this.#onUsed();
  }
}

export class Connections {
  /** The one that has not been used for the longest time comes first. */
  readonly #open = new Map<Socket, ClientConnection>();
  readonly #onFull: () => void;

  /** @param onFull is called each time a connection is closed to make room for a new one */
  constructor(onFull: () => void) {
    this.#onFull = onFull;
  }

  get(socket: Socket): ClientConnection | undefined {
    return this.#open.get(socket);
  }

  [Symbol.iterator](): IterableIterator<ClientConnection> {
    return this.#open.values();
  }

  add(socket: Socket): ClientConnection {
    const connection = new ClientConnection(socket, (used) => {
      if (this.#open.delete(used.socket)) this.#open.set(used.socket, used);
    });
    this.#keep(connection);
    if (this.#open.size > MAX_CONNECTIONS) this.#closeOne();
    return connection;
  }

  /** From now on, the connection goes on with this socket. */
  replace(connection: ClientConnection, socket: Socket): void {
    this.#open.delete(connection.socket);
    connection.socket = socket;
    this.#keep(connection);
  }

  #keep(connection: ClientConnection): void {
    const { socket } = connection;
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Of the caller with the most connections that relay nothing, closes the one that was not used for the longest time. */
  #closeOne(): void {
    const idle = [...this].filter(({ relayed }) => relayed === 0);
    const [most] = [...Map.groupBy(idle, ({ caller }) => caller).values()].toSorted((a, b) => b.length - a.length);
    const connection = most?.[0];
    if (connection === undefined) return;
    this.#open.delete(connection.socket);
    connection.socket.destroy();
    this.#onFull();
  }
}
