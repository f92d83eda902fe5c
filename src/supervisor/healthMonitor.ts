// Watches one running proxy and the backend behind it, and says how they stand. It needs nothing of the editor.
import type { ConnectionFailure, ProxyReport } from '../shared/ownership.ts';
import { causeOf } from '../shared/status.ts';
import type { Cause, Health } from '../shared/status.ts';
import { retryDelay } from './backoff.ts';
import { modelIds } from './localProxy.ts';
import type { Answer, VerifiedConnection, Probe } from './localProxy.ts';

export interface MonitorOptions {
  /** Asks the port whose it is. */
  readonly probe: () => Promise<Probe>;
  /** A connection by which to ask for more. */
  readonly line: () => Promise<VerifiedConnection>;
  /** The extension's own access key, and whether the proxy has an API key at all. */
  readonly keys: () => Promise<{ readonly accessKey: string; readonly hasApiKey: boolean }>;
  /** Milliseconds between two checks of the backend; 0 = only when asked. */
  readonly checkInterval: () => number;
  /** How long the backend may take, in milliseconds. */
  readonly backendLimit: () => number;
  readonly onHealth: (health: Health) => void;
  readonly onReport: (report: ProxyReport) => void;
  /** The port is no longer ours. */
  readonly onLost: (found: Probe) => void;
}

const HEALTH_INTERVAL = 15_000;
/** A port or key that was not right a moment ago may be so soon: another window is just taking over, or reads the keys. */
const SOON = 1000;
/** If it is not right for longer, it is asked less and less often. */
const LATER = 60_000;
/** Timers hold no more. */
const MAX_DELAY = 2 ** 31 - 1;

const CHECKING: Health = { kind: 'checking' };

export class HealthMonitor {
  readonly #options: MonitorOptions;
  #health: Health = CHECKING;
  #failures = 0;
  /** Checks in a row that said nothing. */
  #unclear = 0;
  #checking: Promise<void> | undefined;
  /** The latest that was begun anew. */
  #anew: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #healthTimer: NodeJS.Timeout;
  /** Ends the check that runs. */
  #abort = new AbortController();
  #over = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#healthTimer = setInterval(() => void this.look(), HEALTH_INTERVAL);
  }

  get health(): Health {
    return this.#health;
  }

  /** Checks proxy, key and backend now; all who ask while it runs share it. */
  check(): Promise<void> {
    const { signal } = this.#abort;
    this.#checking ??= this.#check(signal)
      .catch(() => {
        // The keys could not be read: nothing is known, and it is tried again.
        if (isAborted(signal)) return;
        this.#setHealth(CHECKING);
        this.#schedule(CHECKING);
      })
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  /** The same with what counts from now on: the answer to an older question does not. */
  async checkAnew(): Promise<void> {
    if (this.#over) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    const begin = async () => {
      await this.#checking;
      await this.check();
    };
    this.#anew = begin();
    // Whoever asks anew meanwhile has ended this one, and its answer is for both.
    for (let awaited; awaited !== this.#anew;) {
      awaited = this.#anew;
      await awaited;
    }
  }

  /** The last check is older than this many milliseconds: check again. */
  checkIfOlder(age: number): void {
    const { health } = this;
    if ('checkedAt' in health && Date.now() - health.checkedAt > age) void this.check();
  }

  /** Asks the proxy alone, and the backend as well if it stands otherwise than was known. */
  async look(): Promise<void> {
    const { signal } = this.#abort;
    const report = await this.#ask(signal, this.#options.probe()).catch(() => undefined);
    if (isAborted(signal) || this.#checking !== undefined) return;
    if (report === undefined || contradicts(report, this.#health)) await this.check();
  }

  /** The interval has changed. */
  reschedule(): void {
    if (this.#checking === undefined && !this.#over) this.#schedule(this.#health);
  }

  /** No status comes any more. */
  end(): void {
    this.#over = true;
    this.#abort.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#healthTimer);
  }

  /** The report, if the port is still ours. */
  async #ask(signal: AbortSignal, probing: Promise<Probe>): Promise<ProxyReport | undefined> {
    const { onReport, onLost } = this.#options;
    const answer = await probing;
    if (signal.aborted) return undefined;
    if (answer.kind !== 'ours') {
      onLost(answer);
      return undefined;
    }
    onReport(answer.report);
    return answer.report;
  }

  async #check(signal: AbortSignal): Promise<void> {
    clearTimeout(this.#timer);
    const { accessKey, hasApiKey } = await this.#options.keys();
    if (signal.aborted) return;
    if (!hasApiKey) {
      this.#setHealth({ kind: 'noKey' });
      await this.#ask(signal, this.#options.probe());
      return;
    }
    if (this.#health.kind !== 'connected') this.#setHealth(CHECKING);
    const line = await this.#options.line();
    try {
      const isOurs = (await this.#ask(signal, line.probe())) !== undefined;
      const health = isOurs ? await this.#askBackend(line, accessKey, signal) : CHECKING;
      if (isAborted(signal)) return;
      if (health.kind === 'checking') this.#unclear++;
      this.#setHealth(health);
      this.#schedule(health);
    } finally {
      line.end();
    }
  }

  async #askBackend(line: VerifiedConnection, accessKey: string, signal: AbortSignal): Promise<Health> {
    const begunAt = Date.now();
    let answer: Answer;
    try {
      answer = await line.askModels(accessKey, this.#options.backendLimit(), signal);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ETIMEDOUT') return this.#slow();
      if (code === 'EMSGSIZE') return this.#unreachable('protocol', 'The list of models has no end', null);
      const report = await this.#ask(signal, this.#options.probe());
      const requestFailure = report === undefined ? null : requestFailureSince(report, begunAt);
      // Without any, the proxy is just going, and another comes.
      return requestFailure === null
        ? CHECKING
        : this.#unreachable(causeOf(requestFailure), requestFailure.message, requestFailure);
    }
    const report = await this.#ask(signal, this.#options.probe()); // what the handshake for it proved, or why it failed
    if (report === undefined) return CHECKING;
    const checkedAt = Date.now();
    const models = answer.status === 200 ? modelIds(answer.body) : undefined;
    if (models !== undefined) return { kind: 'connected', models, catalogue: JSON.parse(answer.body), checkedAt };
    if (answer.status === 401) {
      // The proxy's own refusals name themselves; the backend's mean the API key.
      const ours = answer.headers['www-authenticate']?.includes('sealed-proxy') === true;
      return ours ? CHECKING : { kind: 'keyRejected', checkedAt };
    }
    if (answer.status === 504) return this.#slow();
    // What befell a renewal is not why a session that stands answers so.
    const isOurs = answer.status === 502 || report.verified === null;
    const failure = isOurs ? (report.failure ?? requestFailureSince(report, begunAt)) : null;
    if (failure !== null) return this.#unreachable(causeOf(failure), failure.message, failure);
    const message = `The models could not be listed: status ${answer.status}`;
    return this.#unreachable(causeOfStatus(answer.status), message, null);
  }

  #unreachable(cause: Cause, message: string, failure: ConnectionFailure | null): Health {
    const checkedAt = Date.now();
    const retryAt = checkedAt + retryDelay(++this.#failures);
    return { kind: 'unreachable', cause, message, failure, checkedAt, retryAt };
  }

  #slow(): Health {
    const checkedAt = Date.now();
    return { kind: 'slow', checkedAt, retryAt: checkedAt + retryDelay(++this.#failures) };
  }

  #setHealth(health: Health): void {
    this.#health = health;
    this.#unclear = health.kind === 'checking' ? this.#unclear : 0;
    if (health.kind === 'connected' || health.kind === 'keyRejected') this.#failures = 0;
    this.#options.onHealth(health);
  }

  /** The next check: after the interval when all is well, with growing gaps when not. */
  #schedule(health: Health): void {
    clearTimeout(this.#timer);
    const at = this.#nextCheck(health);
    if (at === undefined) return;
    const delay = Math.min(Math.max(0, at - Date.now()), MAX_DELAY);
    this.#timer = setTimeout(() => void this.check(), delay);
  }

  /** When, in milliseconds since 1970; undefined: only when asked. */
  #nextCheck(health: Health): number | undefined {
    const interval = this.#options.checkInterval();
    switch (health.kind) {
      case 'noKey':
        return undefined;
      case 'checking':
        return Date.now() + Math.min(SOON * 2 ** Math.max(0, this.#unclear - 5), LATER);
      case 'connected':
      case 'keyRejected':
        return interval > 0 ? health.checkedAt + interval : undefined;
      case 'slow':
      case 'unreachable':
        return health.retryAt ?? undefined;
    }
  }
}

/** Asked by a function, since it changes while others are waited for. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** Without the answer's own words, and where no handshake has failed. */
function causeOfStatus(status: number): Cause {
  if (status === 502) return 'network';
  return status === 429 || status >= 500 ? 'backend' : 'protocol';
}

/** What has befallen the proxy's requests from then on. */
function requestFailureSince({ requestFailure }: ProxyReport, time: number): ConnectionFailure | null {
  return requestFailure !== null && requestFailure.at >= time && requestFailure.code !== 'key_refused'
    ? requestFailure
    : null;
}

/** A handshake, or a request of somebody else, has failed or succeeded since, or failed for another reason. */
function contradicts({ failure, establishedAt, requestFailure, servedAt }: ProxyReport, health: Health): boolean {
  if (!('checkedAt' in health)) return false;
  const since = (time: number | null | undefined) => typeof time === 'number' && time > health.checkedAt;
  if (health.kind === 'connected') return since(failure?.at) || since(requestFailure?.at);
  if (since(servedAt)) return true;
  if (health.kind === 'keyRejected') return false;
  if (failure === null) return since(establishedAt);
  return since(failure.at) && (health.kind === 'slow' || causeOf(failure) !== health.cause);
}
