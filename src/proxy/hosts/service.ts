// The complete proxy, for every host: starts, changes and stops it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isLoopback } from '../../settings/loopback.ts';
import type { LiveConfig } from '../../settings/proxyConfig.ts';
import type { FromProxy, ImageRules, NetworkSettings } from '../../shared/messages.ts';
import { PROTOCOL, digestKeySet } from '../../shared/ownership.ts';
import { VERSION } from '../../shared/version.ts';
import { openConnection } from '../backend/connection.ts';
import type { ConnectionOptions } from '../backend/connection.ts';
import { watchConnection } from '../backend/connectionReport.ts';
import { Network } from '../backend/network.ts';
import type { FindProxy } from '../backend/network.ts';
import { ModelLists } from '../dialects/modelLists.ts';
import { Translator } from '../dialects/translationThread.ts';
import { reasonOf } from '../http/backendErrors.ts';
import { bodyLimits } from '../http/openaiErrors.ts';
import type { ServiceObserver } from '../metrics/metrics.ts';
import { systemClock } from '../process/clock.ts';
import type { Log } from '../process/log.ts';
import { availableMemory, limitMemory } from '../process/memory.ts';
import { nodeWarning } from '../process/nodeVersion.ts';
import { RequestLimits } from '../relay/requestLimits.ts';
import { AccessKeys, onceAMinute } from '../server/accessKeys.ts';
import { Callers } from '../server/callers.ts';
import { ClientLimits } from '../server/clientLimits.ts';
import { RECONNECTING, STARTING, STOPPING } from '../server/readiness.ts';
import type { NotReady } from '../server/readiness.ts';
import { createProxyServer } from '../server/server.ts';
import { Shutdown } from '../server/shutdown.ts';
import type { ShutdownCounts } from '../server/shutdown.ts';
import type { TlsIdentity } from '../server/tls.ts';
import { ActivityLog } from '../usage/activityLog.ts';
import { UsageCollector } from '../usage/usageCollector.ts';
import { ApiKeyCheck } from './apiKeyCheck.ts';
import type { Config } from './config.ts';
import { addressOfSocket, socketFailure } from './socketActivation.ts';
import { unknownModels } from './startNotes.ts';

export type ServiceEvent =
  | Exclude<FromProxy, { type: 'ready' | 'stopped' | 'failed' }>
  /** Another window of the same user asks for the port. */
  | { readonly type: 'releaseRequested' };

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Log;
  /** The file of the proxy process, which also serves the threads for translations. */
  readonly mainFile: string;
  /** What the listener presents to clients; left out: they use plain HTTP. */
  readonly tls?: TlsIdentity | undefined;
  /** The file descriptor of a socket to listen on, which others share, in place of the host and the port. */
  readonly socket?: number | undefined;
  readonly network?: NetworkSettings | undefined;
  /** Asks the editor which proxy leads to a URL. */
  readonly findProxy?: FindProxy | undefined;
  /** Without it, no sums of the usage are collected. */
  readonly onEvent?: (event: ServiceEvent) => void;
  /** Is told of everything that happens, for the metrics. */
  readonly observer?: ServiceObserver | undefined;
  /** The secret, 32 bytes, with which the proxy proves to the user's windows that it is theirs. */
  readonly ownership?: Uint8Array | null;
  /** The trust fingerprint of the window that started the proxy, for the proxy's report. */
  readonly trustFingerprint?: string | undefined;
  /** What the user has said about enclave images. Left out: each one that is approved is used. */
  readonly images?: ImageRules | undefined;
  /** False: the first session is made when an API key is set, or for the first request. True by default. */
  readonly connectsWithoutKey?: boolean;
  /** True: the log has a warning if the backend refuses the API key. */
  readonly checksApiKey?: boolean;
  /** For tests only: other clocks, cryptography and trust anchors. No setting can change these. */
  readonly internals?: Partial<Pick<ConnectionOptions, 'clock' | 'primitives' | 'anchors'>>;
}

export interface Service {
  /** `http://127.0.0.1:PORT`, or with `https`, without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Uses these keys from the next request on. */
  setKeys(secrets: ServiceSecrets): void;
  /** Uses these settings from the next request on. */
  update(settings: LiveConfig): void;
  /** With TLS, uses this certificate and key from the next connection on. */
  setTls(identity: TlsIdentity): void;
  /** Uses these rules from the next handshake on, and for an image that waits for consent. */
  readonly updateImages: (rules: ImageRules) => void;
  /** From now on the proxy is not ready, but it serves until it is stopped. */
  announceStop(): void;
  /**
   * Stops listening at once, and cuts off the requests that are still running after this many milliseconds.
   * @param onFree is called when the port is free
   * @returns what happened to the requests since `announceStop`, or since this call
   */
  stop(graceMs: number, onFree?: () => void): Promise<ShutdownCounts>;
  /** Cuts off all running requests now. `stop` then ends at once. */
  cutOff(): void;
}

export interface ServiceSecrets {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** As in `Config`. */
  readonly clientNames?: Config['clientNames'];
  readonly keyLimits?: Config['keyLimits'];
  /** 32 bytes. Left out: it does not change. */
  readonly cacheNamespaceRoot?: Uint8Array;
  /** As in `ServiceOptions`; null: the proxy does not identify itself. */
  readonly ownership: Uint8Array | null;
}

/** The time limit of a handshake, in milliseconds, so that one that hangs does not delay the next. */
export const HANDSHAKE_LIMIT = 30_000;

/**
 * Starts to listen. The first session is made in the background.
 * @throws (rejection) NodeJS.ErrnoException `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, ...; SocketError; ConfigError
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, ownership = null, trustFingerprint = '', internals } = options;
  const onEvent = options.onEvent ?? (() => undefined);
  const onUsed = onceAMinute((id) => {
    onEvent({ type: 'accessKeyUsed', id });
  });
  const { observer } = options;
  const keysOf = (secrets: ServiceSecrets) => {
    const { apiKey, accessKeys, clientNames = new Map(), keyLimits = new Map(), ownership } = secrets;
    observer?.clientsChanged(clientNames.values());
    return {
      ownership,
      clientNames,
      keyLimits,
      keys: new AccessKeys(apiKey, accessKeys, onUsed, { clientNames, keyLimits, only: config.accessKeysOnly }),
      keySetDigest: ownership === null ? '' : digestKeySet(ownership, apiKey, accessKeys),
    };
  };
  let state = { ...config, ...keysOf({ ...config, ownership }) };
  let { host, port } = { host: config.host, port: 0 };
  const shutdown = new Shutdown();
  const backendUrl = config.backend.origin + config.backend.basePath;
  const watch = watchConnection((event) => {
    onEvent(event);
    if (event.type === 'verified') void apiKeyCheck?.run(state.apiKey);
  });
  const network = new Network(options.network, options.findProxy, log);
  const connection = openConnection({
    settings: config,
    clock: systemClock,
    log,
    handshakeTimeout: () => Math.min(state.requestTimeout, HANDSHAKE_LIMIT),
    network,
    onEvent: (event) => {
      observer?.connectionEvent(event);
      watch.onEvent(event);
    },
    images: options.images,
    ...internals,
  });
  const { connectsWithoutKey = true } = options;
  const models = new ModelLists(() => systemClock.monotonic());
  /** The models that the proxy's own API key can use. */
  const loadModels = async (apiKey: string) => {
    const context = { exchange: connection, timeouts: state, onOutcome: () => undefined };
    // the empty id stands for any access key: a failure is that of the proxy's key
    return models.reload({ value: apiKey, accessKeyId: '' }, context, new AbortController().signal); // the relay has time limits
  };
  const checkModels = async (apiKey: string) => {
    const list = await loadModels(apiKey);
    for (const warning of unknownModels(state, list)) log.warn('unknown_model', warning);
  };
  const apiKeyCheck = options.checksApiKey === true ? new ApiKeyCheck(checkModels, log) : undefined;
  const readiness = (): NotReady | null => {
    if (shutdown.isStopping) return STOPPING;
    if (connection.sessions.current() !== undefined) return null;
    // Only a probe may show that the proxy is needed: balancers send no requests to one that is not ready.
    if (connectsWithoutKey) connection.sessions.restore();
    const { failure, verified } = watch.current();
    if (failure !== null) return reasonOf(failure);
    return verified === null ? STARTING : RECONNECTING;
  };
  const memory = limitMemory(availableMemory());
  const clock = internals?.clock ?? systemClock;
  const collector = options.onEvent && new UsageCollector(clock, options.onEvent);
  const activity = new ActivityLog(
    watch.current().instance,
    (record) => {
      collector?.add(record);
    },
    observer &&
      ((entry) => {
        observer.requestEnded(entry);
      }),
  );
  observer?.begin({
    sessionRemaining: () => connection.sessions.remaining,
    isModel: (model) => models.includes(model),
    loadModels: async () => {
      if (state.apiKey !== null) await loadModels(state.apiKey);
    },
  });
  const local = createProxyServer({
    tls: options.tls,
    get boundTo() {
      return host;
    },
    exchange: connection,
    state: () => state,
    report: () => {
      const { keySetDigest } = state;
      return {
        version: VERSION,
        protocol: PROTOCOL,
        port,
        backendUrl,
        trustFingerprint,
        keySetDigest,
        network: network.report,
        ...watch.current(),
      };
    },
    readiness,
    shutdown,
    onOutcome: watch.outcome,
    onEvent,
    limits: new RequestLimits(memory.bodies),
    bodyLimits: bodyLimits(memory),
    callers: new Callers(),
    clientLimits: new ClientLimits(clock),
    dialects: {
      models,
      translator: new Translator({ threadFile: options.mainFile, memory: memory.translations }),
    },
    activity,
    clock,
    evidence: () => connection.evidence(),
    usage: collector,
    log,
  });
  const { server } = local;
  try {
    if (options.socket === undefined) server.listen(config.port, config.host);
    else server.listen({ fd: options.socket });
    await once(server, 'listening');
    if (options.socket !== undefined) host = addressOfSocket(server).address;
  } catch (error) {
    server.close();
    await connection.close();
    throw options.socket === undefined ? error : socketFailure(error);
  }
  server.on('error', (error: NodeJS.ErrnoException) => {
    log.error('server_error', { code: error.code });
  });
  const oldNode = nodeWarning(process.versions);
  if (oldNode !== undefined) log.warn('old_node', { note: oldNode });
  if (!isLoopback(host)) {
    const how = options.tls === undefined ? ' without encryption' : '';
    const where = options.socket === undefined ? 'the host' : 'ListenStream= of the socket';
    const note = `Other computers can reach this address${how}, and use the proxy with a key. Set ${where} to 127.0.0.1 to prevent this.`;
    log.warn('open_address', { host, note });
  }
  if (config.apiKey !== null || connectsWithoutKey) connection.sessions.warmUp();

  ({ port } = server.address() as AddressInfo);
  const cutOff = () => {
    shutdown.cutOff();
    server.closeAllConnections();
  };
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    setKeys(secrets) {
      if (secrets.apiKey !== null && state.apiKey === null && !shutdown.isStopping) connection.sessions.warmUp();
      const { apiKey, cacheNamespaceRoot = state.cacheNamespaceRoot } = secrets;
      const keys = keysOf(shutdown.isStopping ? { ...secrets, ownership: null } : secrets);
      state = { ...state, apiKey, cacheNamespaceRoot, ...keys };
      void apiKeyCheck?.run(apiKey);
    },
    update(settings) {
      state = { ...state, ...settings };
      log.setLevel(settings.logLevel);
    },
    setTls(identity) {
      local.setTls(identity);
    },
    updateImages: connection.updateImages,
    async stop(graceMs, onFree) {
      // The next program on this port could present a proof of this proxy as its own, because it names the same port.
      shutdown.begin();
      state = { ...state, ownership: null };
      await local.close(options.socket !== undefined);
      onFree?.();
      collector?.flush(); // running responses may outlast the time that the process has
      const deadline = setTimeout(cutOff, graceMs);
      await local.ended();
      clearTimeout(deadline);
      await connection.close();
      collector?.flush();
      log.flush();
      return shutdown.counts;
    },
    announceStop() {
      shutdown.begin();
    },
    cutOff,
  };
}
