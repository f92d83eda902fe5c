// What all windows on this computer share and what must not sync to another computer: its id, and the ids of revoked keys.
// It is a folder on the disk that the extension runs on, because the editor's secret storage may be shared by several
// computers, or be stale in a browser tab. Nothing in the folder is secret.
import { createHash, randomBytes } from 'node:crypto';
import { constants, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { copyFile, link, mkdir, readFile, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ID_LENGTH = 32;
/** These differ between running Linux systems and their network namespaces, even if those share the folder. */
const RUNNING_SYSTEM = [
  () => readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
  () => readlink('/proc/self/ns/net'),
] as const;
const ATTEMPTS = 20;
const REVOKED_ID = /^[0-9a-f]{16}$/;

export class MachineStore {
  readonly #folder: string;
  readonly #revoked: string;

  /** @param folder is created on first use */
  constructor(folder: string) {
    this.#folder = folder;
    this.#revoked = join(folder, 'revoked');
  }

  /** 32 bytes that identify the running system, also where several computers share a home folder. */
  async machineId(): Promise<Uint8Array> {
    const parts = [
      await this.#folderId(),
      ...(await Promise.all(RUNNING_SYSTEM.map((read) => read().catch(() => '')))),
    ];
    const hash = createHash('sha256');
    for (const part of parts) hash.update(createHash('sha256').update(part).digest());
    return hash.digest();
  }

  /** Generated once for the folder. */
  async #folderId(): Promise<Uint8Array> {
    await this.#createFolder();
    const path = join(this.#folder, 'machine-id');
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await readFile(path).catch(() => undefined);
      if (known?.length === ID_LENGTH) return known;
      const draft = `${path}.${randomBytes(8).toString('hex')}`;
      try {
        if (known === undefined) await createAtomically(draft, path);
        else await rename(path, draft); // damaged, unless another window has repaired it meanwhile: then it is put back
        if (known !== undefined && (await readFile(draft)).length === ID_LENGTH) await link(draft, path);
      } catch {
        // another window was faster; the next attempt reads what it wrote
      } finally {
        await rm(draft, { force: true });
      }
    }
    throw new Error(`Cannot write ${path}. Check the permissions of the folder.`);
  }

  /** Revokes the key with this id for all windows, even if their secret storage still holds it. */
  async revoke(id: string): Promise<void> {
    await this.#createFolder();
    await writeFile(join(this.#revoked, id), '');
  }

  /** Makes the key with this id valid again, because the user has entered it again. */
  async restore(id: string): Promise<void> {
    await rm(join(this.#revoked, id), { force: true });
  }

  /** The ids of all revoked keys. */
  async revokedIds(): Promise<ReadonlySet<string>> {
    await this.#createFolder();
    return new Set((await readdir(this.#revoked)).filter((name) => REVOKED_ID.test(name)));
  }

  /** Calls back after a key was revoked or restored, in this window or in another, until it is closed. */
  async watchRevoked(onChange: () => void): Promise<Pick<FSWatcher, 'close'>> {
    await this.#createFolder();
    const watcher = watch(this.#revoked, onChange);
    watcher.on('error', () => undefined); // the folder was removed; every later read creates it again
    return watcher;
  }

  async #createFolder(): Promise<void> {
    await mkdir(this.#revoked, { recursive: true });
  }
}

/** Writes a new id to `path`, completely or not at all, and never over an existing one. */
async function createAtomically(draft: string, path: string): Promise<void> {
  await writeFile(draft, randomBytes(ID_LENGTH));
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL); // a file system without links
  }
}
