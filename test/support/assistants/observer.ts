// Takes the place of any other provider and of an HTTP proxy: it records every request and forwards nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { writeReply } from './replies.ts';

/** A request that an assistant has sent to the observer. */
export interface Observed {
  readonly method: string;
  /** The request target: absolute if the observer was used as a proxy, `host:port` for CONNECT. */
  readonly target: string;
  /** The host that a tunnel was opened to, if the request came through one. */
  readonly tunnel: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The reply of every model of the observer. */
export const OBSERVED_TEXT = 'The observer has seen this.';

export class Observer {
  readonly requests: Observed[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #tunnels = new WeakMap<Socket, string>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy()); // the client is gone
    });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined); // the client is gone
    });
    this.#server.on('connect', (request: IncomingMessage, socket: Socket) => {
      const target = request.url ?? '';
      this.#record(request, '');
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      // What follows is HTTP, or TLS, of which the observer can only see the name of the host.
      socket.once('data', (first: Buffer) => {
        if (first[0] === TLS_HANDSHAKE) {
          socket.destroy();
          return;
        }
        this.#tunnels.set(socket, target);
        socket.unshift(first);
        this.#server.emit('connection', socket);
      });
    });
  }

  static async open(): Promise<Observer> {
    const observer = new Observer();
    observer.#server.listen(0, '127.0.0.1');
    await once(observer.#server, 'listening');
    return observer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests that contain a text, in their bodies, targets or headers. */
  seen(text: string): readonly Observed[] {
    return this.requests.filter((request) => JSON.stringify(request).includes(text));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    this.#record(request, body);
    writeReply(request, body, response, OBSERVED_TEXT);
  }

  #record({ method = '', url = '', headers, socket }: IncomingMessage, body: string): void {
    this.requests.push({ method, target: url, tunnel: this.#tunnels.get(socket), headers, body });
  }
}

const TLS_HANDSHAKE = 0x16;
