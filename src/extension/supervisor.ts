// Keeps one proxy for all windows of this computer: owns it, or joins the one that another window owns, and takes over
// when that one goes. It needs nothing of the editor.
import type { NetworkSettings, FromProxy, ProxySettings } from '../shared/messages.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import type { Health, ProxyStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { HealthMonitor } from './healthMonitor.ts';
import { OwnerWatch, probe } from './localProxy.ts';
import type { Probe } from './localProxy.ts';
import { ProxyProcess } from './proxyProcess.ts';
import { RestartPolicy } from './restartPolicy.ts';

/** What the proxy must know that nobody else may. */
export interface SupervisorSecrets {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** The one by which the extension itself asks. */
  readonly ownKey: string;
  /** Base64 of 32 bytes, the same in every window. */
  readonly ownership: string;
  /** Base64 of 32 bytes. */
  readonly cacheNamespaceRoot: string;
}

/** All that a proxy is started with; every field is set. */
export type CompleteSettings = Required<Omit<ProxySettings, 'host' | 'allowedHosts'>>;

export interface SupervisorHost {
  /** The bundle of the proxy. */
  readonly module: string;
  /** A folder of the extension's own, for the process to stand in. */
  readonly cwd: string;
  readonly settings: () => CompleteSettings;
  readonly network: () => NetworkSettings;
  /** Milliseconds between two checks of the backend, 0 = never by itself. */
  readonly checkInterval: () => number;
  readonly secrets: () => Promise<SupervisorSecrets>;
  readonly onStatus: (status: ProxyStatus) => void;
  readonly onLog: (line: string) => void;
  readonly onKeyUsed: (id: string) => void;
  /** A setting has a value that cannot be used; the last good one stays. */
  readonly onRefused: (setting: string | null, message: string) => void;
}

/** A start that takes longer has failed, in milliseconds. */
const START_LIMIT = 10_000;
/** A window that takes over waits a random part of this, so that not all try at once. */
const TAKE_OVER_SPREAD = 700;
const LIVE: ReadonlySet<string> = new Set([
  'requestTimeoutSeconds',
  'streamIdleTimeoutSeconds',
  'allowedOrigins',
  'logLevel',
]);

export class Supervisor {
  readonly #host: SupervisorHost;
  readonly #policy = new RestartPolicy();
  #status: ProxyStatus = { kind: 'off' };
  #wanted = false;
  /** Grows with each start and stop: what began before it is out of date. */
  #turn = 0;
  #process: ProxyProcess | undefined;
  #watch: OwnerWatch | undefined;
  #monitor: HealthMonitor | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The settings that the running proxy has, or the last that one had. */
  #applied: CompleteSettings | undefined;
  #answerToCheck: ((good: boolean) => void) | undefined;

  constructor(host: SupervisorHost) {
    this.#host = host;
  }

  get status(): ProxyStatus {
    return this.#status;
  }

  /** Starts or joins. No effect while one runs. Resolves when it is known how that went. */
  async start(): Promise<void> {
    if (this.#wanted && this.#status.kind === 'running') return;
    this.#wanted = true;
    this.#policy.reset();
    await this.#begin();
  }

  /** Ends the proxy of this window, or leaves the shared one. Running responses may finish. */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#leave();
    this.#become({ kind: 'off' });
  }

  /** The window closes: nothing of this one may stay behind. */
  async end(): Promise<void> {
    this.#wanted = false;
    const process = this.#process;
    this.#process = undefined;
    await Promise.all([process?.stop(), this.#leave()]);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Asks the backend now. */
  async check(): Promise<void> {
    await this.#monitor?.check();
  }

  checkIfOlder(age: number): void {
    this.#monitor?.checkIfOlder(age);
  }

  /** Keys have changed: they count at once. */
  async secretsChanged(apiKeyChanged: boolean): Promise<void> {
    const { apiKey, accessKeys, ownership } = await this.#host.secrets();
    this.#process?.send({ type: 'secrets', secrets: { apiKey, accessKeys, ownership } });
    if (apiKeyChanged) await this.check();
  }

  /** Settings have changed: what can be is applied live, else the proxy is started anew. */
  async settingsChanged(): Promise<void> {
    const before = this.#applied;
    if (!this.#wanted || before === undefined) return;
    const after = this.#host.settings();
    const changed = (Object.keys(after) as (keyof CompleteSettings)[]).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
    );
    if (changed.length === 0) return;
    if (this.#process === undefined || !changed.every((name) => LIVE.has(name))) {
      await this.#begin();
      return;
    }
    const { requestTimeoutSeconds, streamIdleTimeoutSeconds, allowedOrigins, logLevel } = after;
    this.#applied = after;
    const settings = { requestTimeoutSeconds, streamIdleTimeoutSeconds, allowedOrigins, logLevel };
    this.#process.send({ type: 'update', settings });
  }

  /** A bad value never stops a running proxy: it is asked first. */
  async checkSettings(): Promise<boolean> {
    const process = this.#process;
    if (process === undefined) return true;
    return new Promise((resolve) => {
      this.#answerToCheck = resolve;
      process.send({ type: 'check', settings: this.#host.settings() });
    });
  }

  async #begin(): Promise<void> {
    await this.#leave();
    const turn = ++this.#turn;
    this.#become({ kind: 'starting' });
    const settings = this.#host.settings();
    const secrets = await this.#host.secrets();
    if (turn !== this.#turn) return;
    const found = settings.port === 0 ? ({ kind: 'free' } as const) : await probe(settings.port, key(secrets));
    if (turn !== this.#turn) return;
    await this.#enter(turn, found, settings, secrets);
  }

  async #enter(turn: number, found: Probe, settings: CompleteSettings, secrets: SupervisorSecrets): Promise<void> {
    const { port } = settings;
    if (found.kind === 'stranger') this.#become({ kind: 'portTaken', port });
    else if (found.kind === 'free') await this.#own(turn, settings, secrets);
    else if (found.report.version === VERSION) this.#join(port, found.report, settings, secrets);
    else this.#become({ kind: 'otherVersion', port, version: found.report.version });
  }

  #join(port: number, report: ProxyReport, settings: CompleteSettings, secrets: SupervisorSecrets): void {
    const watch = new OwnerWatch(() => {
      this.#takeOverSoon();
    });
    this.#watch = watch;
    this.#applied = settings;
    const ask = () => watch.probe(port, key(secrets));
    this.#run(port, true, settings, ask, report);
  }

  #takeOverSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#begin(), Math.random() * TAKE_OVER_SPREAD);
  }

  /** Starts a process of this window's own. Resolves when it serves, or when it is known that it does not. */
  async #own(turn: number, settings: CompleteSettings, secrets: SupervisorSecrets): Promise<void> {
    const started = await new Promise<Extract<FromProxy, { type: 'ready' | 'failed' }> | 'ended' | 'slow'>(
      (resolve) => {
        const limit = setTimeout(() => {
          resolve('slow');
        }, START_LIMIT);
        const settle = (outcome: Extract<FromProxy, { type: 'ready' | 'failed' }> | 'ended') => {
          clearTimeout(limit);
          resolve(outcome);
        };
        const process = new ProxyProcess({
          module: this.#host.module,
          cwd: this.#host.cwd,
          onLog: this.#host.onLog,
          onMessage: (message) => {
            if (message.type === 'ready' || message.type === 'failed') settle(message);
            this.#hear(process, message);
          },
          onExit: (asked) => {
            settle('ended');
            this.#ended(process, asked);
          },
        });
        this.#process = process;
        const { apiKey, accessKeys, ownership, cacheNamespaceRoot } = secrets;
        process.send({
          type: 'start',
          settings,
          secrets: { apiKey, accessKeys, ownership },
          cacheNamespaceRoot,
          network: this.#host.network(),
        });
      },
    );
    if (turn !== this.#turn || started === 'ended') return;
    if (started === 'slow') {
      await this.#giveUp('slowStart', 'The proxy did not start within 10 seconds. The log may say why.');
    } else if (started.type === 'failed') {
      await this.#startFailed(started, settings, secrets);
    } else {
      this.#applied = settings;
      const ask = () => probe(started.port, key(secrets));
      this.#run(started.port, false, settings, ask);
    }
  }

  async #startFailed(
    { code, setting, message }: Extract<FromProxy, { type: 'failed' }>,
    settings: CompleteSettings,
    secrets: SupervisorSecrets,
  ): Promise<void> {
    if (code === 'port_taken') {
      await this.#leave();
      const found = await probe(settings.port, key(secrets)); // another window may have been faster
      if (found.kind === 'free') this.#become({ kind: 'portTaken', port: settings.port });
      else await this.#enter(this.#turn, found, settings, secrets);
    } else if (code === 'invalid_setting') {
      this.#host.onRefused(setting, message);
      await this.#giveUp('setting', message);
    } else {
      await this.#giveUp('listen', message);
    }
  }

  #run(
    port: number,
    shared: boolean,
    { backendUrl, requestTimeoutSeconds }: CompleteSettings,
    ask: () => Promise<Probe>,
    report?: ProxyReport,
  ): void {
    const health: Health = { kind: 'checking' };
    this.#become({
      kind: 'running',
      url: `http://127.0.0.1:${port}`,
      port,
      version: VERSION,
      shared,
      backendUrl,
      verified: report?.verified ?? null,
      establishedAt: report?.establishedAt ?? null,
      health,
    });
    this.#monitor = new HealthMonitor({
      port,
      probe: ask,
      keys: async () => {
        const { ownKey, apiKey } = await this.#host.secrets();
        return { accessKey: ownKey, hasApiKey: apiKey !== null };
      },
      checkInterval: this.#host.checkInterval,
      backendLimit: () => requestTimeoutSeconds * 1000 + 5000,
      onHealth: (next) => {
        this.#amend({ health: next });
      },
      onReport: ({ verified, establishedAt }) => {
        this.#amend({ verified, establishedAt });
      },
      onLost: () => {
        if (shared) this.#takeOverSoon();
      },
    });
    void this.#monitor.check();
  }

  #hear(process: ProxyProcess, message: FromProxy): void {
    if (message.type === 'accessKeyUsed') this.#host.onKeyUsed(message.id);
    if (process !== this.#process) return;
    if (message.type === 'verified') {
      this.#amend({ verified: message.verified, establishedAt: message.establishedAt });
    } else if (message.type === 'handshakeFailed') {
      this.#amend({ verified: null, establishedAt: null });
      void this.check();
    } else if (message.type === 'checked') {
      if (message.message !== null) this.#host.onRefused(message.setting, message.message);
      this.#answerToCheck?.(message.message === null);
      this.#answerToCheck = undefined;
    }
  }

  /** The process has ended. If nobody asked it to, it is started again, a few times. */
  #ended(process: ProxyProcess, asked: boolean): void {
    if (process !== this.#process || asked) return;
    this.#process = undefined;
    this.#endMonitor();
    const delay = this.#policy.crashed(Date.now());
    if (delay === undefined) {
      const message = 'The proxy ended five times within three minutes and is not started again by itself.';
      this.#become({ kind: 'failed', reason: 'crashes', message });
      return;
    }
    this.#become({ kind: 'restarting', at: Date.now() + delay });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#begin(), delay);
  }

  async #giveUp(reason: 'slowStart' | 'setting' | 'listen', message: string): Promise<void> {
    await this.#leave();
    this.#become({ kind: 'failed', reason, message });
  }

  /** Lets go of whatever this window has. */
  async #leave(): Promise<void> {
    this.#turn++;
    clearTimeout(this.#timer);
    this.#endMonitor();
    this.#watch?.end();
    this.#watch = undefined;
    const process = this.#process;
    this.#process = undefined;
    await process?.release();
  }

  #endMonitor(): void {
    this.#monitor?.end();
    this.#monitor = undefined;
  }

  #amend(change: Partial<Extract<ProxyStatus, { kind: 'running' }>>): void {
    if (this.#status.kind === 'running') this.#become({ ...this.#status, ...change });
  }

  #become(status: ProxyStatus): void {
    this.#status = status;
    this.#host.onStatus(status);
  }
}

function key({ ownership }: SupervisorSecrets): Uint8Array {
  return Buffer.from(ownership, 'base64');
}
