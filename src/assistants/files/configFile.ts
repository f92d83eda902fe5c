// Files of other programs: read as they are, written whole or not at all.
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ACCESS_KEYS } from '../../shared/accessKeys.ts';
import type { Applied, Change, Refused, Undone } from '../types.ts';

/** For the owner alone: the file holds a key. */
const PRIVATE = 0o600;
/** In bytes. The whole text is kept among the secrets, to be restored. */
const MAX_SIZE = 4 * 1024 * 1024;
/** Windows has no `O_NONBLOCK`. Elsewhere, who opens a pipe waits for a writer, and the editor has four threads for that. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
export const BACKUP = '.sealed-proxy-backup';

export interface ConfigText {
  readonly kind: 'found';
  /** What a link points to, or the path itself. */
  readonly path: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
}

/** The text of a file. Undefined is no file; what cannot be read, or is no text, is refused. */
export async function readConfig(path: string): Promise<ConfigText | Refused> {
  try {
    const target = await followed(path);
    const bytes = await readBytes(target);
    if (typeof bytes === 'string') return refused(path, `${path} is ${bytes}, so it is left alone.`);
    if (bytes !== undefined && !isUtf8(bytes)) return refused(path, `${path} is not a text file, so it is left alone.`);
    return { kind: 'found', path: target, text: bytes?.toString('utf8') };
  } catch (error) {
    return refused(path, `${path} cannot be read (${codeOf(error)}).`);
  }
}

/** Makes a change. Of a file that was there, one backup stays beside it: that of before the first change. */
export async function applyChange({ path, before, after }: Change): Promise<Applied | Refused> {
  try {
    if (!(await isStill(path, before))) return changedMeanwhile(path);
    if (before !== undefined) {
      if (await isProtected(path)) return refused(path, `${path} is write-protected, so it is left alone.`);
      await backUp(path, before);
    }
    const madeFolder = await mkdir(dirname(path), { recursive: true });
    if (!(await replace(path, before, after))) return changedMeanwhile(path);
    return { kind: 'applied', path, before, after, madeFolder };
  } catch (error) {
    return refused(path, `${path} cannot be written (${codeOf(error)}). It is as it was.`);
  }
}

/**
 * Takes a change back, with the folders that were made for it. Where others have written to the file since, only what is
 * ours is taken out of it.
 * @param withdraw takes ours out of a text, by the text of before; undefined where that is not possible
 */
export async function undoChange(
  applied: Applied,
  withdraw: (text: string, before: string) => string | undefined,
): Promise<Undone | Refused> {
  const { path, before, after, madeFolder, mixed } = applied;
  try {
    if (mixed === true || !(await isStill(path, after))) return await takeOut(applied, withdraw);
    if (before === undefined) {
      await rm(path);
      if (madeFolder !== undefined) await removeEmpty(dirname(path), madeFolder);
    } else if (!(await replace(path, after, before))) {
      return changedSince(path, before);
    } else {
      await dropBackup(path, before);
    }
    return { kind: 'undone', path };
  } catch (error) {
    return refused(path, `${path} cannot be restored (${codeOf(error)}).`);
  }
}

async function takeOut(
  { path, before }: Applied,
  withdraw: (text: string, before: string) => string | undefined,
): Promise<Undone | Refused> {
  const found = await readConfig(path);
  if (found.kind === 'refused') return found;
  if (found.text === undefined) return { kind: 'undone', path, left: `${path} is not there any more.` };
  const rest = withdraw(found.text, before ?? '');
  if (rest === undefined || found.path !== path) return changedSince(path, before);
  if (await isProtected(path)) return refused(path, `${path} is write-protected, so it is left alone.`);
  if (rest !== found.text && !(await replace(path, found.text, rest))) return changedSince(path, before);
  return { kind: 'undone', path, left: `Others have written to ${path} since, so only our entry was taken out of it.` };
}

function changedMeanwhile(path: string): Refused {
  return refused(path, `${path} has been changed meanwhile. Nothing was written; look at the change again.`);
}

function changedSince(path: string, before: string | undefined): Refused {
  const where = before === undefined ? '' : ` What it was before Sealed Proxy is in ${path}${BACKUP}.`;
  return refused(path, `${path} has been changed since, so it is left as it is.${where}`);
}

export function refused(path: string, message: string): Refused {
  return { kind: 'refused', path, message };
}

/** Undefined where there is no file, or in words what it is instead of one that can be configured. */
async function readBytes(path: string): Promise<Buffer | string | undefined> {
  const file = await open(path, READ).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  try {
    const entry = await file?.stat();
    if (entry?.isFile() === false) return 'no ordinary file';
    return (entry?.size ?? 0) > MAX_SIZE ? 'too large for a configuration' : await file?.readFile();
  } finally {
    await file?.close();
  }
}

/** Throws ENOENT for a link to nothing: to make the file there would surprise. */
async function followed(path: string): Promise<string> {
  const isLink = await lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
  return isLink ? realpath(path) : path;
}

async function isStill(path: string, text: string | undefined): Promise<boolean> {
  const now = await readConfig(path);
  return now.kind === 'found' && now.path === path && now.text === text;
}

/** Whoever protects a file means it, though a rename would not mind. */
async function isProtected(path: string): Promise<boolean> {
  return ((await stat(path)).mode & 0o222) === 0;
}

/** Of a text without us: a later one would hold what we have written ourselves. */
async function backUp(path: string, text: string): Promise<void> {
  if (text.search(ACCESS_KEYS) === -1) await rm(path + BACKUP, { force: true });
  try {
    await writeFile(path + BACKUP, text, { flag: 'wx', mode: PRIVATE });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** One that says nothing else than the file itself: kept, it would be taken for what was there before the next change. */
async function dropBackup(path: string, text: string): Promise<void> {
  const backup = await readConfig(path + BACKUP);
  if (backup.kind === 'found' && backup.text === text) await rm(path + BACKUP);
}

/**
 * By a file beside it, so that a reader finds the old text or the new one. A file that is there keeps its mode.
 * @returns false where somebody has written anything but `before` by the time that the new text is on the disk
 */
async function replace(path: string, before: string | undefined, text: string): Promise<boolean> {
  const mode = await stat(path).then(
    (entry) => entry.mode & 0o777,
    () => PRIVATE,
  );
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(draft, 'wx', PRIVATE);
    try {
      await file.writeFile(text);
      await file.chmod(mode); // the mode of `open` is subject to the umask
      await file.sync();
    } finally {
      await file.close();
    }
    const isSame = await isStill(path, before);
    if (isSame) await rename(draft, path);
    return isSame;
  } finally {
    await rm(draft, { force: true });
  }
}

/** From the innermost folder to `outermost`, as long as nobody has put anything there. */
async function removeEmpty(innermost: string, outermost: string): Promise<void> {
  for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder)) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

/** `ENOENT` and the like. Never the message: it may quote what it stumbled over. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
