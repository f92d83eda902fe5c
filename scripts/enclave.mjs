// Starts the development enclave for other scripts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { keep } from './children.mjs';

/**
 * @param {number} port 0 for any free one
 * @returns {Promise<{ child: import('node:child_process').ChildProcess, url: string }>} once it listens
 */
export async function startEnclave(port = 0) {
  const child = spawn(process.execPath, ['dist/dev-enclave.js', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  keep(child, 'development enclave');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: line.replace('enclave listening on ', '') };
}
