// Files that others see completely or not at all. On Windows, renaming and deleting fail for a moment while a virus scanner,
// an indexer or a watcher has the file open.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const TEMPORARY: readonly (string | undefined)[] = ['EACCES', 'EBUSY', 'EPERM'];
/** In milliseconds: about a second in total. A lasting error, such as missing permissions, is reported after it. */
const PAUSES = [10, 20, 40, 80, 160, 320, 400];

/** Repeats `act` while it fails because another program has the file open. */
export async function persist<Result>(act: () => Promise<Result>): Promise<Result> {
  for (const pause of PAUSES) {
    try {
      return await act();
    } catch (error) {
      if (!TEMPORARY.includes((error as NodeJS.ErrnoException).code)) throw error;
      await setTimeout(pause);
    }
  }
  return act();
}

/** Deletes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await persist(() => rm(path, { force: true }));
}

/** Calls `act` with the path of a temporary file next to `path`, which only this call uses. Deletes that file afterwards. */
export async function withDraft<Result>(path: string, act: (draft: string) => Promise<Result>): Promise<Result> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    return await act(draft);
  } finally {
    await removeFile(draft);
  }
}

/**
 * Writes a new file, completely or not at all, and never over an existing one.
 * @throws Error `EEXIST`
 */
export async function createAtomically(path: string, content: Uint8Array): Promise<void> {
  await withDraft(path, async (draft) => {
    await writeFile(draft, content);
    try {
      await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
      await copyFile(draft, path, constants.COPYFILE_EXCL); // a file system without links
    }
  });
}
