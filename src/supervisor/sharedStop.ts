// "Stop in All Windows": a file on the disk that all windows of this editor see. Its name is a digest of the secret that the
// windows share, because the folder may also belong to other computers or editors. While the file exists, no window of
// the user starts a proxy by itself, also after a restart of the editor. A start by the user removes it, for all windows.
import { hash } from 'node:crypto';
import { existsSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Queue } from '../shared/queue.ts';
import type { Supervisor } from './supervisor.ts';
import type { SupervisorSecrets } from './supervisorHost.ts';

export class SharedStop {
  readonly #folder: string;
  readonly #readSecrets: () => Promise<Pick<SupervisorSecrets, 'ownership'>>;
  readonly #supervisor: Pick<Supervisor, 'status' | 'start' | 'restart' | 'stop'>;
  readonly #onFailure: (error: unknown) => void;
  /** Whether this window starts again when another window does. */
  #resumes = false;
  /** How many starts by the user have not removed the file yet. Meanwhile, the file stops nothing. */
  #starts = 0;
  #watcher: FSWatcher | undefined;
  #isOver = false;
  /** Runs everything in order. */
  readonly #queue = new Queue();

  /** @param folder is created on first use */
  constructor(
    folder: string,
    readSecrets: () => Promise<Pick<SupervisorSecrets, 'ownership'>>,
    supervisor: Pick<Supervisor, 'status' | 'start' | 'restart' | 'stop'>,
    onFailure: (error: unknown) => void,
  ) {
    this.#folder = join(folder, 'stopped');
    this.#readSecrets = readSecrets;
    this.#supervisor = supervisor;
    this.#onFailure = onFailure;
  }

  /**
   * Follows the other windows from now on. Starts the proxy, unless it is stopped in all windows.
   * @param autoStart false: the user starts the proxy
   * @throws Error if the folder cannot be used; the proxy is started nevertheless
   */
  async begin(autoStart: boolean): Promise<void> {
    this.#resumes ||= autoStart;
    try {
      await this.#watch();
    } finally {
      await this.#queue.run(async () => {
        if (await this.#isSet().catch(() => false)) await this.#stop(this.#resumes);
        else if (autoStart) void this.#supervisor.start();
      });
    }
  }

  /** The user starts or restarts the proxy in this window: the others follow. Resolves when the outcome is known. */
  async start(how: 'start' | 'restart' = 'start'): Promise<void> {
    this.#resumes = true;
    this.#starts++;
    const isRemoved = this.#queue.run(async () => {
      try {
        await rm(await this.#file(), { force: true });
      } catch (error) {
        this.#onFailure(error);
      } finally {
        this.#starts--;
      }
    });
    await Promise.all([isRemoved, this.#supervisor[how]()]);
  }

  /**
   * Stops this window and all others.
   * @throws Error if the secrets cannot be read, for example because all data was removed
   */
  stopAll(): Promise<void> {
    return this.#queue.run(async () => {
      const file = await this.#file(); // first: after the data was removed, no folder is created
      await mkdir(this.#folder, { recursive: true });
      await writeFile(file, '');
      await this.#stop();
    });
  }

  /** Does what the file asks for, also where the system does not report its changes. */
  follow(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isOver) await this.#follow();
    });
  }

  dispose(): void {
    this.#isOver = true;
    this.#unwatch();
  }

  async #follow(): Promise<void> {
    const isSet = await this.#isSet();
    if (this.#watcher === undefined && !this.#isOver) await this.#watch(); // the data was removed, and the user has started again
    const { status } = this.#supervisor;
    const isStopped = status.kind === 'off' && status.allWindows === true;
    if (isSet === isStopped || this.#isOver) return;
    if (!isStopped) await this.#stop();
    else if (this.#resumes) void this.#supervisor.start();
    else await this.#supervisor.stop();
  }

  /** @param resumes whether this window starts again when another window does */
  async #stop(resumes = this.#supervisor.status.kind !== 'off'): Promise<void> {
    if (this.#starts > 0) return;
    this.#resumes = resumes;
    await this.#supervisor.stop({ allWindows: true });
  }

  async #watch(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    if (this.#isOver) return;
    const onChange = () => {
      if (!existsSync(this.#folder)) this.#unwatch();
      this.follow().catch(() => undefined);
    };
    this.#watcher = watch(this.#folder, onChange);
    this.#watcher.on('error', onChange); // the folder was removed
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async #isSet(): Promise<boolean> {
    return access(await this.#file()).then(
      () => true,
      () => false,
    );
  }

  async #file(): Promise<string> {
    const { ownership } = await this.#readSecrets();
    return join(this.#folder, hash('sha256', `sealed-proxy/stop\0${ownership}`).slice(0, 16));
  }
}
