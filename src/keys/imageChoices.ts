// What the user has been told, and has decided, about the enclave images of each backend. All windows of this computer
// share it, in the folder of the extension. It is not synced.
//
// Each change writes a new file with the next number, completely or not at all, and never over an existing one: so of
// several windows that make the same change at the same time, one succeeds.
import { createHash } from 'node:crypto';
import { existsSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createAtomically } from '../disk/atomicFile.ts';
import { isListOf, isNullOr, parseJson, passes } from '../shared/json.ts';
import { basePathOf } from '../shared/network.ts';
import { isPcr } from '../shared/pcr0.ts';

/** Of one backend. Images are named by PCR0, 96 hex digits. */
export interface ImageChoice {
  /** The image of which the user was told last. */
  readonly last: string | null;
  /** Images that were accepted, or used when no consent was needed, the latest one last. */
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

export const NO_CHOICE: ImageChoice = { last: null, accepted: [], refused: [] };

/** A digest of the backend, and the number of the change. */
const FILE_NAME = /^([0-9a-f]{16})\.(\d{1,9})$/;
/** Images of each list that are kept: the latest ones. */
const MAX_IMAGES = 200;
/** How many changes are kept, for windows that are about to read them. */
const KEPT = 3;
const ATTEMPTS = 20;

export class ImageChoices {
  readonly #folder: string;
  /** The backends of which there was a choice, by the digests in the names of files. */
  readonly #known = new Set<string>();

  /** @param folder the folder of the extension. Only if that exists, a folder is created in it: see MachineStore */
  constructor(folder: string) {
    this.#folder = join(folder, 'images');
  }

  /** @throws Error if the choice cannot be read */
  async read(backendUrl: string): Promise<ImageChoice> {
    return (await this.#latest(backendUrl)).choice;
  }

  /** True if `read` has found a choice, even if its file was damaged or deleted since: then no image is the first one. */
  hadChoice(backendUrl: string): boolean {
    return this.#known.has(backendName(backendUrl));
  }

  /**
   * Changes the choice for a backend.
   * @param change returns undefined if there is nothing to change. It may be called several times, and last with the choice
   *   that it replaces
   * @returns whether this call has changed it
   * @throws Error if the choice cannot be read or written
   */
  async change(backendUrl: string, change: (before: ImageChoice) => ImageChoice | undefined): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { number, choice } = await this.#latest(backendUrl);
      const next = change(choice);
      if (next === undefined) return false;
      if (!(await this.#create(fileName(backendUrl, number + 1), next))) continue; // another window was faster
      await this.#removeBefore(backendUrl, number + 1 - KEPT);
      return true;
    }
    throw new Error(`Cannot write to ${this.#folder}`);
  }

  /**
   * Calls back after a change, in this window or in another, until it is closed or the folder is removed.
   * @returns undefined if all data was removed, and with it the folder of the extension
   */
  async watch(onChange: (isRemoved: boolean) => void): Promise<Pick<FSWatcher, 'close'> | undefined> {
    if (!existsSync(dirname(this.#folder))) return undefined;
    await this.#createFolder();
    const report = () => {
      onChange(!existsSync(this.#folder));
    };
    return watch(this.#folder, report).on('error', report);
  }

  async #latest(backendUrl: string): Promise<{ readonly number: number; readonly choice: ImageChoice }> {
    for (let attempt = 0; ; attempt++) {
      const number = Math.max(0, ...(await this.#numbers(backendUrl)));
      if (number === 0) return { number, choice: NO_CHOICE };
      this.#known.add(backendName(backendUrl));
      const path = join(this.#folder, fileName(backendUrl, number));
      try {
        const choice = parseJson(await readFile(path));
        if (isChoice(choice)) return { number, choice };
        throw new Error(`The file ${path} is damaged. Delete it.`);
      } catch (error) {
        // Other windows have changed it several times meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #numbers(backendUrl: string): Promise<readonly number[]> {
    const backend = backendName(backendUrl);
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#known.clear(); // all data was removed
      return [];
    });
    return names.flatMap((name) => {
      const [, ofBackend, number] = FILE_NAME.exec(name) ?? [];
      return ofBackend === backend ? [Number(number)] : [];
    });
  }

  /** False if the file exists already. */
  async #create(name: string, choice: ImageChoice): Promise<boolean> {
    await this.#createFolder();
    const { last, accepted, refused } = choice;
    const content = { last, accepted: accepted.slice(-MAX_IMAGES), refused: refused.slice(-MAX_IMAGES) };
    try {
      await createAtomically(join(this.#folder, name), Buffer.from(`${JSON.stringify(content)}\n`));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  async #removeBefore(backendUrl: string, first: number): Promise<void> {
    const outdated = (await this.#numbers(backendUrl)).filter((number) => number <= first);
    for (const number of outdated) await rm(join(this.#folder, fileName(backendUrl, number)), { force: true });
  }

  /** After the extension's folder was removed with all data, it is not created again. */
  async #createFolder(): Promise<void> {
    await mkdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}

function fileName(backendUrl: string, number: number): string {
  return `${backendName(backendUrl)}.${number}`;
}

/** The same for all ways to write a URL. */
function backendName(backendUrl: string): string {
  const url = new URL(backendUrl.trim());
  const name = url.origin + basePathOf(url);
  return createHash('sha256').update(`sealed-proxy/images\0${name}`).digest('hex').slice(0, 16);
}

function isChoice(value: unknown): value is ImageChoice {
  return passes(value, { last: isNullOr(isPcr), accepted: isListOf(isPcr), refused: isListOf(isPcr) });
}

/** After the user was told of the image, or it was used as the first one. Undefined if nothing changes. */
export function seen(choice: ImageChoice, pcr0: string): ImageChoice | undefined {
  if (choice.last === pcr0) return undefined;
  const { accepted, refused } = choice;
  return { last: pcr0, accepted: refused.includes(pcr0) ? accepted : withImage(accepted, pcr0), refused };
}

/** After the user has accepted or refused the image: nothing more needs to be said about one that was accepted. Undefined if nothing changes. */
export function decided(choice: ImageChoice, pcr0: string, isAccepted: boolean): ImageChoice | undefined {
  const { last, accepted, refused } = choice;
  const [to, from] = isAccepted ? [accepted, refused] : [refused, accepted];
  if (to.includes(pcr0) && !from.includes(pcr0)) return undefined;
  const [added, removed] = [withImage(to, pcr0), from.filter((image) => image !== pcr0)];
  return isAccepted ? { last: pcr0, accepted: added, refused: removed } : { last, accepted: removed, refused: added };
}

function withImage(images: readonly string[], pcr0: string): readonly string[] {
  return [...images.filter((image) => image !== pcr0), pcr0];
}
