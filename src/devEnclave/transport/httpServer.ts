import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsIdentity } from '../attestation/tlsIdentity.ts';
import { ClientDisconnected, HttpError, sendHttpError } from './httpError.ts';

export interface ServerOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Serve https instead of http. */
  readonly tls?: Pick<TlsIdentity, 'key' | 'cert'> | undefined;
  /** May throw HttpError and ClientDisconnected. Any other error is logged and ends the connection. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly onReject: (request: IncomingMessage, error: HttpError) => void;
}

export interface RunningServer {
  /** Without trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Closes every connection and frees the port. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections, so that no request arrives at a closing one. */
const KEEP_ALIVE_MS = 65_000;

/** Listens on 127.0.0.1. */
export async function listenLocally({ port = 0, tls, answer, onReject }: ServerOptions): Promise<RunningServer> {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => {
      if (error instanceof HttpError) {
        onReject(request, error);
        sendHttpError(request, response, error);
      } else if (!(error instanceof ClientDisconnected)) {
        console.error(error);
        response.destroy();
      }
    });
  };
  const server =
    tls === undefined
      ? createHttpServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener)
      : createHttpsServer({ key: tls.key, cert: tls.cert, keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${address.port}`,
    port: address.port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
