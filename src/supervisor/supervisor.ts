// Performs what transition.ts decides: processes, connections, timers.
import type { ProxyStatus } from '../shared/status.ts';
import { compareVersions } from '../shared/version.ts';
import { CHECKING, HealthMonitor, statusPart } from './healthMonitor.ts';
import type { StatusUpdate } from './healthMonitor.ts';
import { Launcher, StartError } from './launcher.ts';
import { withConnection } from './localProxy.ts';
import type { VerifiedConnection } from './localProxy.ts';
import { Phase } from './phase.ts';
import { requestPort } from './portClaim.ts';
import { probeKeys } from './portProbe.ts';
import type { Probe } from './portProbe.ts';
import { awaitSuccessor, takeOverDelay, watchOwner, watchPort } from './portWatch.ts';
import { diffSettings } from './settingsDiff.ts';
import type { LaunchConfig } from './settingsDiff.ts';
import { ownershipSecret } from './supervisorHost.ts';
import type { SupervisorHost } from './supervisorHost.ts';
import { OFF, countCrashes, transition } from './transition.ts';
import type { Effect, State, SupervisorEvent } from './transition.ts';

/**
 * Keeps one proxy for all windows: one window owns its process, the others are clients. A state machine, whose table is in
 * transition.ts: the work, the timers and the watches of a state end with it (`Phase`).
 */
export class Supervisor {
  readonly #host: SupervisorHost;
  readonly #launcher: Launcher;
  #state: State = OFF;
  /** Of the current state. */
  #phase = new Phase();
  #monitor: HealthMonitor | undefined;
  #status: ProxyStatus = { kind: 'off' };
  /** What the latest start used. */
  #config: LaunchConfig | undefined;

  constructor(host: SupervisorHost) {
    this.#host = host;
    this.#launcher = new Launcher(host, (event) => {
      if (event === 'crash') this.#dispatch({ kind: 'crashed', now: Date.now() });
      else if (event === 'yield') this.#dispatch({ kind: 'yielded' });
      else void this.#monitor?.poll();
    });
  }

  get status(): ProxyStatus {
    return this.#status;
  }

  /** How often this window's proxy has crashed in the last three minutes. */
  get crashes(): number {
    return countCrashes(this.#state, Date.now());
  }

  /** Starts or joins a proxy. Resolves when the outcome is known. */
  async start(): Promise<void> {
    this.#dispatch({ kind: 'start' });
    await this.#settled();
  }

  /**
   * Ends this window's proxy, or leaves the shared one. Responses have four seconds to finish.
   * @param options.allWindows only for the status: the other windows stop too
   */
  async stop(options: { readonly allWindows?: true } = {}): Promise<void> {
    if (!this.#dispatch({ kind: 'stop' })) return;
    const phase = this.#phase;
    void this.#launcher.stop();
    await this.#launcher.release();
    if (!phase.isOver) this.#publish({ kind: 'off', ...options });
  }

  /** The window closes: resolves when all its processes have ended. */
  async end(): Promise<void> {
    this.#dispatch({ kind: 'end' });
    await this.#launcher.stop();
  }

  /** Starts a process of this window, in place of another window's that is not newer. Resolves with the outcome. */
  async restart(): Promise<void> {
    const state = this.#state;
    const status = this.#status;
    const phase = this.#phase;
    const isOthers = state.kind === 'client' || (state.kind === 'blocked' && state.by !== 'portTaken');
    if (isOthers && 'port' in status) await requestPort(status.port, this.#host.secrets, this.#host.version);
    if (phase.isOver) return;
    this.#dispatch({ kind: 'restart' });
    await this.#settled();
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
      if (this.#dispatch({ kind: 'keysUnreadable' })) await this.#settled();
      return;
    }
    await this.#ensureCurrentKeys(2);
    if (apiKeyChanged) await this.#monitor?.restartCheck();
    if (this.#dispatch({ kind: 'keysChanged' })) await this.#settled();
  }

  /** Settings, or the rules for enclave images, have changed. Resolves when they are in use, or when it is known why not. */
  async settingsChanged(): Promise<void> {
    this.#monitor?.reschedule();
    if (this.#config === undefined) return;
    const config = this.#readConfig();
    const diff = diffSettings(this.#config, config);
    if (diff.kind === 'unchanged') return;
    const isClient = this.#state.kind === 'client'; // the owner applies the change
    if (diff.kind === 'live' && (isClient || this.#launcher.update(diff.settings, config.images)))
      this.#config = config;
    else if (this.#dispatch({ kind: 'settingsChanged' })) await this.#settled();
  }

  /** Resolves when the outcome of the latest start is known. */
  async #settled(): Promise<void> {
    while (this.#state.kind === 'starting' || this.#state.kind === 'yielding') await this.#phase.left;
  }

  #readConfig(): LaunchConfig {
    return { settings: this.#host.settings(), network: this.#host.network(), images: this.#host.images?.() };
  }

  /** @returns whether the state was left */
  #dispatch(event: SupervisorEvent): boolean {
    const { state, effects } = transition(this.#state, event);
    const isLeft = state !== this.#state;
    if (isLeft) this.#transitionTo(state);
    const phase = this.#phase;
    for (const effect of effects) {
      if (!phase.isOver) this.#perform(effect, phase); // the host may have stopped this window when it got the status
    }
    return isLeft;
  }

  #transitionTo(state: State): void {
    this.#monitor?.end();
    this.#monitor = undefined;
    this.#phase.end();
    this.#phase = new Phase();
    this.#state = state;
  }

  #perform(effect: Effect, phase: Phase): void {
    const { settings, secrets } = this.#host;
    const onChange = () => this.#dispatch({ kind: 'portChanged' });
    const onDue = () => this.#dispatch({ kind: 'due' });
    switch (effect.kind) {
      case 'publish':
        this.#publish(effect.status);
        break;
      case 'start':
        void this.#acquire(phase, effect.mayTakeOver);
        break;
      case 'serve':
        this.#serve(phase, effect.ownership);
        break;
      case 'ensureKeys':
        this.#ensureCurrentKeys(1).catch(() => undefined);
        break;
      case 'awaitSuccessor':
        awaitSuccessor(phase, settings().port, secrets, onDue);
        break;
      case 'watchPort':
        watchPort(phase, settings().port, effect.known, secrets, onChange, effect.uselessStarts);
        break;
      case 'wait':
        phase.after(effect.milliseconds + (effect.competes ? takeOverDelay() : 0), onDue);
        break;
      case 'kill':
        this.#launcher.crash();
        break;
    }
  }

  async #acquire(phase: Phase, mayTakeOver: boolean): Promise<void> {
    try {
      await this.#launcher.release();
      phase.check();
      this.#publish({ kind: 'starting' });
      this.#config = this.#readConfig();
      const ownership = await this.#launcher.acquire(phase, this.#config, mayTakeOver);
      phase.check();
      this.#dispatch({ kind: 'acquired', ownership });
    } catch (error) {
      if (phase.isOver) return;
      const other = `The proxy could not be started: ${(error as Error).message}`;
      const { reason, message } = error instanceof StartError ? error : new StartError('listen', other);
      this.#dispatch({ kind: 'startFailed', reason, message });
    }
  }

  #serve(phase: Phase, { kind, port, report }: Extract<Effect, { kind: 'serve' }>['ownership']): void {
    const shared = kind === 'client';
    const monitor = new HealthMonitor({
      port,
      agent: shared ? watchOwner(phase, () => this.#dispatch({ kind: 'portChanged' })) : undefined,
      secrets: this.#host.secrets,
      checkInterval: this.#host.checkInterval,
      backendLimit: () => this.#host.settings().requestTimeoutSeconds * 1000 + 5000,
      onUpdate: this.#update,
      onLost: (found, milliseconds) => this.#dispatch({ kind: 'lost', found, milliseconds }),
    });
    this.#monitor = monitor;
    const where = { url: `http://127.0.0.1:${port}`, port, version: report.version, shared };
    this.#publish({ kind: 'running', ...where, ...statusPart(report), health: CHECKING });
    void monitor.check();
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
