// Installs the assistants that the tests run, each release into a folder of its own. Together they take more than a
// gigabyte, so they are not dependencies of the project: each is installed when it is first needed, and kept.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromNpm, fromPyPi, installOnce } from '../packages.mjs';

const FOLDER = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'assistants');
const PACKAGES = JSON.parse(readFileSync(new URL('packages.json', import.meta.url), 'utf8'));

/**
 * Installs what is missing.
 * @param {{ python: boolean }} options `python`: also the programs in Python, which need python3 and its venv
 * @returns {Record<string, { package: string, folder: string, missing?: string }>} by the assistant's id; `missing` is a
 *   sentence that gives the reason why it cannot run here
 */
export function installAssistants({ python }) {
  const all = [
    ...Object.entries(PACKAGES.npm).map(([id, packages]) => [id, install(packages, fromNpm)]),
    ...Object.entries(python ? PACKAGES.python : {}).map(([id, packages]) => [id, install(packages, fromPyPi)]),
  ];
  return Object.fromEntries(all);
}

function install(packages, from) {
  const [name] = packages;
  const folder = join(FOLDER, name);
  const reason = installOnce(folder, packages, from);
  const installed = { package: name, folder };
  return reason === undefined ? installed : { ...installed, missing: `${name} could not be installed: ${reason}` };
}
