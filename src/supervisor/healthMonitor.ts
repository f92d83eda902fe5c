import type { Agent } from 'node:http';
import { isKeyRefusal } from '../shared/modelList.ts';
import type { ConnectionFailure, ProxyReport } from '../shared/ownership.ts';
import { causeOf } from '../shared/status.ts';
import type { Cause, Health, ProxyStatus } from '../shared/status.ts';
import type { LocalResponse } from './localHttp.ts';
import { VerifiedConnection, isFromProxy, modelIds } from './localProxy.ts';
import { watchNetwork } from './networkWatch.ts';
import { probePort } from './portProbe.ts';
import type { Probe } from './portProbe.ts';
import { ownershipSecret } from './supervisorHost.ts';
import type { SupervisorHost } from './supervisorHost.ts';

export interface MonitorOptions extends Pick<SupervisorHost, 'secrets' | 'checkInterval'> {
  readonly port: number;
  /** For probes of the port. */
  readonly agent: Agent | undefined;
  /** How long the backend may take, in milliseconds. */
  readonly backendLimit: () => number;
  /** A part of the proxy's status is known. */
  readonly onUpdate: (update: StatusUpdate) => void;
  /** No own proxy responds on the port, and none has for this many milliseconds. */
  readonly onLost: (found: Probe, milliseconds: number) => void;
}

/** The health, or what the proxy reports. */
export type StatusUpdate = Partial<Omit<Extract<ProxyStatus, { kind: 'running' }>, 'kind'>>;

const PROBE_INTERVAL = 15_000;
/** The first retries of an inconclusive check, which is normal while another window takes over or keys change. */
const RETRY_SOON = 1000;
/** The longest delay before the retry of an inconclusive check. */
const RETRY_LATER = 60_000;
/** The longest delays after failed checks. An attempt to reach a backend without a network costs nothing. */
const MAX_RETRY_DELAY = 5 * 60_000;
const MAX_NETWORK_RETRY_DELAY = 60_000;
/** A failed check that is older than this, in milliseconds, is repeated when the user looks. */
const STALE_FAILURE = 10_000;
/** The longest delay that a timer can take. */
const MAX_DELAY = 2 ** 31 - 1;

export const CHECKING: Health = { kind: 'checking' };

/** Watches a running proxy and the backend behind it. */
export class HealthMonitor {
  readonly #options: MonitorOptions;
  #health: Health = CHECKING;
  /** Failed checks in a row. */
  #failures = 0;
  /** Inconclusive checks in a row. */
  #inconclusive = 0;
  /** Since when no own proxy responds on the port. */
  #lostAt: number | undefined;
  #checking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #probeTimer: NodeJS.Timeout;
  readonly #endNetworkWatch: () => void;
  /** Cancels the running check. Aborted and not replaced: the monitor has ended. */
  #abort = new AbortController();

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#probeTimer = setInterval(() => void this.poll(), PROBE_INTERVAL);
    this.#endNetworkWatch = watchNetwork(() => {
      this.#failures = 0; // they were failures of another network
      void this.restartCheck();
    });
  }

  /** Checks proxy, keys and backend now, shared by calls during a check. `counts`: failing makes later checks rarer. */
  async check(counts = true): Promise<void> {
    const failures = this.#failures;
    this.#checking ??= this.#run();
    await this.#checking;
    if (!counts) this.#failures = Math.min(this.#failures, failures);
  }

  /** Cancels a running check, and checks with the current keys. All callers of the cancelled check get the new result. */
  async restartCheck(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    await this.check();
  }

  /** Checks if the last check is older than `age` milliseconds, or has failed and is older than ten seconds. */
  checkIfOlder(age: number): void {
    const limit = 'retryAt' in this.#health ? Math.min(age, STALE_FAILURE) : age;
    if ('checkedAt' in this.#health && Date.now() - this.#health.checkedAt > limit) void this.check();
  }

  /** Probes the proxy, and checks the backend too if the proxy's report contradicts the known health. */
  async poll(): Promise<void> {
    const { signal } = this.#abort;
    const report = await this.#probe(signal).catch(() => undefined);
    if (signal.aborted || this.#checking !== undefined) return;
    if (report === undefined || contradicts(report, this.#health)) await this.check();
  }

  /** The check interval has changed. */
  reschedule(): void {
    if (this.#checking === undefined && !this.#abort.signal.aborted) this.#schedule(this.#health);
  }

  /** No callback is called any more. */
  end(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#probeTimer);
    this.#endNetworkWatch();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    clearTimeout(this.#timer);
    const health = await this.#findHealth(signal).catch(() => CHECKING); // for example, the keys cannot be read
    if (signal !== this.#abort.signal) return this.#run(); // restarted
    this.#checking = undefined;
    if (signal.aborted) return;
    this.#setHealth(health);
    this.#schedule(health);
  }

  /** @throws Error if the keys cannot be read, or if the check is cancelled */
  async #findHealth(signal: AbortSignal): Promise<Health> {
    const secrets = await this.#options.secrets();
    signal.throwIfAborted();
    if (secrets.apiKey === null) {
      this.#setHealth({ kind: 'noKey' });
      await this.#probe(signal);
      return { kind: 'noKey' };
    }
    if (this.#health.kind !== 'connected') this.#setHealth(CHECKING);
    const connection = new VerifiedConnection(this.#options.port, ownershipSecret(secrets));
    try {
      const report = this.#noteProbe(await connection.probe(), signal);
      const health = report === undefined ? CHECKING : await this.#askBackend(connection, secrets.ownKey, signal);
      if (health.kind === 'checking') this.#inconclusive++;
      return health;
    } finally {
      connection.end();
    }
  }

  async #askBackend(connection: VerifiedConnection, accessKey: string, signal: AbortSignal): Promise<Health> {
    const begunAt = Date.now();
    let response: LocalResponse;
    try {
      response = await connection.askModels(accessKey, this.#options.backendLimit(), signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ETIMEDOUT') return this.#withRetry({ kind: 'slow' });
      if (code === 'EMSGSIZE') return this.#unreachable('protocol', 'The list of models is too long');
      const report = await this.#probe(signal);
      const failure = report === undefined ? null : requestFailureSince(report, begunAt);
      return failure === null ? CHECKING : this.#unreachable(causeOf(failure), failure.message, failure); // without a failure, the proxy itself is ending
    }
    const report = await this.#probe(signal); // with the result of a handshake made for this request
    if (report === undefined) return CHECKING;
    const checkedAt = Date.now();
    const { status, body } = response;
    const models = status === 200 ? modelIds(body) : undefined;
    if (models !== undefined) return { kind: 'connected', models, catalogue: JSON.parse(body), checkedAt };
    if (isKeyRefusal(response.status)) return isFromProxy(response) ? CHECKING : { kind: 'keyRejected', checkedAt };
    if (status === 504) return this.#withRetry({ kind: 'slow' });
    // A failed renewal does not explain an error response on a live session.
    const isProxyError = status === 502 || report.verified === null;
    const failure = isProxyError ? (report.failure ?? requestFailureSince(report, begunAt)) : null;
    if (failure !== null) return this.#unreachable(causeOf(failure), failure.message, failure);
    return this.#unreachable(causeOfStatus(status), `The models could not be listed: status ${status}`);
  }

  async #probe(signal: AbortSignal): Promise<ProxyReport | undefined> {
    const { port, secrets, agent } = this.#options;
    return this.#noteProbe(await probePort(port, secrets, agent), signal);
  }

  /** @throws AbortError if the check is cancelled */
  #noteProbe(found: Probe, signal: AbortSignal): ProxyReport | undefined {
    signal.throwIfAborted();
    if (found.kind === 'own') {
      this.#lostAt = undefined;
      this.#options.onUpdate(statusPart(found.report));
      return found.report;
    }
    this.#lostAt ??= Date.now();
    this.#options.onLost(found, Date.now() - this.#lostAt);
    return undefined;
  }

  #unreachable(cause: Cause, message: string, failure: ConnectionFailure | null = null): Health {
    return this.#withRetry({ kind: 'unreachable', cause, message, failure });
  }

  #withRetry<T extends object>(health: T): T & { checkedAt: number; retryAt: number } {
    const checkedAt = Date.now();
    const isNetwork = 'cause' in health && health.cause === 'network';
    return { ...health, checkedAt, retryAt: checkedAt + retryDelay(++this.#failures, isNetwork) };
  }

  #setHealth(health: Health): void {
    this.#health = health;
    if (health.kind !== 'checking') this.#inconclusive = 0;
    if (health.kind === 'connected' || health.kind === 'keyRejected') this.#failures = 0;
    this.#options.onUpdate({ health });
  }

  #schedule(health: Health): void {
    clearTimeout(this.#timer);
    const delay = this.#delayAfter(health);
    if (delay === undefined) return;
    this.#timer = setTimeout(() => void this.check(), Math.min(Math.max(0, delay), MAX_DELAY));
  }

  /** Milliseconds until the next check; undefined: only when asked. */
  #delayAfter(health: Health): number | undefined {
    const interval = this.#options.checkInterval();
    if (health.kind === 'noKey') return undefined;
    if (health.kind === 'checking') return Math.min(RETRY_SOON * 2 ** Math.max(0, this.#inconclusive - 5), RETRY_LATER);
    if ('retryAt' in health) return health.retryAt === null ? undefined : health.retryAt - Date.now();
    return interval > 0 ? health.checkedAt + interval - Date.now() : undefined;
  }
}

/** The part of a proxy's report that its status shows. */
export function statusPart({ backendUrl, verified, establishedAt, newImage = null }: ProxyReport) {
  return { backendUrl, verified, establishedAt, newImage };
}

/** Milliseconds until the next check after this many failures in a row. `isNetwork`: the backend was not reached. */
export function retryDelay(failures: number, isNetwork = false): number {
  return Math.min(5000 * 2 ** Math.max(0, failures - 1), isNetwork ? MAX_NETWORK_RETRY_DELAY : MAX_RETRY_DELAY);
}

/** The cause of an error response if the proxy reports no failure. */
function causeOfStatus(status: number): Cause {
  if (status === 502) return 'network';
  return status === 429 || status >= 500 ? 'backend' : 'protocol';
}

/** The proxy's latest request failure, if it is not older than `time` and is not a refused key. */
function requestFailureSince({ requestFailure }: ProxyReport, time: number): ConnectionFailure | null {
  return requestFailure !== null && requestFailure.at >= time && requestFailure.code !== 'key_refused'
    ? requestFailure
    : null;
}

/** True if a handshake or a client's request has had another outcome since the check that gave this health. */
function contradicts({ failure, establishedAt, requestFailure, servedAt }: ProxyReport, health: Health): boolean {
  if (!('checkedAt' in health)) return false;
  const since = (time: number | null | undefined) => typeof time === 'number' && time > health.checkedAt;
  if (health.kind === 'connected') return since(failure?.at) || since(requestFailure?.at);
  if (since(servedAt)) return true;
  if (health.kind === 'keyRejected') return false;
  if (failure === null) return since(establishedAt);
  return since(failure.at) && (health.kind === 'slow' || causeOf(failure) !== health.cause);
}
