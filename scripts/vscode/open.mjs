// Opens a real VS Code in the browser, with the packed extension installed and configured for a development enclave.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { installCodeServer } from './install.mjs';

const FOLDER = join('.cache', 'vscode-demo');

/**
 * @param {string} backendUrl the address of the development enclave
 * @returns {Promise<{ url: string, stop: () => void }>} the address to open in the browser
 */
export async function openEditor(backendUrl) {
  const { server } = installCodeServer();
  const vsix = join(FOLDER, 'sealed-proxy.vsix');
  const userData = join(FOLDER, 'user');
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(join(FOLDER, 'workspace'), { recursive: true });
  for (const place of ['User', 'Machine']) {
    mkdirSync(join(userData, place), { recursive: true });
    writeFileSync(join(userData, place, 'settings.json'), JSON.stringify({ 'sealedProxy.backendUrl': backendUrl }));
  }
  run(['scripts/package.mjs', vsix]);
  const folders = ['--extensions-dir', join(FOLDER, 'extensions'), '--server-data-dir', join(FOLDER, 'server')];
  run([server, '--install-extension', vsix, ...folders, '--accept-server-license-terms']);

  const port = String(await freePort());
  const listen = ['--host', '127.0.0.1', '--port', port, '--without-connection-token', '--accept-server-license-terms'];
  const child = spawn(process.execPath, [server, ...listen, '--user-data-dir', userData, ...folders], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const text of child.stdout) if (String(text).includes('Extension host agent listening')) break;
  child.stdout.resume();
  const workspace = encodeURIComponent(join(process.cwd(), FOLDER, 'workspace'));
  return { url: `http://127.0.0.1:${port}/?folder=${workspace}`, stop: () => child.kill() };
}

function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args[0]} failed: ${stderr || stdout}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
