// The proxy as one thing that starts, changes and stops, however it is hosted.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { NetworkSettings } from '../shared/messages.ts';
import { digestKeySet } from '../shared/ownership.ts';
import { VERSION } from '../shared/version.ts';
import { AccessKeys, onceAMinute } from './server/accessKeys.ts';
import type { KeyEvents } from './server/accessKeys.ts';
import { systemClock } from './clock.ts';
import type { LiveConfig } from '../settings/proxyConfig.ts';
import type { Config } from './hosts/config.ts';
import { openConnection } from './backend/connection.ts';
import type { ConnectionEvents, ConnectionOptions } from './backend/connection.ts';
import { watchConnection } from './backend/connectionReport.ts';
import type { OutcomeEvents } from './backend/connectionReport.ts';
import type { Log } from './log.ts';
import { isLoopback } from '../settings/loopback.ts';
import type { ServerState } from './server/localRequest.ts';
import { createProxyServer } from './server/server.ts';
import { UsageTally } from './usage/usageTally.ts';

export interface ServiceEvents extends ConnectionEvents, KeyEvents, OutcomeEvents {
  /** Another window of the same person wants the port. */
  releaseAsked?(): void;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  readonly network?: NetworkSettings;
  readonly events?: ServiceEvents;
  /** 32 bytes: by it the proxy proves to other windows whose it is. */
  readonly ownership?: Uint8Array;
  /** For its reports: what its window calls those whom it is to trust. */
  readonly trustFingerprint?: string;
  /** For tests: other clocks, other implementations, other anchors. No setting reaches them. */
  readonly internals?: Partial<Pick<ConnectionOptions, 'clock' | 'primitives' | 'anchors'>>;
}

export interface Service {
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** These keys count from the next request on. */
  setKeys(secrets: ServiceSecrets): void;
  /** These settings count from the next request on. */
  update(settings: LiveConfig): void;
  /**
   * Stops listening at once, lets running responses finish for this many milliseconds, then ends them.
   * @param onFree nothing is listened on any more
   */
  stop(graceMs: number, onFree?: () => void): Promise<void>;
}

export interface ServiceSecrets {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** 32 bytes, or null where no window asks whose proxy this is. */
  readonly ownership: Uint8Array | null;
}

/** Handshakes that take longer than this are given up, in milliseconds, so that a dead one does not hold up the next. */
const HANDSHAKE_LIMIT = 30_000;

/**
 * Listens, and makes the session in the background.
 * @throws NodeJS.ErrnoException `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` ...
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, network, events = {}, ownership = null, trustFingerprint = '', internals } = options;
  const onUsed = onceAMinute((id) => events.accessKeyUsed?.(id));
  let state: ServerState = { ...config, ownership, keys: new AccessKeys(config.apiKey, config.accessKeys, onUsed) };
  let keysDigest = digestOfKeys({ ...config, ownership });
  let port = 0;
  let stopping = false;
  const backendUrl = config.backend.origin + config.backend.basePath;
  const report = watchConnection(events);
  const connection = openConnection({
    settings: config,
    clock: systemClock,
    log,
    handshakeTimeout: () => Math.min(state.requestTimeout, HANDSHAKE_LIMIT),
    ...(network === undefined ? {} : { network }),
    events: report.events,
    ...internals,
  });
  const local = createProxyServer({
    boundTo: config.host,
    cacheNamespaceRoot: config.cacheNamespaceRoot,
    exchange: connection,
    state: () => state,
    report: () => ({
      version: VERSION,
      port,
      backendUrl,
      trustFingerprint,
      keySetDigest: keysDigest,
      ...report.current(),
    }),
    onOutcome: report.outcome,
    onRelease: () => events.releaseAsked?.(),
    onChatAnswered: (id) => events.chatAnswered?.(id),
    usage: new UsageTally(internals?.clock ?? systemClock),
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
  connection.sessions.warmUp();

  ({ port } = server.address() as AddressInfo);
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    setKeys(secrets) {
      const { apiKey, accessKeys } = secrets;
      const ownership = stopping ? null : secrets.ownership;
      state = { ...state, ownership, keys: new AccessKeys(apiKey, accessKeys, onUsed) };
      keysDigest = digestOfKeys(secrets);
    },
    update(settings) {
      state = { ...state, ...settings };
      log.setLevel(settings.logLevel);
    },
    async stop(graceMs, onFree) {
      // Whoever takes the port next must not get a proof from here: it would be one for that port.
      stopping = true;
      state = { ...state, ownership: null };
      const closed = once(server, 'close');
      local.close();
      onFree?.();
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

function digestOfKeys({ apiKey, accessKeys, ownership }: ServiceSecrets): string {
  return ownership === null ? '' : digestKeySet(ownership, apiKey, accessKeys);
}
