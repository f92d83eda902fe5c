import type { LiveSettings } from '../settings/schema.ts';
import { findProblems } from '../settings/validateSettings.ts';
import type { ImageRules, ProxySecrets } from '../shared/messages.ts';
import type { ProxyStatus } from '../shared/status.ts';
import type { Phase } from './phase.ts';
import { askOutdated, decideOwnership, trustFingerprint } from './portClaim.ts';
import type { Ownership } from './portClaim.ts';
import { confirmFree, probeKeys, probeSteadily } from './portProbe.ts';
import type { Probe } from './portProbe.ts';
import { ProxyProcess } from './proxyProcess.ts';
import type { LaunchConfig } from './settingsDiff.ts';
import type { SupervisorHost, SupervisorSecrets } from './supervisorHost.ts';

/** Milliseconds until a process must be ready, and then until it must answer; long, because a computer may be busy. */
const START_LIMIT = 30_000;
/** How often a start is tried while other windows of an older version, which are faster, take the port. */
const MAX_LAUNCHES = 3;

/** The proxy does not start; the message is for the user. */
export class StartError extends Error {
  readonly reason: Extract<ProxyStatus, { kind: 'failed' }>['reason'];

  constructor(reason: StartError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What the current process reports: it has ended, has released its port for another window, or has news of the backend. */
export type ProcessEvent = 'crash' | 'yield' | 'news';

/** The proxy processes of one window. One of them can be current and have the port; the others finish their responses. */
export class Launcher {
  readonly #host: SupervisorHost;
  readonly #onEvent: (event: ProcessEvent) => void;
  #current: ProxyProcess | undefined;
  /** All processes that have not ended. */
  readonly #processes = new Set<ProxyProcess>();
  /** Settles when all earlier processes have released the port. */
  #released: Promise<unknown> = Promise.resolve();
  /** How often `sendSecrets` has read them, and which of the readings was sent last. */
  #readings = 0;
  #sentReading = 0;

  constructor(host: SupervisorHost, onEvent: (event: ProcessEvent) => void) {
    this.#host = host;
    this.#onEvent = onEvent;
  }

  /**
   * Starts a process if the port is free, and waits until it serves the port and uses the current keys. A failed start
   * leaves no process.
   * @param mayTakeOver true asks an own proxy of an older version for the port first
   * @throws StartError, or another error if the secrets cannot be read, the process ends, or the phase is over
   */
  async acquire(phase: Phase, config: LaunchConfig, mayTakeOver: boolean): Promise<Ownership> {
    const { settings, network } = config;
    const { version } = this.#host;
    const problems = findProblems(settings, network);
    const [problem] = problems;
    if (problem !== undefined) {
      this.#host.onRefused(problems);
      throw new StartError('setting', problem.editorMessage);
    }
    for (let launches = 0; ; launches++) {
      let found = await this.#probe(settings.port, launches > 0);
      phase.check();
      const mayAsk = mayTakeOver && launches < MAX_LAUNCHES; // otherwise it would not use the port
      if (mayAsk && (await askOutdated(found, settings, version, this.#host.secrets)))
        found = await this.#probe(settings.port, launches > 0);
      phase.check();
      if (found.kind !== 'free' || launches === MAX_LAUNCHES) return decideOwnership(found, settings, version);
      const secrets = await this.#host.secrets();
      phase.check();
      const ownership = await this.#launch(config, secrets);
      if (ownership !== undefined) return ownership; // otherwise another window was faster, or the port is held
    }
  }

  /** Applies settings in the current process. False if there is none. */
  update(settings: LiveSettings, images?: ImageRules): boolean {
    this.#current?.send({ type: 'update', settings, images });
    return this.#current !== undefined;
  }

  /** Sends the current keys to all processes: a revoked key also stops working where responses are only finished. */
  async sendSecrets(): Promise<SupervisorSecrets> {
    const reading = ++this.#readings;
    const secrets = await this.#host.secrets();
    if (reading < this.#sentReading) return this.sendSecrets(); // a later reading was faster
    this.#sentReading = reading;
    for (const process of this.#processes) process.send({ type: 'secrets', secrets: keysOf(secrets) });
    return secrets;
  }

  /** Kills the current process: a crash. */
  crash(): void {
    this.#current?.kill();
  }

  /** Gives up the current process, which finishes its responses. Resolves when the port is free. */
  async release(): Promise<void> {
    const process = this.#current;
    this.#current = undefined;
    this.#released = Promise.all([this.#released, process?.release()]);
    await this.#released;
  }

  /** Ends all processes within seconds. Resolves when they have ended. */
  async stop(): Promise<void> {
    void this.release();
    await Promise.all([...this.#processes].map((process) => process.stop()));
  }

  async #probe(port: number, again: boolean): Promise<Probe> {
    if (port === 0) return { kind: 'free' };
    const found = await probeSteadily(port, this.#host.secrets);
    return found.kind === 'free' && again ? confirmFree(port, this.#host.secrets) : found;
  }

  /** @returns undefined if the port is taken */
  async #launch(config: LaunchConfig, secrets: SupervisorSecrets): Promise<Ownership | undefined> {
    const process = this.#fork();
    process.send({
      type: 'start',
      ...config,
      secrets: keysOf(secrets),
      cacheNamespaceRoot: secrets.cacheNamespaceRoot,
      trustFingerprint: trustFingerprint(config.settings),
    });
    const timeout = Promise.withResolvers<'slow'>();
    const timer = setTimeout(timeout.resolve, START_LIMIT, 'slow');
    let ownership: Ownership | undefined;
    try {
      const started = await Promise.race([process.started, process.exited, timeout.promise]);
      clearTimeout(timer);
      if (started === undefined) throw new Error('the process has ended');
      if (started === 'slow') {
        process.kill();
        throw new StartError('slowStart', 'The proxy did not start in 30 seconds. The log may show the reason.');
      }
      ownership = await this.#confirm(process, started);
      return ownership;
    } finally {
      if (ownership === undefined && process === this.#current) await this.release();
    }
  }

  #fork(): ProxyProcess {
    const process = new ProxyProcess(this.#host, (message) => {
      if (message.type === 'accessKeyUsed') this.#host.onKeyUsed(message.id);
      if (message.type === 'chatAnswered') this.#host.onChatAnswered(message.id);
      if (message.type === 'usageSums') this.#host.onUsage(message);
      if (message.type === 'findProxy') void this.#findProxy(process, message.url);
      if (process !== this.#current) return;
      if (['verified', 'confirmImage', 'handshakeFailed', 'outcomeChanged'].includes(message.type))
        this.#onEvent('news');
      if (message.type !== 'stopped') return;
      this.#current = undefined;
      this.#onEvent('yield');
    });
    void process.exited.then(() => {
      this.#processes.delete(process);
      if (process !== this.#current) return;
      this.#current = undefined;
      this.#onEvent('crash');
    });
    this.#current = process;
    this.#processes.add(process);
    return process;
  }

  /** Answers the question of a process. Without an answer, it goes by the settings. */
  async #findProxy(process: ProxyProcess, url: string): Promise<void> {
    const route = await this.#host.findProxy?.(url).catch(() => undefined);
    if (route !== undefined) process.send({ type: 'proxyFound', url, route });
  }

  async #confirm(process: ProxyProcess, started: Awaited<ProxyProcess['started']>): Promise<Ownership | undefined> {
    if (started.type === 'failed') {
      if (started.code === 'port_taken') return undefined;
      throw new StartError(started.code === 'invalid_setting' ? 'setting' : 'listen', started.message);
    }
    const { port } = started;
    const isFinal = ({ kind }: Probe) => kind === 'free' || process !== this.#current;
    const limit = Date.now() + START_LIMIT;
    let found: Probe;
    // The keys may have changed since the start.
    do ({ found } = await probeKeys(port, () => this.sendSecrets(), isFinal));
    while (found.kind === 'unresponsive' && process === this.#current && Date.now() < limit);
    if (found.kind === 'own') return { kind: 'owner', port, report: found.report };
    if (found.kind !== 'foreign' && process === this.#current) {
      process.kill(); // it does not listen or hangs, or is about to end
      await process.exited;
    }
    throw new StartError('listen', 'The proxy has started, but another program responds on its port.');
  }
}

function keysOf({ apiKey, accessKeys, ownership }: SupervisorSecrets): ProxySecrets {
  return { apiKey, accessKeys, ownership };
}
