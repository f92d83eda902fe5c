// Reads the files that decide where prompts go, and remembers which ones, so that they can be watched.
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { readConfig } from '../files/configFile.ts';
import { valueAt } from '../formats/format.ts';
import type { ConfigFormat, Path } from '../formats/format.ts';
import type { Remedy, Route } from './judgement.ts';
import { parseDotEnv, withFile } from './variables.ts';
import type { Variables } from './variables.ts';

/** A file with its value. */
export interface Layer {
  readonly path: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The value at a path in the last file that has one: it takes precedence. */
export function lastWith(
  layers: readonly Layer[],
  path: Path,
): { readonly path: string; readonly value: unknown } | undefined {
  const layer = layers.findLast(({ value }) => valueAt(value, path) !== undefined);
  return layer && { path: layer.path, value: valueAt(layer.value, path) };
}

/** How deep folders of agents are searched, and for how many files. */
const DEEPEST = 8;
const MOST_FILES = 200;

export class ConfigReader {
  readonly #watched = new Set<string>();
  readonly #unreadable: string[] = [];

  get watched(): readonly string[] {
    return [...this.#watched];
  }

  /** A route for each file that exists but says nothing, because it cannot be read or does not parse. */
  get doubts(): readonly Route[] {
    return this.#unreadable.map((path) => {
      const source = { kind: 'file', path, name: '' } as const;
      const remedy: Remedy = { kind: 'open', source };
      return { prompts: 'All prompts', destination: { kind: 'unknown' }, source, remedy };
    });
  }

  /** Undefined if the file does not exist or cannot be read. */
  async text(path: string): Promise<string | undefined> {
    this.#watched.add(path);
    const found = await readConfig(path);
    if (found.kind === 'found') return found.text;
    this.#unreadable.push(path);
    return undefined;
  }

  /** The values of those of the files that exist, in this order. */
  async layers(paths: readonly string[], format: Pick<ConfigFormat, 'read'>): Promise<readonly Layer[]> {
    const found: Layer[] = [];
    for (const path of new Set(paths)) {
      const text = await this.text(path);
      if (text === undefined) continue;
      const value = attempt(() => asObject(format.read(text)));
      if (value === undefined) this.#unreadable.push(path);
      else found.push({ path, value });
    }
    return found;
  }

  /** The variables that a `.env` file sets; none if it does not exist. */
  async dotEnv(path: string): Promise<Variables> {
    return withFile(new Map(), parseDotEnv((await this.text(path)) ?? ''), path, '');
  }

  /** The values at the beginning of those of the Markdown files that exist. */
  async heads(paths: readonly string[]): Promise<readonly Layer[]> {
    const found: Layer[] = [];
    for (const path of paths) {
      const text = await this.text(path);
      if (text !== undefined) found.push({ path, value: frontMatter(text) });
    }
    return found;
  }

  /**
   * The paths of the files in and below a folder with this ending.
   * @param depth how many folders below are searched; undefined for all, of which too deep ones are doubts
   */
  async list(folder: string, ending: string, depth?: number): Promise<readonly string[]> {
    const found: string[] = [];
    const known = new Set<string>();
    const search = async (place: string, rest: number): Promise<void> => {
      const real = await realpath(place).catch(() => place);
      if (known.has(real)) return; // a link to a folder around it
      known.add(real);
      for (const entry of await this.#entriesOf(place)) {
        const path = join(place, entry.name);
        if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path)))) {
          if (rest > 0) await search(path, rest - 1);
          else if (depth === undefined) this.#unreadable.push(place);
        } else if (entry.name.endsWith(ending)) {
          if (found.length < MOST_FILES) found.push(path);
          else this.#unreadable.push(place);
        }
      }
    };
    await search(folder, depth ?? DEEPEST);
    return found;
  }

  async #entriesOf(folder: string): Promise<readonly Dirent[]> {
    this.#watched.add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#unreadable.push(folder);
      return [];
    });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

/** A folder and those around it, the outermost first, up to one with `.git` or the root. */
export async function foldersUpTo(folder: string): Promise<readonly string[]> {
  const found = [folder];
  for (let at = folder; ; at = dirname(at)) {
    const isRoot = await readdir(at).then(
      (names) => names.includes('.git'),
      () => false,
    );
    if (isRoot || dirname(at) === at) return found;
    found.unshift(dirname(at));
  }
}

/** The values at the beginning of a Markdown file, between lines of `---`. */
export function frontMatter(text: string): Readonly<Record<string, unknown>> {
  const [, head = ''] = /^\ufeff?---[^\r\n]*\r?\n([^]*?)\r?\n---/.exec(text) ?? [];
  const document = parseDocument(head, { logLevel: 'silent' });
  if (document.errors.length === 0) return fieldsOf(attempt((): unknown => document.toJS()));
  // Assistants also read what is not YAML, such as a description with a colon in it.
  const lines = [...head.matchAll(/^[ \t]*["']?(\w+)["']?[ \t]*:(.*)$/gm)].map(([, name = '', value = '']) => {
    return [name, value.trim().replace(/^(["'])(.*)\1$/, '$2')] as const;
  });
  return Object.fromEntries(lines.filter(([, value]) => value !== ''));
}

function attempt<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
