// What all windows on this computer share and what must not sync to another computer: its id, and the ids of revoked keys.
// It is a folder on the disk that the extension runs on, because the editor's secret storage may be shared by several
// computers, or be stale in a browser tab. Nothing in the folder is secret.
import { createHash, randomBytes } from 'node:crypto';
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { link, mkdir, readFile, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAtomically, withDraft } from '../disk/atomicFile.ts';
import { readHardwareId } from './hardwareId.ts';

const ID_LENGTH = 32;
/** These differ between running Linux systems and their network namespaces, even if those share the folder. */
const RUNNING_SYSTEM: readonly (() => Promise<string>)[] = [
  () => readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
  () => readlink('/proc/self/ns/net'),
];
const ATTEMPTS = 20;
const REVOKED_ID = /^[0-9a-f]{16}$/;
/** Hex digits of each half of `machineId()`. */
const HALF = 8;
/** Deleting waits for virus scanners, and for processes that still have the folder open. In milliseconds. */
const DELETION = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 } as const;

export class MachineStore {
  readonly #folder: string;
  readonly #revoked: string;
  readonly #readHardwareId: () => Promise<string>;
  readonly #runningSystem: readonly (() => Promise<string>)[];
  #hardware: Promise<string> | undefined;
  /** The folder has existed since this was set. */
  #isOpen = false;

  /** @param folder is created on first use */
  constructor(folder: string, hardwareId: () => Promise<string> = readHardwareId, runningSystem = RUNNING_SYSTEM) {
    this.#folder = folder;
    this.#revoked = join(folder, 'revoked');
    this.#readHardwareId = hardwareId;
    this.#runningSystem = runningSystem;
  }

  /**
   * 16 hex digits that name this computer and stay the same after a restart: a hash of the folder's id, then one of the
   * hardware's. A copied or shared folder has another second half on another computer.
   */
  async machineId(): Promise<string> {
    const half = (value: string | Uint8Array) =>
      createHash('sha256').update('sealed-proxy/machine\0').update(value).digest('hex').slice(0, HALF);
    return half(await this.#folderId()) + half(await this.#hardwareId());
  }

  /** 32 bytes that identify the running system, also where several computers share a home folder. */
  async systemId(): Promise<Uint8Array> {
    const running = await Promise.all(this.#runningSystem.map((read) => read().catch(() => '')));
    // Elsewhere than on Linux, only the hardware distinguishes them.
    if (running.includes('')) running.push(await this.#hardwareId());
    const digest = createHash('sha256');
    for (const part of [await this.#folderId(), ...running]) digest.update(createHash('sha256').update(part).digest());
    return digest.digest();
  }

  #hardwareId(): Promise<string> {
    if (this.#hardware === undefined) {
      const reading = this.#readHardwareId();
      this.#hardware = reading;
      reading.catch(() => {
        this.#hardware = undefined;
      });
    }
    return this.#hardware;
  }

  /** Generated once for the folder. */
  async #folderId(): Promise<Uint8Array> {
    await this.#createFolder();
    const path = join(this.#folder, 'machine-id');
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await readFile(path).catch(() => undefined);
      if (known?.length === ID_LENGTH) return known;
      try {
        if (known === undefined) await createAtomically(path, randomBytes(ID_LENGTH));
        else await withDraft(path, (draft) => removeDamaged(path, draft));
      } catch {
        // another window was faster; the next attempt reads what it wrote
      }
    }
    throw new Error(`Cannot write ${path}. Check the permissions of the folder.`);
  }

  /** Revokes the key, or the generation of the API key, with this id for all windows, even if their secret storage still holds it. */
  async revoke(id: string): Promise<void> {
    await this.#createFolder();
    await writeFile(join(this.#revoked, id), '');
  }

  /** All ids that were revoked. */
  async revokedIds(): Promise<ReadonlySet<string>> {
    await this.#createFolder();
    return new Set((await readdir(this.#revoked)).filter((name) => REVOKED_ID.test(name)));
  }

  /** Calls back after a key was revoked, in this window or in another, and after the folder was removed; until it is closed. */
  async watchRevoked(onChange: () => void): Promise<Pick<FSWatcher, 'close'>> {
    await this.#createFolder();
    const watcher = watch(this.#revoked, onChange);
    watcher.on('error', onChange); // the folder was removed
    return watcher;
  }

  /** True if the folder was removed, by this window or by another one, since this window has first used it. */
  async isRemoved(): Promise<boolean> {
    return this.#isOpen && !(await exists(this.#revoked));
  }

  /** Removes the folder with everything in it. All windows are notified, and none of them creates it again by itself. */
  async remove(): Promise<void> {
    this.#isOpen = true;
    for (const path of [this.#revoked, this.#folder]) await rm(path, DELETION); // see `isRemoved`
  }

  /** Lets the folder be created again after it was removed. */
  reopen(): void {
    this.#isOpen = false;
  }

  async #createFolder(): Promise<void> {
    if (await this.isRemoved()) throw new RemovedError();
    await mkdir(this.#revoked, { recursive: true });
    this.#isOpen = true;
  }
}

/** The stored data was removed, so nothing is read, and nothing is generated again, until the user asks for it. */
export class RemovedError extends Error {
  constructor() {
    super('All data of Sealed Proxy was removed. Run "Sealed Proxy: Start" to use it again.');
  }
}

/** Moves the file away. If another window has repaired it meanwhile, it is put back. */
async function removeDamaged(path: string, draft: string): Promise<void> {
  await rename(path, draft);
  if ((await readFile(draft)).length === ID_LENGTH) await link(draft, path);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
}
