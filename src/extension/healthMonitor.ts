// Watches one running proxy and the backend behind it, and says how they stand. It needs nothing of the editor.
import type { ProxyReport } from '../shared/ownership.ts';
import { causeOf } from '../shared/status.ts';
import type { Health } from '../shared/status.ts';
import { retryDelay } from './backoff.ts';
import { askModels, modelIds } from './localProxy.ts';
import type { Answer, Probe } from './localProxy.ts';

export interface MonitorOptions {
  readonly port: number;
  /** Asks the port whose it is. */
  readonly probe: () => Promise<Probe>;
  /** The extension's own access key, and whether the proxy has an API key at all. */
  readonly keys: () => Promise<{ readonly accessKey: string; readonly hasApiKey: boolean }>;
  /** Milliseconds between two checks of the backend; 0 = only when asked. */
  readonly checkInterval: () => number;
  /** How long the backend may take, in milliseconds. */
  readonly backendLimit: () => number;
  readonly onHealth: (health: Health) => void;
  readonly onReport: (report: ProxyReport) => void;
  /** The port is no longer ours. */
  readonly onLost: () => void;
}

const HEALTH_INTERVAL = 15_000;
/** A port or key that was not right a moment ago may be so soon: another window is just taking over, or reads the keys. */
const SOON = 1000;
/** Timers hold no more. */
const MAX_DELAY = 2 ** 31 - 1;

const CHECKING: Health = { kind: 'checking' };

export class HealthMonitor {
  readonly #options: MonitorOptions;
  #health: Health = CHECKING;
  #failures = 0;
  #checking: Promise<void> | undefined;
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
    this.#checking ??= this.#check(this.#abort.signal).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** The same with what counts from now on: the answer to an older question does not. */
  async checkAnew(): Promise<void> {
    if (this.#over) return;
    this.#abort.abort();
    this.#abort = new AbortController();
    await this.#checking;
    await this.check();
  }

  /** The last check is older than this many milliseconds: check again. */
  checkIfOlder(age: number): void {
    const { health } = this;
    if ('checkedAt' in health && Date.now() - health.checkedAt > age) void this.check();
  }

  /** Asks the proxy alone, and the backend as well if it stands otherwise than was known. */
  async look(): Promise<void> {
    const report = await this.#ask(this.#abort.signal);
    if (report !== undefined && this.#checking === undefined && contradicts(report, this.#health)) await this.check();
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
  async #ask(signal: AbortSignal): Promise<ProxyReport | undefined> {
    const { probe, onReport, onLost } = this.#options;
    const answer = await probe();
    if (signal.aborted) return undefined;
    if (answer.kind !== 'ours') {
      onLost();
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
      this.#become({ kind: 'noKey' });
      await this.#ask(signal);
      return;
    }
    if (this.#health.kind !== 'connected') this.#become(CHECKING);
    // No key is sent to a port that is not ours.
    const health = (await this.#ask(signal)) === undefined ? CHECKING : await this.#askBackend(accessKey, signal);
    if (isAborted(signal)) return;
    this.#become(health);
    this.#schedule(health);
  }

  async #askBackend(accessKey: string, signal: AbortSignal): Promise<Health> {
    const { port, backendLimit } = this.#options;
    let answer: Answer;
    try {
      answer = await askModels(port, accessKey, backendLimit(), signal);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ETIMEDOUT' ? this.#slow() : CHECKING;
    }
    const report = await this.#ask(signal); // what the handshake for it proved, or why it failed
    if (report === undefined) return CHECKING;
    const checkedAt = Date.now();
    const models = answer.status === 200 ? modelIds(answer.body) : undefined;
    if (models !== undefined) return { kind: 'connected', models, checkedAt };
    if (answer.status === 401) {
      // The proxy's own refusals name themselves; the backend's mean the API key.
      const ours = answer.headers['www-authenticate']?.includes('sealed-proxy') === true;
      return ours ? CHECKING : { kind: 'keyRejected', checkedAt };
    }
    if (answer.status === 504) return this.#slow();
    const retryAt = checkedAt + retryDelay(++this.#failures);
    const cause = answer.status === 502 ? 'network' : 'protocol';
    const message = `The backend answered with status ${answer.status}`;
    return report.failure === null
      ? { kind: 'unreachable', cause, message, checkedAt, retryAt }
      : { kind: 'unreachable', cause: causeOf(report.failure), message: report.failure.message, checkedAt, retryAt };
  }

  #slow(): Health {
    const checkedAt = Date.now();
    return { kind: 'slow', checkedAt, retryAt: checkedAt + retryDelay(++this.#failures) };
  }

  #become(health: Health): void {
    this.#health = health;
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
        return Date.now() + SOON;
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

/** A handshake has failed or succeeded since. */
function contradicts({ failure, establishedAt }: ProxyReport, health: Health): boolean {
  if (health.kind === 'connected') return failure !== null;
  if (health.kind !== 'unreachable' && health.kind !== 'slow') return false;
  return failure === null && establishedAt !== null && establishedAt > health.checkedAt;
}
