// The proxy reads and writes no files. Two commands of the command line do, and then end the process: `evidence` writes the
// file that it is given, and `verify` reads one. Nothing that serves requests may import this file.
import { open, rm } from 'node:fs/promises';
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
    const code = codeOf(error) ?? 'unknown';
    throw new FileError(code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})`);
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
