// Configuration files of other programs: read as they are, written completely or not at all.
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { persist, removeFile, withDraft } from '../../disk/atomicFile.ts';
import { ACCESS_KEYS } from '../../shared/accessKeys.ts';
import { refused } from './change.ts';
import type { Applied, Change, Refused, Unchanged, Undone } from './change.ts';

/** For the owner only: the file holds a key. */
const PRIVATE = 0o600;
/** The permissions of the owner. */
export const OWNER = 0o700;
/** In bytes. The complete text is kept in the secret storage, to be restored. */
const MAX_SIZE = 4 * 1024 * 1024;
/** Without `O_NONBLOCK`, opening a named pipe blocks one of the editor's four I/O threads until a writer opens it. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
export const BACKUP = '.sealed-proxy-backup';

export interface ConfigText {
  readonly kind: 'found';
  /** The path, or its target if it is a symbolic link. */
  readonly path: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
  /** The permissions, if users other than the owner have some. */
  readonly mode?: number | undefined;
}

/** Between the reason and the path, which comes last: it may be long, and a row of a list is cut off at its end. */
export const NOT_CHANGED = ', so Sealed Proxy does not change it: ';

/** The text of a file. Refuses a file that cannot be read or is not UTF-8 text. */
export async function readConfig(path: string): Promise<ConfigText | Refused> {
  try {
    const target = await resolveLink(path);
    const bytes = await readBytes(target);
    if (typeof bytes === 'string') return refused(`The file is ${bytes}${NOT_CHANGED}${path}.`);
    if (bytes !== undefined && !isUtf8(bytes)) return refused(`The file is not a text file${NOT_CHANGED}${path}.`);
    return { kind: 'found', path: target, text: bytes?.toString('utf8'), mode: await sharedMode(target) };
  } catch (error) {
    return refused(
      `The file cannot be read (${codeOf(error)}): ${path}. Check it and its permissions, then try again.`,
    );
  }
}

/** Makes a change. An existing file keeps one backup next to it, from before the first change. */
export async function applyChange({ path, before, after, mode }: Change): Promise<Applied | Refused> {
  try {
    if (!(await isStill(path, before))) return changedSincePreview(path);
    if (before !== undefined) {
      const obstacle = await obstacleTo(path);
      if (obstacle !== undefined) return obstacle;
      await backUp(path, before);
    }
    const madeFolder = await mkdir(dirname(path), { recursive: true });
    if (!(await replace(path, before, after, mode && mode & OWNER))) return changedSincePreview(path);
    return { kind: 'applied', path, before, after, ...(mode !== undefined && { mode }), madeFolder };
  } catch (error) {
    const advice = 'Check the permissions and the free disk space, then try again.';
    return refused(`${path} cannot be written (${codeOf(error)}). It was not changed. ${advice}`);
  }
}

/**
 * Restores the file, and removes the folders that were created for it. If another program has written to the file
 * since, removes only our entry.
 * @param removeEntry returns the text without our entry, given the text before the change; undefined if it cannot
 */
export async function undoChange(
  applied: Applied,
  removeEntry: (text: string, before: string) => string | undefined,
): Promise<Undone | Refused> {
  const { path, before, after, mode, madeFolder, mixed } = applied;
  try {
    if (mixed === true || !(await isStill(path, after))) return await removeFrom(applied, removeEntry);
    if (before === undefined) {
      await removeFile(path);
      if (madeFolder !== undefined) await removeEmpty(dirname(path), madeFolder);
    } else {
      const obstacle = await obstacleTo(path);
      if (obstacle !== undefined) return obstacle;
      if (!(await replace(path, after, before, mode))) return cannotRestore(path, before);
      await dropBackup(path, before);
    }
    return { kind: 'undone' };
  } catch (error) {
    return refused(
      `${path} cannot be restored (${codeOf(error)}). Check the file and its permissions, then try again.`,
    );
  }
}

/**
 * Removes our entry from a file, even if the file has changed since.
 * @param removeEntry returns the text without our entry, `text` itself if it has none, or undefined if it cannot
 * @param dropsBackup also deletes our backup of the file
 */
export async function disconnectFile(
  path: string,
  removeEntry: (text: string) => string | undefined,
  dropsBackup: boolean,
): Promise<Undone | Unchanged | Refused> {
  const found = await readConfig(path);
  if (found.kind === 'refused') return found;
  const { text } = found;
  try {
    const rest = text === undefined ? undefined : removeEntry(text);
    if (text !== undefined && rest !== text) {
      if (rest === undefined) return cannotDisconnect(path);
      const obstacle = await obstacleTo(found.path);
      if (obstacle !== undefined) return obstacle;
      if (!(await replace(found.path, text, rest))) return changedMeanwhile(path);
    }
    if (dropsBackup) await removeFile(found.path + BACKUP);
    return rest === text ? { kind: 'unchanged' } : { kind: 'undone' };
  } catch (error) {
    return refused(`${path} cannot be changed (${codeOf(error)}). Check the file and its permissions, then try again.`);
  }
}

async function removeFrom(
  { path, before, mode }: Applied,
  removeEntry: (text: string, before: string) => string | undefined,
): Promise<Undone | Refused> {
  const found = await readConfig(path);
  if (found.kind === 'refused') return found;
  if (found.text === undefined) return { kind: 'undone', left: `${path} no longer exists.` };
  const rest = removeEntry(found.text, before ?? '');
  if (rest === undefined || found.path !== path) return cannotRestore(path, before);
  const obstacle = await obstacleTo(path);
  if (obstacle !== undefined) return obstacle;
  if (rest !== found.text && !(await replace(path, found.text, rest, mode))) return cannotRestore(path, before);
  return { kind: 'undone', left: `${path} was edited since, so only the Sealed Proxy entry was removed.` };
}

/**
 * Replaces the content of a file, also through a symbolic link.
 * @throws Error if it is write-protected, has hard links, or changes at the same time
 */
export async function replaceContent(path: string, content: Uint8Array): Promise<void> {
  const found = await readConfig(path);
  const problem = found.kind === 'refused' ? found : await obstacleTo(found.path);
  if (problem !== undefined) throw new Error(problem.message);
  if (found.kind === 'found' && !(await replace(found.path, found.text, content))) {
    throw new Error(`${path} has changed meanwhile.`);
  }
}

export function changedSincePreview(path: string): Refused {
  return refused(`The content of ${path} has changed since the preview was shown. Nothing was written. Try again.`);
}

function cannotRestore(path: string, before: string | undefined): Refused {
  const remedy =
    before === undefined ? 'Remove the Sealed Proxy entry yourself.' : `The original file is in ${path}${BACKUP}.`;
  return refused(`${path} was edited since, so it cannot be restored automatically. ${remedy}`);
}

function cannotDisconnect(path: string): Refused {
  return refused(`${path} has an access key of Sealed Proxy that cannot be removed automatically. Remove it yourself.`);
}

function changedMeanwhile(path: string): Refused {
  return refused(`${path} was changed by another program at the same time. Try again.`);
}

function writeProtected(path: string): Refused {
  return refused(`${path} is write-protected, so it was not changed. Make it writable, then try again.`);
}

/** The bytes of a file; undefined if it does not exist; a description if it cannot be a configuration file. */
async function readBytes(path: string): Promise<Buffer | string | undefined> {
  const file = await open(path, READ).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  try {
    const entry = await file?.stat();
    if (entry?.isFile() === false) return 'not a regular file';
    return (entry?.size ?? 0) > MAX_SIZE ? 'too large for a configuration file' : await file?.readFile();
  } finally {
    await file?.close();
  }
}

/** The target of a symbolic link, else the path. Throws ENOENT for a broken link, whose target must not be created. */
async function resolveLink(path: string): Promise<string> {
  const entry = await lstat(path).catch(() => undefined);
  return entry?.isSymbolicLink() === true ? realpath(path) : path;
}

async function isStill(path: string, text: string | undefined): Promise<boolean> {
  const now = await readConfig(path);
  return now.kind === 'found' && now.path === path && now.text === text;
}

/** A rename would replace a write-protected file, which its owner does not want changed, and part hard links. */
async function obstacleTo(path: string): Promise<Refused | undefined> {
  const { mode, nlink } = await stat(path);
  if ((mode & 0o222) === 0) return writeProtected(path);
  if (nlink === 1) return undefined;
  const remedy = 'Use a symbolic link instead, then try again.';
  return refused(`${path} has other names (hard links), so changing it would separate them. ${remedy}`);
}

/** Windows has other permissions, which a new file inherits from its folder. */
async function sharedMode(path: string): Promise<number | undefined> {
  const mode = (await stat(path).catch(() => undefined))?.mode ?? 0;
  return process.platform !== 'win32' && (mode & 0o077) !== 0 ? mode & 0o777 : undefined;
}

/** Replaces an existing backup only with a text that has no access key in it: other texts may hold our own entry. */
async function backUp(path: string, text: string): Promise<void> {
  if (text.search(ACCESS_KEYS) === -1) await removeFile(path + BACKUP);
  await writeFile(path + BACKUP, text, { flag: 'wx', mode: PRIVATE }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

/** Deletes a backup that equals the restored file, so that the next change makes a new one. */
async function dropBackup(path: string, text: string): Promise<void> {
  const backup = await readConfig(path + BACKUP);
  if (backup.kind === 'found' && backup.text === text) await removeFile(path + BACKUP);
}

/**
 * Writes a temporary file next to it and renames that, so that readers see either text completely.
 * @param wanted the permissions; by default those that the file has
 * @returns false if the file no longer contains `before` once the new text is on the disk
 */
async function replace(
  path: string,
  before: string | undefined,
  text: string | Uint8Array,
  wanted?: number,
): Promise<boolean> {
  const mode = wanted ?? (await stat(path).catch(() => undefined))?.mode ?? PRIVATE;
  return withDraft(join(dirname(path), `.${basename(path)}`), async (draft) => {
    const file = await open(draft, 'wx', PRIVATE);
    try {
      await file.writeFile(text);
      await file.chmod(mode & 0o777); // the mode of `open` is subject to the umask
      await file.sync();
    } finally {
      await file.close();
    }
    return persist(async () => {
      const isAllowed = await isStill(path, before);
      if (isAllowed) await rename(draft, path);
      return isAllowed;
    });
  });
}

/** Removes the folders from `innermost` up to `outermost`, and stops at the first that is not empty. */
async function removeEmpty(innermost: string, outermost: string): Promise<void> {
  try {
    for (let folder = innermost; folder.startsWith(outermost); folder = dirname(folder)) await rmdir(folder);
  } catch {
    // not empty
  }
}

/** For example `ENOENT`. The message is not used because it may quote the content. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
