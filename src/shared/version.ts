/** The version of the product, the same as in package.json. */
export const VERSION = '0.8.0';

/** Set by esbuild.mjs; not defined where the sources run as they are. */
declare const BUILD_COMMIT: string | undefined;

/** The commit that the program was built from, with `+changes` if its files were changed; `unknown` outside a clone. */
export const COMMIT = typeof BUILD_COMMIT === 'undefined' ? 'unknown' : BUILD_COMMIT;

/** Positive if version `one` is newer than `other`, negative if it is older, 0 if neither. Only X.Y.Z counts. */
export function compareVersions(one: string, other: string): number {
  const left = partsOf(one);
  const right = partsOf(other);
  const index = left.findIndex((part, at) => part !== right[at]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

/** Always three numbers. */
function partsOf(version: string): readonly number[] {
  const [, ...parts] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version) ?? [];
  return [0, 1, 2].map((index) => Number(parts[index] ?? 0));
}

/** The files of the product that contain code, by their names in `dist`. Not every package has all of them. */
const PROGRAMS = ['dashboard.css', 'dashboard.js', 'extension.cjs', 'proxy.js', 'uninstall.js'];

export interface InstalledProgram {
  readonly name: string;
  /** In hex. */
  readonly sha256: string;
}

/**
 * The programs that are installed, as they are on the disk now.
 * @param read the content of the file with this name; undefined if it does not exist or cannot be read
 */
export async function installedPrograms(
  read: (name: string) => Promise<Uint8Array | undefined>,
): Promise<readonly InstalledProgram[]> {
  const programs = await Promise.all(PROGRAMS.map(async (name) => ({ name, content: await read(name) })));
  const found = programs.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]));
  return Promise.all(
    found.map(async ({ name, content }) => {
      const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(content));
      return { name, sha256: Buffer.from(digest).toString('hex') };
    }),
  );
}
