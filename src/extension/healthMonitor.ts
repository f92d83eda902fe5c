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

export class HealthMonitor {
  readonly #options: MonitorOptions;
  #health: Health = { kind: 'checking' };
  #failures = 0;
  #checking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #healthTimer: NodeJS.Timeout;
  #over = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#healthTimer = setInterval(() => void this.#ask(), HEALTH_INTERVAL);
  }

  get health(): Health {
    return this.#health;
  }

  /** Checks proxy, key and backend now; all who ask while it runs share it. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** The last check is older than this many milliseconds: check again. */
  checkIfOlder(age: number): void {
    const { health } = this;
    if ('checkedAt' in health && Date.now() - health.checkedAt > age) void this.check();
  }

  /** No status comes any more. */
  end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    clearInterval(this.#healthTimer);
  }

  #isOver(): boolean {
    return this.#over;
  }

  /** True if the port is still ours. */
  async #ask(): Promise<boolean> {
    const { probe, onReport, onLost } = this.#options;
    const answer = await probe();
    if (this.#over) return false;
    if (answer.kind !== 'ours') {
      onLost();
      return false;
    }
    onReport(answer.report);
    return true;
  }

  async #check(): Promise<void> {
    clearTimeout(this.#timer);
    const { accessKey, hasApiKey } = await this.#options.keys();
    if (this.#over) return;
    if (!hasApiKey) {
      this.#become({ kind: 'noKey' });
      return;
    }
    if (this.#health.kind !== 'connected') this.#become({ kind: 'checking' });
    if (!(await this.#ask())) return; // no key is sent to a port that is not ours
    const health = await this.#askBackend(accessKey);
    if (this.#isOver()) return;
    this.#become(health);
    this.#schedule(health);
  }

  async #askBackend(accessKey: string): Promise<Health> {
    const { port, backendLimit, probe } = this.#options;
    let answer: Answer;
    try {
      answer = await askModels(port, accessKey, backendLimit());
    } catch {
      return this.#slow();
    }
    const checkedAt = Date.now();
    const models = answer.status === 200 ? modelIds(answer.body) : undefined;
    if (models !== undefined) return { kind: 'connected', models, checkedAt };
    if (answer.status === 401) {
      // The proxy's own refusals name themselves; the backend's mean the API key.
      return answer.headers['www-authenticate']?.includes('sealed-proxy') === true
        ? { kind: 'checking' }
        : { kind: 'keyRejected', checkedAt };
    }
    if (answer.status === 504) return this.#slow();
    const latest = await probe();
    const failure = latest.kind === 'ours' ? latest.report.failure : null;
    const retryAt = checkedAt + retryDelay(++this.#failures);
    const unexplained = `The backend answered with status ${answer.status}`;
    return failure === null
      ? {
          kind: 'unreachable',
          cause: answer.status === 502 ? 'network' : 'protocol',
          message: unexplained,
          checkedAt,
          retryAt,
        }
      : { kind: 'unreachable', cause: causeOf(failure), message: failure.message, checkedAt, retryAt };
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
    const again = (delay: number) => {
      this.#timer = setTimeout(() => void this.check(), delay);
    };
    if (health.kind === 'checking') again(1000);
    else if ('retryAt' in health && health.retryAt !== null) again(Math.max(0, health.retryAt - Date.now()));
    else if (this.#options.checkInterval() > 0) again(this.#options.checkInterval());
  }
}
