// What the clients on this computer have used, by the hour: numbers and names, for 90 days. Each window writes files of its
// own, one for each day (UTC), so windows never write the same file. Readers add up all of them.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { persist, withDraft } from '../disk/atomicFile.ts';
import { HOUR, UsageTable } from '../shared/activity.ts';
import type { NamedUsageSum, UsageSum } from '../shared/activity.ts';
import { codeOf } from '../shared/errors.ts';
import { Queue } from '../shared/queue.ts';
import { MAX_SIZE, formatDay, parseDay } from './dayFile.ts';
import type { DayFile } from './dayFile.ts';

const DAY = 86_400_000;
/** How long sums are kept. */
export const KEPT_DAYS = 90;
const FOLDER = 'usage';
/** Has the time of the last erasure: what was measured before it is not recorded any more. */
const ERASED = 'usage-erased';
/** The folder during an erasure. */
const MOVED = /^usage\.[0-9a-f]{8}$/;
const FILE = /^(\d{4}-\d\d-\d\d)\.[0-9a-f]{16}\.(?:json|[0-9a-f]{16})$/;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** Files that are read at once. */
const BATCH = 32;

/** What a proxy has measured since `since`, in milliseconds since 1970. */
export interface Measured {
  readonly since: number;
  readonly sums: readonly UsageSum[];
}

export class UsageHistory {
  readonly #storage: string;
  readonly #folder: string;
  readonly #onDamage: (message: string) => void;
  readonly #now: () => number;
  readonly #onChange: () => void;
  /** Part of the names of this window's files. */
  readonly #id = randomBytes(8).toString('hex');
  /** Damaged files that were reported. */
  readonly #damaged = new Set<string>();
  #erasedAt = 0;
  #prunedOn = '';
  /** Runs changes one after the other. */
  readonly #queue = new Queue();

  /**
   * @param storage the folder of the extension's data. It is not created: without it, nothing is recorded
   * @param onDamage is called with a sentence for each file that cannot be read
   * @param onChange is called after this window has recorded or deleted sums
   */
  constructor(
    storage: string,
    onDamage: (message: string) => void,
    now: () => number = Date.now,
    onChange: () => void = () => undefined,
  ) {
    this.#storage = storage;
    this.#folder = join(storage, FOLDER);
    this.#onDamage = onDamage;
    this.#now = now;
    this.#onChange = onChange;
  }

  /**
   * Records these sums, unless the history was erased after `since`, by this window or another one.
   * @param names of the clients, by caller. They stay when a client's key is revoked
   */
  add({ since, sums }: Measured, names: Promise<ReadonlyMap<string, string>>): Promise<void> {
    return this.#queue.run(async () => {
      const known = await names.catch(() => new Map<string, string>());
      for (const [day, ofDay = []] of Map.groupBy(sums, ({ hour }) => dayOf(hour)))
        await this.#addToDay(day, since, ofDay, known);
      this.#onChange();
      await this.#prune();
    });
  }

  /** The sums of all windows since `from`, in milliseconds since 1970, but at most of the last 90 days. In no order. */
  async read(from: number): Promise<readonly NamedUsageSum[]> {
    const first = Math.max(from, this.#now() - KEPT_DAYS * DAY);
    const files = (await list(this.#folder))
      .filter((name) => name.endsWith('.json') && name >= dayOf(first))
      .toSorted();
    const table = new UsageTable();
    const names = new Map<string, string>();
    for (let at = 0; at < files.length; at += BATCH) {
      const read = await Promise.all(files.slice(at, at + BATCH).map((name) => this.#readDay(name)));
      for (const day of read) {
        for (const [caller, name] of Object.entries(day?.names ?? {})) names.set(caller, name);
        for (const sum of day?.sums ?? []) if (sum.hour + HOUR > first) table.add(sum);
      }
    }
    return table.sums.map((sum) => ({ ...sum, name: names.get(sum.caller) ?? '' }));
  }

  /** Deletes all sums, also those that windows have received and not written yet. */
  erase(): Promise<void> {
    this.#erasedAt = this.#now();
    return this.#queue.run(async () => {
      try {
        await writeFile(join(this.#storage, ERASED), String(this.#erasedAt), { mode: PRIVATE_FILE });
      } catch (error) {
        if (isMissing(error)) return; // everything was removed
        throw error;
      }
      await deleteFiles(this.#storage);
      this.#onChange();
    });
  }

  /** Deletes what is older than 90 days. */
  prune(): Promise<void> {
    return this.#queue.run(() => this.#prune());
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await this.#queue.settled();
  }

  /**
   * Writes a temporary file and renames it, so that readers never see half of it. The temporary file is the first step: if
   * another window erases the history from then on, it moves the file away, and renaming it fails.
   */
  async #addToDay(
    day: string,
    since: number,
    sums: readonly UsageSum[],
    names: ReadonlyMap<string, string>,
  ): Promise<void> {
    const name = `${day}.${this.#id}`;
    const path = join(this.#folder, `${name}.json`);
    try {
      await mkdir(this.#folder, { mode: PRIVATE_FOLDER }).catch(ignore('EEXIST'));
      await withDraft(join(this.#folder, name), async (draft) => {
        const file = await open(draft, 'wx', PRIVATE_FILE);
        try {
          if (since <= (await this.#lastErasure())) return;
          const known = await this.#readDay(`${name}.json`);
          await file.writeFile(formatDay(addUp(known, sums, names)));
        } finally {
          await file.close();
        }
        await persist(() => rename(draft, path));
      });
    } catch (error) {
      if (!isMissing(error)) throw error; // the folder was removed, and the sums go with it
    }
  }

  /** In milliseconds since 1970; 0 if there was none. A time in the future is wrong: the clock was set back. */
  async #lastErasure(): Promise<number> {
    const stored = Number(await readFile(join(this.#storage, ERASED), 'utf8').catch(() => '0'));
    const times = [this.#erasedAt, stored].filter((time) => time <= this.#now());
    return Math.max(0, ...times);
  }

  /** Undefined if the file does not exist, or is damaged. */
  async #readDay(name: string): Promise<DayFile | undefined> {
    const path = join(this.#folder, name);
    try {
      const found = await stat(path);
      const isReadable = found.isFile() && found.size <= MAX_SIZE; // a pipe may never end
      const day = isReadable ? parseDay(await readFile(path, 'utf8')) : undefined;
      if (day === undefined) this.#reportDamage(path);
      return day;
    } catch (error) {
      if (!isMissing(error)) this.#reportDamage(path);
      return undefined;
    }
  }

  #reportDamage(path: string): void {
    if (this.#damaged.has(path)) return;
    this.#damaged.add(path);
    this.#onDamage(`A file of the usage history cannot be read, so the history is incomplete: ${path}`);
  }

  /** Once a day. Also deletes what an interrupted window has left, and what the clock has dated years ahead. */
  async #prune(): Promise<void> {
    const today = dayOf(this.#now());
    if (this.#prunedOn === today) return;
    this.#prunedOn = today;
    const first = dayOf(this.#now() - KEPT_DAYS * DAY);
    const last = dayOf(this.#now() + KEPT_DAYS * DAY);
    for (const name of await list(this.#folder)) {
      const isOld = name < (name.endsWith('.json') ? first : today);
      if (isOld || name > last) await rm(join(this.#folder, name), { force: true, maxRetries: 3 });
    }
    await deleteMoved(this.#storage);
  }
}

/** Removes the history, and all traces of it: for the uninstall script. */
export async function removeHistory(storage: string): Promise<void> {
  await deleteFiles(storage);
  await rm(join(storage, ERASED), { force: true });
}

/** Moves the folder away first: a window that is writing a file in it cannot complete that. */
async function deleteFiles(storage: string): Promise<void> {
  const folder = join(storage, FOLDER);
  const moved = `${folder}.${randomBytes(4).toString('hex')}`;
  await persist(() => rename(folder, moved)).catch(ignore('ENOENT'));
  await deleteMoved(storage);
}

async function deleteMoved(storage: string): Promise<void> {
  for (const name of await readdir(storage).catch(() => [])) {
    const isMoved = MOVED.test(name);
    if (isMoved) await rm(join(storage, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** The names of the files of the history, and of drafts. */
async function list(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names.filter((name) => FILE.test(name));
}

function addUp(known: DayFile | undefined, sums: readonly UsageSum[], names: ReadonlyMap<string, string>): DayFile {
  const table = new UsageTable();
  for (const sum of [...(known?.sums ?? []), ...sums]) table.add(sum);
  const named = new Map(Object.entries(known?.names ?? {}));
  for (const { caller } of sums) {
    const name = names.get(caller);
    if (name !== undefined) named.set(caller, name);
  }
  return { names: Object.fromEntries(named), sums: table.sums };
}

/** `YYYY-MM-DD` (UTC) of a time in milliseconds since 1970. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function ignore(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
