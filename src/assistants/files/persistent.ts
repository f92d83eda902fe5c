// Renaming and deleting on Windows fail for a moment while a virus scanner, an indexer or a watcher has the file open.
import { rename, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const TEMPORARY: readonly (string | undefined)[] = ['EACCES', 'EBUSY', 'EPERM'];
/** In milliseconds: about a second in total. A lasting error, such as missing permissions, is reported after it. */
const PAUSES = [10, 20, 40, 80, 160, 320, 400];

/** @param isAllowed is asked again before each attempt. Resolves false if it is not. */
export async function renameFile(from: string, to: string, isAllowed: () => Promise<boolean>): Promise<boolean> {
  return persist(async () => {
    const allowed = await isAllowed();
    if (allowed) await rename(from, to);
    return allowed;
  });
}

/** Deletes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await persist(() => rm(path, { force: true }));
}

async function persist<Result>(act: () => Promise<Result>): Promise<Result> {
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
