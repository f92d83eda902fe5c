// Watches files and folders that may not exist yet. Costs nothing while nothing changes.
import { existsSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';

/** Programs write a file in several steps. In milliseconds. */
const SETTLED = 300;

export class FileWatcher {
  readonly #onChange: () => void;
  readonly #settled: number;
  readonly #watchers = new Map<string, FSWatcher>();
  #paths: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param settled how long after an event `onChange` is called, in milliseconds */
  constructor(onChange: () => void, settled = SETTLED) {
    this.#onChange = onChange;
    this.#settled = settled;
  }

  /**
   * Watches these paths and no others.
   * @returns whether a folder is watched that was not: what changed in it since it was read was not told
   */
  watch(paths: readonly string[]): boolean {
    this.#paths = paths;
    const folders = new Set(paths.map(nearestFolder));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    return [...folders].map((folder) => this.#begin(folder)).includes(true);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.watch([]);
  }

  #begin(folder: string): boolean {
    if (this.#watchers.has(folder)) return false;
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        const isItself = name === basename(folder);
        if (isItself) this.#beginAgain(folder);
        if (isItself || this.#concerns(folder, name)) this.#changed();
      });
      watcher.on('error', () => {
        watcher.close();
        if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
        this.#changed(); // the folder was removed
      });
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      // It was removed meanwhile, or the system has no more watchers: the next look reads the files all the same.
      return false;
    }
  }

  /** A folder that was renamed or removed is watched wherever it is now, and not the one that took its place. */
  #beginAgain(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.watch(this.#paths);
  }

  /** Whether an entry of a folder is one of the paths, is in one, or may contain one. */
  #concerns(folder: string, name: string | null): boolean {
    if (name === null) return true;
    return this.#paths.some((path) => {
      const [first] = relative(folder, path).split(sep);
      return path === folder || first === name || (dirname(path) === folder && basename(path) === name);
    });
  }

  #changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, this.#settled);
    this.#timer.unref();
  }
}

/** The folder that has a path, or else the nearest one around it that exists; the path itself if it is a folder. */
function nearestFolder(path: string): string {
  let folder = existsSync(path) && !basename(path).includes('.') ? path : dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
