// What all windows of this computer share besides the editor's own storage, which a remote host or a browser tab may keep
// apart: a folder on the disk of the host. Nothing in it is secret.
import { createHash, randomBytes } from 'node:crypto';
import { constants, watch } from 'node:fs';
import { copyFile, link, mkdir, readFile, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ID_LENGTH = 32;
/** What tells one running Linux from another, and one network of its own from another. */
const RUNNING_MACHINE = [
  () => readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
  () => readlink('/proc/self/ns/net'),
] as const;
const ATTEMPTS = 20;
const REVOKED_ID = /^[0-9a-f]{16}$/;

export class HostFolder {
  readonly path: string;
  readonly #revoked: string;

  /** @param path may not be there yet */
  constructor(path: string) {
    this.path = path;
    this.#revoked = join(path, 'revoked');
  }

  /** 32 bytes that are those of this computer, as it runs, and of no other: also where several have one home folder. */
  async machineId(): Promise<Uint8Array> {
    const parts = [
      await this.#folderId(),
      ...(await Promise.all(RUNNING_MACHINE.map((read) => read().catch(() => '')))),
    ];
    const hash = createHash('sha256');
    for (const part of parts) hash.update(createHash('sha256').update(part).digest());
    return hash.digest();
  }

  /** Drawn once for the folder. */
  async #folderId(): Promise<Uint8Array> {
    await this.#make();
    const path = join(this.path, 'machine-id');
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = await readFile(path).catch(() => undefined);
      if (known?.length === ID_LENGTH) return known;
      const mine = `${path}.${randomBytes(8).toString('hex')}`;
      try {
        if (known === undefined) await createWhole(mine, path);
        else await rename(path, mine); // damaged; another window may have put a good one there meanwhile: it is put back
        if (known !== undefined && (await readFile(mine)).length === ID_LENGTH) await link(mine, path);
      } catch {
        // another window was faster: what it has made is read
      } finally {
        await rm(mine, { force: true });
      }
    }
    throw new Error(`${path} cannot be made`);
  }

  /** From now on the key of this id counts in no window, whatever the window remembers. */
  async revoke(id: string): Promise<void> {
    await this.#make();
    await writeFile(join(this.#revoked, id), '');
  }

  /** The key of this id counts again: a person has entered it anew. */
  async restore(id: string): Promise<void> {
    await rm(join(this.#revoked, id), { force: true });
  }

  /** The ids of all keys that were revoked. */
  async revoked(): Promise<ReadonlySet<string>> {
    await this.#make();
    return new Set((await readdir(this.#revoked)).filter((name) => REVOKED_ID.test(name)));
  }

  /** Calls back when a key is revoked, in this window or in another, until it is disposed. */
  async watchRevoked(onChange: () => void): Promise<{ dispose(): void }> {
    await this.#make();
    const watcher = watch(this.#revoked, onChange);
    watcher.on('error', () => undefined); // the folder was removed: what follows is read anew all the same
    return {
      dispose: () => {
        watcher.close();
      },
    };
  }

  async #make(): Promise<void> {
    await mkdir(this.#revoked, { recursive: true });
  }
}

/** Whole or not at all, and never over another's. */
async function createWhole(draft: string, path: string): Promise<void> {
  await writeFile(draft, randomBytes(ID_LENGTH));
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copyFile(draft, path, constants.COPYFILE_EXCL); // a file system without links
  }
}
