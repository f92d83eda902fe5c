// The secrets of the command line that are in files: Docker's and Kubernetes' secrets, or credentials of systemd.
import { isAbsolute } from 'node:path';
import { filePathOf, fileVariable } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { ConfigError, inOneLine } from '../../settings/proxyConfig.ts';
import { SECRET_NAMES } from '../../settings/schema.ts';
import type { SecretName } from '../../settings/schema.ts';
import { FileError, NO_FILE, fingerprintOf, readSecretText } from './commandLineFiles.ts';
import type { SecretFile, SecretFiles } from './config.ts';

/** In bytes; a file of access keys has room for 10,000 of them. */
const LIMIT = 1024 * 1024;

/**
 * The paths of the secrets that are in files.
 * @throws ConfigError
 */
export function secretPaths(values: Values): ReadonlyMap<SecretName, string> {
  const found = SECRET_NAMES.map((name) => [name, filePathOf(values, name)] as const);
  return new Map(found.filter((entry): entry is [SecretName, string] => entry[1] !== undefined));
}

/**
 * Reads all files.
 * @throws (rejection) ConfigError for the first one that cannot be read
 */
export async function readSecretFiles(paths: ReadonlyMap<SecretName, string>): Promise<SecretFiles> {
  const files: Partial<Record<SecretName, SecretFile>> = {};
  for (const [name, path] of paths) {
    try {
      files[name] = { path: shownPath(path), text: await readSecretText(path, LIMIT) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new ConfigError(name, readProblem(path, error), undefined, fileVariable(name));
    }
  }
  return files;
}

/** 32 bytes, as a secret may have them; it may begin with a slash. */
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** A value that is not an absolute path may be the secret itself. */
export function shownPath(path: string): string {
  return isAbsolute(path) && !BASE64.test(path)
    ? inOneLine(path)
    : 'its value, which must be the path of a file, best an absolute one';
}

/** Why the file with this path cannot be read. */
export function readProblem(path: string, { message }: FileError): string {
  return message === NO_FILE && !isAbsolute(path)
    ? 'no file has this path: use an absolute path, without quotes and ~'
    : `${shownPath(path)}: ${message}`;
}

/**
 * How often the files are looked at, in milliseconds. `fs.watch` does not see that a link on the path changes, as in
 * Kubernetes, and no change at all on some mounts.
 */
const WATCH_INTERVAL = 1000;

/** Watches files. A change counts when it is a second old, so that a file that is being written is read once. */
export class FileWatch {
  readonly #paths: readonly string[];
  readonly #onChange: () => void;
  #loaded = '';
  #latest = '';

  private constructor(paths: readonly string[], onChange: () => void) {
    this.#paths = paths;
    this.#onChange = onChange;
  }

  /** Resolves when the present state is known: begin before the first reading. */
  static async begin(paths: readonly string[], onChange: () => void): Promise<FileWatch> {
    const watch = new FileWatch(paths, onChange);
    watch.#latest = await watch.#look();
    watch.#loaded = watch.#latest;
    return watch;
  }

  start(): void {
    if (this.#paths.length > 0) setTimeout(() => void this.#check(), WATCH_INTERVAL).unref();
  }

  async #check(): Promise<void> {
    const found = await this.#look();
    const isSettled = found === this.#latest;
    this.#latest = found;
    if (isSettled && found !== this.#loaded) {
      this.#loaded = found;
      this.#onChange();
    }
    this.start();
  }

  async #look(): Promise<string> {
    return (await Promise.all(this.#paths.map(fingerprintOf))).join(';');
  }
}
