// `sealed-proxy --version --verbose`: what a program was built from, and the hashes of what is installed.
import { dirname, join } from 'node:path';
import { COMMIT, VERSION, installedPrograms } from '../../shared/version.ts';
import { readLimited } from './commandLineFiles.ts';
import { EXIT } from './exit.ts';

/** Far more than any of the programs has, in bytes. */
const LARGEST_PROGRAM = 4 * 1024 * 1024;

/**
 * Prints the version, the commit and the hashes of the programs in the folder of `mainFile`. `sha256sum --check` reads these.
 * @param mainFile as in `ServiceOptions`
 */
export async function printBuild(mainFile: string): Promise<number> {
  const folder = dirname(mainFile);
  const programs = await installedPrograms((name) =>
    readLimited(join(folder, name), LARGEST_PROGRAM).catch(() => undefined),
  );
  const lines = [
    `sealed-proxy ${VERSION}`,
    `commit ${COMMIT}`,
    ...programs.map(({ name, sha256 }) => `${sha256}  ${name}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.ok;
}
