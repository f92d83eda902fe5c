// Looks for commands of the user. The editor's PATH may be older or shorter than that of a terminal: an installer has changed
// it since, or only the shell's own configuration does.
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export interface CommandPlaces {
  /** The user's home folder. */
  readonly home: string;
  /** PATH */
  readonly path: string | undefined;
  readonly isWindows: boolean;
}

/** Where installers and package managers put commands, in the home folder. */
const FOLDERS = [
  '.local/bin',
  'bin',
  '.npm-global/bin',
  '.bun/bin',
  '.volta/bin',
  '.local/share/pnpm',
  'Library/pnpm',
  'AppData/Roaming/npm',
];
/** It has a folder for each version of Node. */
const NVM = '.nvm/versions/node';

/** Whether the command is in a folder of PATH, or in one of those that shells add to it. */
export async function hasCommand(name: string, { home, path = '', isWindows }: CommandPlaces): Promise<boolean> {
  const versions = await readdir(join(home, NVM)).catch(() => []);
  const folders = [
    ...path.split(delimiter).filter((folder) => folder !== ''),
    ...[...FOLDERS, ...versions.map((version) => join(NVM, version, 'bin'))].map((folder) => join(home, folder)),
  ];
  const endings = isWindows ? ['.exe', '.cmd'] : [''];
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`)));
  return (await Promise.all(files.map(exists))).includes(true);
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
