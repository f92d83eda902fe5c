// What all windows of this computer share besides the editor's own storage, which a remote host or a browser tab may keep
// apart: a folder on the disk of the host. Nothing in it is secret.
import { randomBytes } from 'node:crypto';
import { constants, watch } from 'node:fs';
import { copyFile, link, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ID_LENGTH = 32;
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

  /** 32 bytes, drawn once, that are those of this computer and of no other. */
  async machineId(): Promise<Uint8Array> {
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

  /** From now on the access key of this id counts in no window, whatever the window remembers. */
  async revoke(id: string): Promise<void> {
    await this.#make();
    await writeFile(join(this.#revoked, id), '');
  }

  /** The ids of all access keys that were revoked. */
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
