// A backend made of plain sockets, which can do what no correct HTTP server does.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { DEADLINE, withTimeout } from './withTimeout.ts';

export class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #received = '';
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // the other side may reset the connection at any time
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString('latin1');
      this.#wake?.();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        resolve();
      });
    });
  }

  /** The received text that no `take` has consumed yet. */
  get received(): string {
    return this.#received;
  }

  /** Waits until the received text contains `end`; consumes everything up to and including it. */
  async take(label: string, end: string): Promise<string> {
    while (!this.#received.includes(end)) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await withTimeout(label, DEADLINE, more);
    }
    const length = this.#received.indexOf(end) + end.length;
    const taken = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return taken;
  }

  /** Consumes the head of the next request, including its blank line. */
  takeHead(): Promise<string> {
    return this.take('the head of a request', '\r\n\r\n');
  }

  write(text: string | Uint8Array): void {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  }

  /** Ends the connection with a FIN after what was written. */
  end(text = ''): void {
    this.socket.end(Buffer.from(text, 'latin1'));
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }
}

export class RawServer {
  readonly port: number;
  readonly connections: RawConnection[] = [];
  readonly #server: Server;
  #taken = 0;
  #wake: (() => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.connections.push(new RawConnection(socket));
      this.#wake?.();
    });
  }

  static async listen(server: Server = createServer()): Promise<RawServer> {
    server.listen(0, '127.0.0.1');
    await withTimeout('a server to listen', DEADLINE, once(server, 'listening'));
    return new RawServer(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves with the next connection that it has not returned yet. */
  async next(label = 'a connection'): Promise<RawConnection> {
    while (this.#taken === this.connections.length) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await withTimeout(label, DEADLINE, more);
    }
    return this.connections[this.#taken++] ?? assert.fail(label);
  }

  /** Closes the server and its connections; does nothing when called again. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const { socket } of this.connections) socket.destroy();
    await withTimeout('a server to close', DEADLINE, closed);
  }
}
