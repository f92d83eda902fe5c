// The proxy reads and writes no files, and this file has the only exceptions, all on the command line. Two commands end the
// process afterwards: `evidence` writes the file that it is given, and `verify` reads one. The host reads the files of the
// secrets at the start and when they change. Nothing that serves requests may import this file.
import { constants, open, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../shared/errors.ts';

/** A file that cannot be read or written. The message is for the user and contains the path and the remedy. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** A new file that is still empty. */
export interface NewFile {
  /** Writes the complete content and closes the file. */
  write(text: string): Promise<void>;
  /** Deletes the file. */
  discard(): Promise<void>;
}

/**
 * Creates a file that does not exist yet.
 * @throws FileError
 */
export async function createFile(path: string): Promise<NewFile> {
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw new FileError(
      codeOf(error) === 'EEXIST'
        ? `${path} exists already: name another file, or delete this one`
        : `${path} cannot be written (${codeOf(error) ?? 'unknown'}): name another file`,
    );
  });
  return {
    write: async (text) => {
      try {
        await file.writeFile(text);
      } catch (error) {
        throw new FileError(
          `${path} could not be written completely (${codeOf(error) ?? 'unknown'}): delete it and try again`,
        );
      } finally {
        await file.close();
      }
    },
    discard: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

/**
 * All bytes of a file, also of a pipe.
 * @param limit the largest size, in bytes
 * @throws FileError
 */
export async function readLimited(path: string, limit: number): Promise<Uint8Array> {
  const cannotRead = (error: unknown) => {
    throw new FileError(`${path} ${readFailure(error)}`);
  };
  const file = await open(path).catch(cannotRead);
  try {
    const buffer = Buffer.alloc(limit + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null).catch(cannotRead);
      length += bytesRead;
      if (length > limit)
        throw new FileError(`${path} is larger than ${limit} bytes, so it cannot be what is expected`);
      if (bytesRead === 0) return new Uint8Array(buffer.subarray(0, length));
    }
  } finally {
    await file.close();
  }
}

/** How long a pipe may take to have content, and the time between two attempts, in milliseconds. */
const PIPE_LIMIT = 5000;
const PIPE_STEP = 20;

/**
 * The text of a small file, or of a pipe: a pipe that nobody writes to is an error after five seconds. (To wait in the
 * operating system would occupy a thread for ever, and the process could not end.)
 * @param limit the largest size, in bytes
 * @throws FileError
 */
export async function readSecretText(path: string, limit: number): Promise<string> {
  const cannotRead = (error: unknown): never => {
    throw new FileError(`the file ${readFailure(error)}`);
  };
  const { O_RDONLY, O_NONBLOCK = 0 } = constants as Partial<typeof constants>; // Windows does not have the second one
  const file = await open(path, (O_RDONLY ?? 0) | O_NONBLOCK).catch(cannotRead);
  try {
    const isPipe = (await file.stat().catch(cannotRead)).isFIFO();
    const buffer = Buffer.alloc(limit + 1);
    let length = 0;
    for (const deadline = Date.now() + PIPE_LIMIT; ;) {
      const bytesRead = await readAvailable(file, buffer, length).catch(cannotRead);
      length += bytesRead ?? 0;
      if (length > limit) throw new FileError(`the file is larger than ${limit} bytes`);
      const isWaiting = bytesRead === undefined || (bytesRead === 0 && length === 0 && isPipe);
      if (bytesRead === 0 && !isWaiting) return decode(buffer.subarray(0, length));
      if (isWaiting && Date.now() > deadline) throw new FileError('nothing was written to the pipe in time');
      if (isWaiting) await sleep(PIPE_STEP);
    }
  } finally {
    await file.close();
  }
}

const MISSING = 'does not exist';
/** The message of the FileError for a missing file with a secret. */
export const NO_FILE = `the file ${MISSING}`;

/** Why a file cannot be read, after its name. */
function readFailure(error: unknown): string {
  const code = codeOf(error) ?? 'unknown';
  if (code === 'ENOENT') return MISSING;
  return `cannot be read (${code})${READ_ADVICE[code] ?? ''}`;
}

const READ_ADVICE: Readonly<Partial<Record<string, string>>> = {
  EACCES: ': the user of this process needs the right to read it, and to enter the folders above it',
  EISDIR: ': it is a directory',
};

/** @throws FileError for the encoding that Windows programs call Unicode */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new FileError('the file is in UTF-16: save it as UTF-8');
  return new TextDecoder().decode(bytes);
}

/** The number of bytes that were read; 0 at the end; undefined if there are none yet. */
async function readAvailable(file: FileHandle, buffer: Buffer, at: number): Promise<number | undefined> {
  try {
    return (await file.read(buffer, at, buffer.length - at, null)).bytesRead;
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

/** Changes with the content of a file, also if the path or a part of it is a link. */
export async function fingerprintOf(path: string): Promise<string> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return 'not a regular file'; // the content of a pipe comes once
    return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
  } catch (error) {
    return codeOf(error) ?? 'unknown';
  }
}
