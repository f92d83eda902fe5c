// Keeps one proxy for all windows of this computer: owns it, or joins the one that another window owns, and takes over
// when that one goes. It needs nothing of the editor.
import { createHash } from 'node:crypto';
import { setTimeout as setTimer } from 'node:timers/promises';
import { problemsOf } from '../settings/editorSettings.ts';
import type { Problem } from '../settings/editorSettings.ts';
import type { CompleteProxySettings as CompleteSettings } from '../settings/schema.ts';
import type { FromProxy, NetworkSettings, ProxySecrets } from '../shared/messages.ts';
import { digestKeySet } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { HealthMonitor } from './healthMonitor.ts';
import { VerifiedConnection, OwnerWatch, probe } from './localProxy.ts';
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
  /** The process of this window has answered a chat with the key of this id. */
  readonly onChatAnswered: (id: string) => void;
  /** The proxy cannot be started: settings have values that cannot be used. */
  readonly onRefused: (problems: readonly Problem[]) => void;
}

/** A start that takes longer has failed, in milliseconds. */
const START_LIMIT = 10_000;
/** A window that takes over waits a random part of this, so that not all try at once. */
const TAKE_OVER_SPREAD = 600;
/** The head start of whoever has asked for the port on those who only see that it is free. */
const TAKE_OVER_FLOOR = 300;
/** One that was asked for its port waits longer: whoever asked comes first. */
const GIVEN_AWAY = 2000;
/** The window that owns the proxy reads the same settings, and starts it anew: the others let it. */
const OWNER_RESTARTS = 1000;
/** How long to wait for a port that was asked for. */
const RELEASE_LIMIT = 3000;
const RELEASE_INTERVAL = 20;
/** How long the proxy of another window may take to hear of changed keys. */
const SECRETS_LIMIT = 1000;
const SECRETS_INTERVAL = 50;
/** How often to look whether a port that others have is free. */
const LOOK_AGAIN = 15_000;
/** A process of our own that does not answer for so long has hung. */
const SILENCE_LIMIT = 30_000;
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
  /** A person or the editor's start has begun this, and not another window's going. */
  #fresh = false;
  /** Another window was given the port: this one comes after it. */
  #givingAway = false;
  /** Grows with each start and stop: what began before it is out of date. */
  #generation = 0;
  /** How often changed secrets were read. */
  #secretsRead = 0;
  /** What the latest turn does, until it is known how that went. */
  #beginning: Promise<void> | undefined;
  #process: ProxyProcess | undefined;
  /** All that have not ended: also those that only finish what they serve. */
  readonly #processes = new Set<ProxyProcess>();
  /** Settles when the port of every process before is free. */
  #released: Promise<unknown> = Promise.resolve();
  #watch: OwnerWatch | undefined;
  #monitor: HealthMonitor | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Since when the process of this window does not answer, in milliseconds since 1970. */
  #silentSince: number | undefined;
  /** What the proxy was started with, or was to be. */
  #applied: { readonly settings: CompleteSettings; readonly network: NetworkSettings } | undefined;
  /** The window closes: nothing begins any more. */
  #over = false;

  constructor(host: SupervisorHost) {
    this.#host = host;
  }

  get status(): ProxyStatus {
    return this.#status;
  }

  /** How often the process of this window ended by itself within the last three minutes. */
  get crashes(): number {
    return this.#policy.count(Date.now());
  }

  /** Starts or joins. No effect while one runs or is about to. Resolves when it is known how that went. */
  async start(): Promise<void> {
    const begun = this.#wanted && (this.#status.kind === 'running' || this.#beginning !== undefined);
    if (!begun) {
      this.#wanted = true;
      this.#fresh = true;
      this.#policy.reset();
      void this.#begin();
    }
    await this.#settled();
  }

  /** Resolves when it is known how the latest turn went; another may have begun meanwhile. */
  async #settled(): Promise<void> {
    while (this.#beginning !== undefined) await this.#beginning;
  }

  /** Ends the proxy of this window, or leaves the shared one. Running responses have four seconds to finish. */
  async stop(): Promise<void> {
    this.#wanted = false;
    const left = await this.#leave();
    for (const process of this.#processes) void process.stop(); // within seconds, also where a response has no end
    if (left) this.#setStatus({ kind: 'off' });
  }

  /** The window closes: nothing of this one may stay behind. */
  async end(): Promise<void> {
    this.#over = true;
    this.#wanted = false;
    const left = this.#leave();
    await Promise.all([...this.#processes].map((process) => process.stop()));
    await left;
  }

  /** Starts anew, by a process of this window: one of another window is asked for the port. */
  async restart(): Promise<void> {
    const { status } = this;
    const isOthers = status.kind === 'otherVersion' || status.kind === 'otherSettings' || this.#isShared;
    const turn = this.#generation;
    if (isOthers && 'port' in status) await this.#askForPort(status.port);
    if (turn !== this.#generation) return; // something else has begun meanwhile
    this.#wanted = true;
    this.#policy.reset();
    void this.#begin();
    await this.#settled();
  }

  /**
   * A connection to the proxy that has proved to be ours, and the key to ask with. The caller ends the connection.
   * @throws Error while there is none
   */
  async connect(): Promise<{ readonly line: VerifiedConnection; readonly accessKey: string }> {
    if (this.#status.kind !== 'running') throw new Error('The proxy is not running');
    const { port } = this.#status;
    const secrets = await this.#host.secrets();
    const line = new VerifiedConnection(port, key(secrets));
    if ((await line.probe()).kind === 'ours') return { line, accessKey: secrets.ownKey };
    line.end();
    throw new Error('The proxy does not answer');
  }

  /** Asks the backend now. */
  async check(): Promise<void> {
    await this.#monitor?.check();
  }

  checkIfOlder(age: number): void {
    this.#monitor?.checkIfOlder(age);
  }

  /** Keys have changed. Resolves when the proxy goes by them. */
  async secretsChanged(apiKeyChanged: boolean): Promise<void> {
    const change = ++this.#secretsRead;
    let secrets: SupervisorSecrets;
    try {
      secrets = await this.#host.secrets();
    } catch {
      // What was revoked must not go on counting because it cannot be read what counts.
      if (this.#process !== undefined && this.#wanted) await this.#begin();
      return;
    }
    // What was read last counts, in whatever order the answers come. Also for those that only finish what they serve.
    const told = change === this.#secretsRead ? this.#processes : [];
    for (const process of told) process.send({ type: 'secrets', secrets: keysOf(secrets) });
    // In a browser, windows do not hear of each other's secrets: the one that knows the latest serves them.
    for (let round = 0; round < 2 && !(await this.#secretsKnown()) && this.#isShared; round++) await this.restart();
    if (apiKeyChanged) await this.#monitor?.checkAnew();
    // Two windows that began at once may each have drawn a secret, of which one has won; or they could not be read.
    const { status } = this;
    const mended = status.kind === 'portTaken' || (status.kind === 'failed' && status.reason === 'listen');
    if (this.#wanted && mended) await this.#begin();
  }

  /** True as soon as the proxy goes by the keys of now, false if it does not in the time that this takes. */
  async #secretsKnown(): Promise<boolean> {
    const turn = this.#generation;
    const limit = Date.now() + SECRETS_LIMIT;
    while (this.#status.kind === 'running') {
      const secrets = await this.#host.secrets();
      const found = await probe(this.#status.port, key(secrets));
      if (turn !== this.#generation || found.kind !== 'ours') return true; // what starts now has the keys of now
      if (goesBy(found, secrets)) return true;
      if (Date.now() > limit) return false;
      await setTimer(SECRETS_INTERVAL);
    }
    return true;
  }

  /** Settings have changed: what can be is applied live, else the proxy is started anew. */
  async settingsChanged(): Promise<void> {
    this.#monitor?.reschedule();
    const before = this.#applied;
    if (!this.#wanted || before === undefined || this.#givingAway) return;
    const after = { settings: this.#host.settings(), network: this.#host.network() };
    const changed = Object.keys({ ...before.settings, ...after.settings }).filter(
      (name) =>
        !isEqual(after.settings[name as keyof CompleteSettings], before.settings[name as keyof CompleteSettings]),
    );
    const sameNetwork = isEqual(after.network, before.network);
    if (changed.length === 0 && sameNetwork) return;
    const isLive = sameNetwork && changed.every((name) => LIVE.has(name));
    if (this.#isShared) {
      // What is live is for the owner to apply.
      if (isLive) this.#applied = after;
      else this.#takeOverSoon(OWNER_RESTARTS);
      return;
    }
    if (this.#process === undefined || !isLive) {
      await this.#begin();
      return;
    }
    const { requestTimeoutSeconds, streamIdleTimeoutSeconds, allowedOrigins, logLevel } = after.settings;
    this.#applied = after;
    const settings = { requestTimeoutSeconds, streamIdleTimeoutSeconds, allowedOrigins, logLevel };
    this.#process.send({ type: 'update', settings });
  }

  #begin(): Promise<void> {
    const beginning = this.#tryToBegin().finally(() => {
      if (this.#beginning === beginning) this.#beginning = undefined;
    });
    this.#beginning = beginning;
    return beginning;
  }

  async #tryToBegin(): Promise<void> {
    if (this.#over || !(await this.#leave())) return;
    const turn = this.#generation;
    this.#setStatus({ kind: 'starting' });
    try {
      const [settings, network] = [this.#host.settings(), this.#host.network()];
      this.#applied = { settings, network };
      const problems = problemsOf(settings, network);
      const [problem] = problems;
      if (problem !== undefined) {
        this.#host.onRefused(problems);
        await this.#giveUp('setting', problem.message);
        return;
      }
      const found = settings.port !== 0 ? await this.#probe(settings.port) : ({ kind: 'free' } as const);
      if (turn !== this.#generation) return;
      await this.#enter(turn, found, settings);
    } catch (error) {
      if (turn !== this.#generation) return;
      const reason = error instanceof Error ? error.message : String(error);
      await this.#giveUp('listen', `The proxy could not be started: ${reason}`);
    }
  }

  async #enter(turn: number, found: Probe, settings: CompleteSettings): Promise<void> {
    const { port } = settings;
    if (found.kind === 'free') await this.#own(turn, settings);
    else if (found.kind !== 'ours') {
      this.#setStatus({ kind: 'portTaken', port, silent: found.kind === 'silent' });
      this.#awaitPort(port, found);
    } else if (found.report.version === VERSION && found.report.trustFingerprint === trustFingerprint(settings)) {
      this.#join(port, found.report);
    } else {
      const { version, backendUrl } = found.report;
      this.#setStatus(
        version === VERSION ? { kind: 'otherSettings', port, backendUrl } : { kind: 'otherVersion', port, version },
      );
      const secrets = await this.#host.secrets();
      if (turn !== this.#generation) return;
      await this.#watchOwner(() => this.#lookAgain(port, found)).probe(port, key(secrets));
      if (turn === this.#generation) this.#awaitPort(port, found);
    }
  }

  #join(port: number, report: ProxyReport): void {
    const watch = this.#watchOwner(() => {
      this.#takeOverSoon();
    });
    this.#run(port, true, report, (secret) => watch.probe(port, secret));
    if (this.#fresh) void this.#takeOverStale();
    this.#fresh = false;
  }

  /** The owner of the proxy that a fresh window has joined may go by older keys, and never hear of those of now. */
  async #takeOverStale(): Promise<void> {
    const turn = this.#generation;
    const known = await this.#secretsKnown().catch(() => true);
    if (!known && turn === this.#generation && this.#isShared) await this.restart();
  }

  async #probe(port: number): Promise<Probe> {
    return probe(port, key(await this.#host.secrets()));
  }

  #watchOwner(onGone: () => unknown): OwnerWatch {
    this.#watch = new OwnerWatch(onGone);
    return this.#watch;
  }

  #takeOverSoon(delay = 0): void {
    clearTimeout(this.#timer);
    const spread = TAKE_OVER_FLOOR + Math.random() * TAKE_OVER_SPREAD;
    this.#timer = setTimeout(() => void this.#begin(), delay + spread);
  }

  /**
   * Others have the port: it is looked for in silence whether that is still so.
   * @param known what was found last; undefined where only a proxy of ours is waited for
   */
  #awaitPort(port: number, known: Probe | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lookAgain(port, known), LOOK_AGAIN);
  }

  async #lookAgain(port: number, known: Probe | undefined): Promise<void> {
    const turn = this.#generation;
    const found = await this.#probe(port).catch(() => known);
    if (turn !== this.#generation) return;
    const isNews = known === undefined ? found?.kind === 'ours' : found !== undefined && !isSameProgram(found, known);
    if (isNews) this.#takeOverSoon();
    else this.#awaitPort(port, known);
  }

  /** Resolves when the proxy of the other window has given up the port, or when it is clear that it does not. */
  async #askForPort(port: number): Promise<void> {
    try {
      const secret = key(await this.#host.secrets());
      const line = new VerifiedConnection(port, secret);
      try {
        if ((await line.probe()).kind === 'ours') await line.askForPort();
      } finally {
        line.end();
      }
      const limit = Date.now() + RELEASE_LIMIT;
      while (Date.now() < limit && (await probe(port, secret)).kind !== 'free') await setTimer(RELEASE_INTERVAL);
    } catch {
      // what counts is who has the port in the end: what begins next finds out
    }
  }

  /** Starts a process of this window's own. Resolves when it serves, or when it is known that it does not. */
  async #own(turn: number, settings: CompleteSettings): Promise<void> {
    const secrets = await this.#host.secrets(); // as they are now: whatever changes later is sent behind
    if (turn !== this.#generation) return;
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
            this.#onProxyMessage(process, message);
          },
          onExit: (asked) => {
            this.#processes.delete(process);
            settle('ended');
            this.#ended(process, asked);
          },
        });
        this.#process = process;
        this.#processes.add(process);
        process.send({
          type: 'start',
          settings,
          secrets: keysOf(secrets),
          cacheNamespaceRoot: secrets.cacheNamespaceRoot,
          network: this.#host.network(),
          trustFingerprint: trustFingerprint(settings),
        });
      },
    );
    if (turn !== this.#generation || started === 'ended') return;
    if (started === 'slow') {
      this.#process?.kill();
      await this.#giveUp('slowStart', 'The proxy did not start within 10 seconds. The log may say why.');
    } else if (started.type === 'failed') {
      await this.#startFailed(started, settings);
    } else {
      const found = await this.#confirmed(started.port);
      if (turn !== this.#generation) return;
      if (this.#process === undefined) return; // it has ended meanwhile, and that was dealt with
      if (found.kind === 'free') {
        this.#process.crash(); // or is about to
      } else if (found.kind === 'ours') {
        this.#run(started.port, false, found.report, (secret) => probe(started.port, secret));
      } else {
        await this.#giveUp('listen', 'The proxy has started, but something else answers on its port.');
      }
    }
  }

  /** What is on the port of a process that says it is ready: until it goes by the secrets of now, or too long. */
  async #confirmed(port: number): Promise<Probe> {
    const limit = Date.now() + SECRETS_LIMIT;
    for (;;) {
      // A window that began at the same time, or somebody who revoked a key meanwhile, may have changed them.
      const secrets = await this.#host.secrets();
      this.#process?.send({ type: 'secrets', secrets: keysOf(secrets) });
      const found = await probe(port, key(secrets));
      if (found.kind === 'free' || goesBy(found, secrets) || Date.now() > limit) return found;
      await setTimer(SECRETS_INTERVAL);
    }
  }

  async #startFailed(
    { code, message }: Extract<FromProxy, { type: 'failed' }>,
    settings: CompleteSettings,
  ): Promise<void> {
    if (code === 'port_taken') {
      if (!(await this.#leave())) return;
      const turn = this.#generation;
      const found = await this.#probe(settings.port); // another window may have been faster
      if (turn !== this.#generation) return;
      // What can be neither taken nor asked is a stranger's.
      await this.#enter(turn, found.kind === 'free' ? { kind: 'stranger' } : found, settings);
    } else {
      await this.#giveUp(code === 'invalid_setting' ? 'setting' : 'listen', message);
    }
  }

  #run(
    port: number,
    shared: boolean,
    { backendUrl, verified, establishedAt }: ProxyReport,
    ask: (secret: Uint8Array) => Promise<Probe>,
  ): void {
    this.#setStatus({
      kind: 'running',
      url: `http://127.0.0.1:${port}`,
      port,
      version: VERSION,
      shared,
      backendUrl,
      verified,
      establishedAt,
      health: { kind: 'checking' },
    });
    this.#silentSince = undefined;
    this.#monitor = new HealthMonitor({
      probe: async () => ask(key(await this.#host.secrets())),
      line: async () => new VerifiedConnection(port, key(await this.#host.secrets())),
      keys: async () => {
        const { ownKey, apiKey } = await this.#host.secrets();
        return { accessKey: ownKey, hasApiKey: apiKey !== null };
      },
      checkInterval: this.#host.checkInterval,
      backendLimit: () => this.#host.settings().requestTimeoutSeconds * 1000 + 5000,
      onHealth: (next) => {
        this.#amend({ health: next });
      },
      onReport: (report) => {
        this.#silentSince = undefined;
        this.#amend({
          backendUrl: report.backendUrl,
          verified: report.verified,
          establishedAt: report.establishedAt,
        });
      },
      onLost: ({ kind }) => {
        // Whoever is silent may only be busy: its connection tells when it goes.
        if (!shared) this.#silent();
        else if (kind !== 'silent') this.#takeOverSoon();
      },
    });
    void this.#monitor.check();
  }

  /** The process of this window does not answer. If that lasts, it has hung. */
  #silent(): void {
    this.#silentSince ??= Date.now();
    if (Date.now() - this.#silentSince >= SILENCE_LIMIT) this.#process?.crash();
  }

  #onProxyMessage(process: ProxyProcess, message: FromProxy): void {
    if (message.type === 'accessKeyUsed') this.#host.onKeyUsed(message.id);
    if (message.type === 'chatAnswered') this.#host.onChatAnswered(message.id);
    if (process !== this.#process) return;
    if (['verified', 'handshakeFailed', 'outcomeChanged'].includes(message.type)) {
      void this.#monitor?.look();
    } else if (message.type === 'stopped') {
      this.#giveAway();
    }
  }

  /** Another window has asked for the port: it comes first, and this one joins it. */
  #giveAway(): void {
    const turn = ++this.#generation;
    clearTimeout(this.#timer);
    this.#detach();
    this.#fresh = false;
    this.#givingAway = true;
    this.#setStatus({ kind: 'starting' });
    const waiting = setTimer(GIVEN_AWAY + Math.random() * TAKE_OVER_SPREAD, undefined, { ref: false }).then(() => {
      if (this.#beginning === waiting) this.#beginning = undefined;
      if (turn === this.#generation) void this.#begin();
    });
    this.#beginning = waiting;
  }

  /** The process has ended. If nobody asked it to, it is started again, a few times. */
  #ended(process: ProxyProcess, asked: boolean): void {
    if (process !== this.#process || asked) return;
    this.#detach();
    const delay = this.#policy.crashed(Date.now());
    if (delay === undefined) {
      const message = 'The proxy ended five times within three minutes and is not started again by itself.';
      this.#setStatus({ kind: 'failed', reason: 'crashes', message });
      this.#awaitOthers();
      return;
    }
    this.#setStatus({ kind: 'restarting', at: Date.now() + delay });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#begin(), delay);
  }

  async #giveUp(reason: 'slowStart' | 'setting' | 'listen', message: string): Promise<void> {
    if (!(await this.#leave())) return;
    this.#setStatus({ kind: 'failed', reason, message });
    if (reason !== 'setting') this.#awaitOthers();
  }

  /** This window has given up; another may well serve, or come to do so, and is then joined. */
  #awaitOthers(): void {
    const { port } = this.#host.settings();
    if (typeof port === 'number' && port > 0 && port < 65_536) this.#awaitPort(port, undefined);
  }

  /** Lets go of whatever this window has, and frees the port. False if something else has begun in the meantime. */
  async #leave(): Promise<boolean> {
    const turn = ++this.#generation;
    clearTimeout(this.#timer);
    this.#givingAway = false;
    this.#watch?.end();
    this.#watch = undefined;
    this.#released = Promise.all([this.#released, this.#process?.release()]);
    this.#detach();
    await this.#released;
    return turn === this.#generation;
  }

  /** From now on there is no process, and nothing to say of it. */
  #detach(): void {
    this.#process = undefined;
    this.#monitor?.end();
    this.#monitor = undefined;
  }

  get #isShared(): boolean {
    return this.#status.kind === 'running' && this.#status.shared;
  }

  #amend(change: Partial<Extract<ProxyStatus, { kind: 'running' }>>): void {
    if (this.#status.kind === 'running') this.#setStatus({ ...this.#status, ...change });
  }

  #setStatus(status: ProxyStatus): void {
    if (isEqual(status, this.#status)) return;
    this.#status = status;
    this.#host.onStatus(status);
  }
}

/** Somebody has the port who is not ours; one who is slow may answer the next time. */
function isForeign({ kind }: Probe): boolean {
  return kind === 'stranger' || kind === 'silent';
}

/** The same answer as before: nothing to act on. */
function isSameProgram(one: Probe, other: Probe): boolean {
  if (one.kind !== 'ours' || other.kind !== 'ours') return isForeign(one) && isForeign(other);
  return one.report.version === other.report.version && one.report.trustFingerprint === other.report.trustFingerprint;
}

/** Names whom a proxy with these settings trusts. */
function trustFingerprint({ backendUrl, pcr0Environment, additionalPcr0 }: CompleteSettings): string {
  const images = additionalPcr0.map((value) => value.trim().toLowerCase()).toSorted();
  const trusted = [backendUrl.trim().replace(/(?<!\/)\/+$/, ''), pcr0Environment.trim(), ...images];
  return createHash('sha256').update(JSON.stringify(trusted)).digest('base64url');
}

/** What a running proxy may be told anew. */
function keysOf({ apiKey, accessKeys, ownership }: SupervisorSecrets): ProxySecrets {
  return { apiKey, accessKeys, ownership };
}

/** The proxy knows the keys of now. */
function goesBy(found: Probe, secrets: SupervisorSecrets): boolean {
  return (
    found.kind === 'ours' &&
    found.report.keySetDigest === digestKeySet(key(secrets), secrets.apiKey, secrets.accessKeys)
  );
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function key({ ownership }: SupervisorSecrets): Uint8Array {
  return Buffer.from(ownership, 'base64');
}
