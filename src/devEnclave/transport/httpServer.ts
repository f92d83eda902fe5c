// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsIdentity } from '../attestation/tlsIdentity.ts';

export interface RunningServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** Breaks every connection and frees the port. */
  close(): Promise<void>;
}

/** Longer than any client keeps an idle connection, so that no request meets a closing one. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Listens on 127.0.0.1.
 * @param port 0: any free one
 */
export async function listenLocally(
  port: number,
  tls: Pick<TlsIdentity, 'key' | 'cert'> | undefined,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RunningServer> {
  const server =
    tls === undefined
      ? createHttpServer({ keepAliveTimeout: KEEP_ALIVE_MS }, answer)
      : createHttpsServer({ key: tls.key, cert: tls.cert, keepAliveTimeout: KEEP_ALIVE_MS }, answer);
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
