// The proxy as one thing that starts, changes and stops, however it is hosted.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NetworkSettings } from '../shared/messages.ts';
import { AccessKeys } from './accessKeys.ts';
import { systemClock } from './clock.ts';
import type { Config, LiveSettings } from './config.ts';
import { openConnection } from './connection.ts';
import type { ConnectionEvents, ConnectionOptions } from './connection.ts';
import type { Log } from './log.ts';
import { isLoopback } from './loopback.ts';
import { createProxyServer } from './server.ts';
import type { ServerState } from './server.ts';

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly network?: NetworkSettings;
  readonly events?: ConnectionEvents;
  /** For tests: other clocks, other implementations, other anchors. No setting reaches them. */
  readonly internals?: Partial<Pick<ConnectionOptions, 'clock' | 'primitives' | 'anchors'>>;
}

export interface Service {
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** These keys count from the next request on. */
  setKeys(apiKey: string | null, accessKeys: readonly string[]): void;
  /** These settings count from the next request on. */
  update(settings: LiveSettings): void;
  /** Stops listening at once, lets running responses finish for this many milliseconds, then ends them. */
  stop(graceMs: number): Promise<void>;
}

/** Handshakes that take longer than this are given up, in milliseconds, so that a dead one does not hold up the next. */
const HANDSHAKE_LIMIT = 30_000;

/**
 * Listens, and makes the session in the background.
 * @throws NodeJS.ErrnoException `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` ...
 */
export async function startService({ config, log, network, events, internals }: ServiceOptions): Promise<Service> {
  let state: ServerState = { ...config, keys: new AccessKeys(config.apiKey, config.accessKeys) };
  const connection = openConnection({
    settings: config,
    clock: systemClock,
    log,
    handshakeTimeout: () => Math.min(state.requestTimeout, HANDSHAKE_LIMIT),
    ...(network === undefined ? {} : { network }),
    ...(events === undefined ? {} : { events }),
    ...internals,
  });
  const local = createProxyServer({
    boundTo: config.host,
    cacheNamespaceRoot: config.cacheNamespaceRoot,
    exchange: connection,
    state: () => state,
    log,
  });
  const { server } = local;
  try {
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    await connection.close();
    throw error;
  }
  server.on('error', (error: NodeJS.ErrnoException) => {
    log.error('server_error', { code: error.code });
  });
  if (!isLoopback(config.host)) {
    const note =
      'Listening beyond this computer: whoever reaches this address and knows a key can use it, unencrypted.';
    log.warn('open_address', { host: config.host, note });
  }
  connection.keeper.warmUp();

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    setKeys(apiKey, accessKeys) {
      state = { ...state, keys: new AccessKeys(apiKey, accessKeys) };
    },
    update(settings) {
      state = { ...state, ...settings };
      log.setLevel(settings.logLevel);
    },
    async stop(graceMs) {
      const closed = once(server, 'close');
      local.close();
      const deadline = setTimeout(() => {
        server.closeAllConnections();
      }, graceMs);
      await closed;
      clearTimeout(deadline);
      await connection.close();
      log.flush();
    },
  };
}
