import { compareVersions } from '../shared/compareVersions.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { CHECKING, HealthMonitor, statusPart } from './healthMonitor.ts';
import type { StatusUpdate } from './healthMonitor.ts';
import { Launcher, StartError } from './launcher.ts';
import { withConnection } from './localProxy.ts';
import type { Probe, VerifiedConnection } from './localProxy.ts';
import { Phase } from './phase.ts';
import { awaitSuccessor, probeKeys, requestPort, takeOverDelay, watchOwner, watchPort } from './portOwnership.ts';
import type { Ownership } from './portOwnership.ts';
import { RestartPolicy } from './restartPolicy.ts';
import { diffSettings } from './settingsDiff.ts';
import type { LaunchConfig } from './settingsDiff.ts';
import { ownershipSecret } from './supervisorHost.ts';
import type { SupervisorHost } from './supervisorHost.ts';

/** Milliseconds for the owner to restart the proxy: its window reads the same settings. */
const OWNER_RESTART_DELAY = 1000;
/** A process that has not responded for this many milliseconds hangs. */
const HANG_LIMIT = 30_000;

type State =
  | { readonly kind: 'off' | 'starting' | 'blocked' | 'yielding' | 'restarting' | 'failed' | 'ended' }
  | { readonly kind: 'owner' | 'client'; readonly monitor: HealthMonitor };

/**
 * Keeps one proxy for all windows: one window owns its process, the others are clients. A state machine: the work, the
 * timers and the watches of a state end with it (`Phase`). In brackets, the status that a state shows under another name.
 *
 * | State                              | Event                                                    | Next state        |
 * | ---------------------------------- | -------------------------------------------------------- | ----------------- |
 * | any                                | `stop()`                                                 | off               |
 * | any                                | `end()`: the window closes                               | ended, for good   |
 * | any                                | `restart()`: asks an own proxy that is not newer for the | starting          |
 * |                                    | port                                                     |                   |
 * | off, blocked, restarting, failed   | `start()`                                                | starting          |
 * | starting                           | own proxy of an older version, same trust: asks it for   | (starting)        |
 * |                                    | the port, unless this window's process crashed or failed |                   |
 * |                                    | own proxy on the port, of the same protocol and trust    | client            |
 * |                                    | another own proxy, another program, or a port held       | blocked           |
 * |                                    | port free: this window's process serves it               | owner             |
 * |                                    | a setting is invalid, or the start fails                 | failed            |
 * | starting, owner                    | the process crashes; the fifth time in three minutes     | restarting; failed |
 * |                                    | the process releases its port for another window         | yielding          |
 * |                                    | the keys change and cannot be read                       | starting          |
 * | owner (running)                    | no response for 30 s: kills the process                  | (it crashes)      |
 * | client (running, shared)           | the owner goes away; after 0.3 to 0.9 s                  | starting          |
 * |                                    | the owner does not use the current keys: `restart()`     | starting          |
 * | blocked (portTaken, other…)        | the port is free or has another program; likewise        | starting          |
 * | blocked after a useless start      | a proxy can listen again; seen in 15 s to 5 min          | starting          |
 * | failed, not by a setting           | an own proxy is on the port; likewise                    | starting          |
 * | portTaken, failed to listen        | the keys change                                          | starting          |
 * | yielding (starting)                | another window's proxy has the port; 10 s have passed    | starting          |
 * | restarting                         | 1, 2, 4 or 8 s have passed                               | starting          |
 * | any but off, yielding, ended       | a setting changes that a running proxy cannot take; the  | starting          |
 * |                                    | same as a client, after 1.3 to 1.9 s                     |                   |
 */
export class Supervisor {
  readonly #host: SupervisorHost;
  readonly #launcher: Launcher;
  readonly #policy = new RestartPolicy();
  #state: State = { kind: 'off' };
  #phase = new Phase();
  #status: ProxyStatus = { kind: 'off' };
  /** What the latest start used. */
  #config: LaunchConfig | undefined;
  /** From `start()` until this window first joins or yields: it then makes sure that the owner has the current keys. */
  #isFresh = false;

  constructor(host: SupervisorHost) {
    this.#host = host;
    this.#launcher = new Launcher(host, (event) => {
      if (event === 'crash') this.#restartAfterCrash();
      else if (event === 'yield') this.#yield();
      else void this.#monitor?.look();
    });
  }

  get status(): ProxyStatus {
    return this.#status;
  }

  /** How often this window's proxy has crashed in the last three minutes. */
  get crashes(): number {
    return this.#policy.count(Date.now());
  }

  /** Starts or joins a proxy. Resolves when the outcome is known. */
  async start(): Promise<void> {
    if (['off', 'blocked', 'restarting', 'failed'].includes(this.#state.kind)) {
      this.#isFresh = true;
      void this.#beginAnew();
    }
    await this.#settled();
  }

  /**
   * Ends this window's proxy, or leaves the shared one. Responses have four seconds to finish.
   * @param options.allWindows only for the status: the other windows stop too
   */
  async stop(options: { readonly allWindows?: true } = {}): Promise<void> {
    if (this.#state.kind === 'ended') return;
    const phase = this.#enter({ kind: 'off' });
    void this.#launcher.stop();
    await this.#launcher.release();
    if (!phase.isOver) this.#publish({ kind: 'off', ...options });
  }

  /** The window closes: resolves when all its processes have ended. */
  async end(): Promise<void> {
    this.#enter({ kind: 'ended' });
    await this.#launcher.stop();
  }

  /** Starts a process of this window, in place of another window's that is not newer. Resolves with the outcome. */
  async restart(): Promise<void> {
    const [{ kind }, status, phase] = [this.#state, this.#status, this.#phase];
    const isOthers = kind === 'client' || (kind === 'blocked' && status.kind !== 'portTaken');
    if (isOthers && 'port' in status) await requestPort(status.port, this.#host.secrets, this.#host.version);
    if (phase.isOver) return;
    await this.#beginAnew();
  }

  /** Calls `act` with a connection to the authenticated proxy and the extension's key; rejects if none responds. */
  async withConnection<Result>(act: (connection: VerifiedConnection, accessKey: string) => Promise<Result>) {
    if (this.#status.kind !== 'running') throw new Error('The proxy is not running');
    const { port } = this.#status;
    const secrets = await this.#host.secrets();
    return withConnection(port, ownershipSecret(secrets), (connection) => act(connection, secrets.ownKey));
  }

  /** Checks the backend now. A failed check that does not count does not make later ones less frequent. */
  async check(counts = true): Promise<void> {
    await this.#monitor?.check(counts);
  }

  /** Checks the backend if the last check is older than `age` milliseconds. */
  checkIfOlder(age: number): void {
    this.#monitor?.checkIfOlder(age);
  }

  /** Keys have changed. Resolves when the proxy uses them. */
  async secretsChanged(apiKeyChanged: boolean): Promise<void> {
    try {
      await this.#launcher.sendSecrets();
    } catch {
      // Stop serving with the old keys, since one of them may have been revoked.
      if (this.#state.kind === 'starting' || this.#state.kind === 'owner') await this.#begin();
      return;
    }
    await this.#ensureCurrentKeys(2);
    if (apiKeyChanged) await this.#monitor?.restartCheck();
    // A port is taken if the ownership secret differs; a start fails if the secrets cannot be read.
    const [{ kind }, status] = [this.#state, this.#status];
    const isPortTaken = kind === 'blocked' && status.kind === 'portTaken';
    if (isPortTaken || (kind === 'failed' && 'reason' in status && status.reason === 'listen')) await this.#begin();
  }

  /** Settings, or the rules for enclave images, have changed. Resolves when they are in use, or when it is known why not. */
  async settingsChanged(): Promise<void> {
    this.#monitor?.reschedule();
    const { kind } = this.#state;
    if (this.#config === undefined || ['off', 'yielding', 'ended'].includes(kind)) return;
    const config = this.#readConfig();
    const diff = diffSettings(this.#config, config);
    if (diff.kind === 'unchanged') return;
    if (diff.kind === 'live' && (kind === 'client' || this.#launcher.update(diff.settings, config.images))) {
      this.#config = config; // of a client, the owner applies the change
    } else if (kind === 'client') {
      this.#beginSoon(OWNER_RESTART_DELAY);
    } else {
      await this.#begin();
    }
  }

  get #monitor(): HealthMonitor | undefined {
    return 'monitor' in this.#state ? this.#state.monitor : undefined;
  }

  /** Resolves when the outcome of the latest start is known. */
  async #settled(): Promise<void> {
    while (this.#state.kind === 'starting' || this.#state.kind === 'yielding') await this.#phase.left;
  }

  #readConfig(): LaunchConfig {
    return { settings: this.#host.settings(), network: this.#host.network(), images: this.#host.images?.() };
  }

  #enter(state: State, status?: ProxyStatus, phase = new Phase()): Phase {
    this.#monitor?.end();
    this.#phase.end();
    [this.#state, this.#phase] = [state, phase];
    if (status !== undefined) this.#publish(status);
    return phase;
  }

  async #beginAnew(): Promise<void> {
    this.#policy.reset();
    await this.#begin();
  }

  readonly #begin = async (): Promise<void> => {
    if (this.#state.kind !== 'ended') void this.#attempt(this.#enter({ kind: 'starting' }));
    await this.#settled();
  };

  readonly #beginSoon = (delay = 0): void => {
    this.#phase.after(delay + takeOverDelay(), this.#begin);
  };

  async #attempt(phase: Phase): Promise<void> {
    try {
      await this.#launcher.release();
      phase.check();
      this.#publish({ kind: 'starting' });
      this.#config = this.#readConfig();
      const ownership = await this.#launcher.acquire(phase, this.#config, this.#policy.mayTakeOver);
      phase.check();
      this.#policy.ended(ownership.kind === 'blocked' && ownership.found.kind === 'held');
      if (ownership.kind !== 'blocked') this.#run(ownership);
      else this.#watchPort(this.#enter({ kind: 'blocked' }, ownership.status), ownership.found);
    } catch (error) {
      const other = `The proxy could not be started: ${(error as Error).message}`;
      if (!phase.isOver) this.#fail(error instanceof StartError ? error : new StartError('listen', other));
    }
  }

  #run({ kind, port, report }: Exclude<Ownership, { kind: 'blocked' }>): void {
    const phase = new Phase();
    const monitor = new HealthMonitor({
      port,
      agent: kind === 'client' ? watchOwner(phase, this.#beginSoon) : undefined,
      secrets: this.#host.secrets,
      checkInterval: this.#host.checkInterval,
      backendLimit: () => this.#host.settings().requestTimeoutSeconds * 1000 + 5000,
      onUpdate: this.#update,
      onLost: (found, milliseconds) => {
        if (kind === 'owner' && milliseconds >= HANG_LIMIT) this.#launcher.crash();
        // An unresponsive owner may only be busy; `watchOwner` notices when it goes away.
        if (kind === 'client' && found.kind !== 'unresponsive') this.#beginSoon();
      },
    });
    const shared = kind === 'client';
    const where = { url: `http://127.0.0.1:${port}`, port, version: report.version, shared };
    const status = { kind: 'running', ...where, ...statusPart(report), health: CHECKING } as const;
    this.#enter({ kind, monitor }, status, phase);
    void monitor.check();
    if (!shared) return;
    if (this.#isFresh) this.#ensureCurrentKeys(1).catch(() => undefined);
    this.#isFresh = false;
  }

  #fail({ reason, message }: StartError): void {
    this.#policy.failed();
    const phase = this.#enter({ kind: 'failed' }, { kind: 'failed', reason, message });
    if (reason !== 'setting') this.#watchPort(phase);
  }

  #watchPort(phase: Phase, found?: Probe): void {
    const { settings, secrets } = this.#host;
    watchPort(phase, settings().port, found, secrets, this.#beginSoon, this.#policy.uselessStarts);
  }

  #yield(): void {
    this.#isFresh = false;
    const phase = this.#enter({ kind: 'yielding' }, { kind: 'starting' });
    const { settings, secrets } = this.#host;
    awaitSuccessor(phase, settings().port, secrets, this.#begin);
  }

  #restartAfterCrash(): void {
    const delay = this.#policy.crashed(Date.now());
    const message = 'The proxy crashed five times in three minutes. Restart it to try again.';
    if (delay === undefined) this.#fail(new StartError('crashes', message));
    else this.#enter({ kind: 'restarting' }, { kind: 'restarting', at: Date.now() + delay }).after(delay, this.#begin);
  }

  /**
   * Replaces an owner that does not use the current keys after a second, because its window does not see them: in a
   * browser, each tab has secrets of its own.
   */
  async #ensureCurrentKeys(attempts: number): Promise<void> {
    const phase = this.#phase;
    if (attempts === 0 || this.#status.kind !== 'running' || this.#monitor === undefined) return;
    if (compareVersions(this.#status.version, this.#host.version) > 0) return; // it would not release the port
    const isGone = (found: Probe) => phase.isOver || found.kind !== 'own'; // the next process gets the current keys
    const { found, isCurrent } = await probeKeys(this.#status.port, this.#host.secrets, isGone);
    if (isCurrent || isGone(found) || this.#state.kind !== 'client') return;
    await this.restart();
    await this.#ensureCurrentKeys(attempts - 1);
  }

  readonly #update = (update: StatusUpdate): void => {
    if (this.#status.kind === 'running') this.#publish({ ...this.#status, ...update });
  };

  #publish(status: ProxyStatus): void {
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    this.#status = status;
    this.#host.onStatus(status);
  }
}
