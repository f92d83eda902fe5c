// Installs what the verifier in test/evidence needs, and prints the path of the Python that has it as the last line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromPyPi, installOnce, pythonIn } from './packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.cache', 'python');
const packages = readFileSync(join(root, 'test', 'evidence', 'requirements.txt'), 'utf8')
  .trim()
  .split('\n');
const reason = installOnce(folder, packages, fromPyPi);
if (reason === undefined) console.log(pythonIn(folder));
else console.error(`The verifier in Python cannot be installed: ${reason}`);
process.exitCode = reason === undefined ? 0 : 1;
