// Opens a window of the desktop's VS Code with the extension of this folder and a development enclave:
// node scripts/vscode/develop.mjs EXECUTABLE. The debugger attaches to it (.vscode/launch.json). The window has settings,
// keys and a port of its own: a debugging session of type `extensionHost` would share those of the editor you work in.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endAll, keep, release } from '../children.mjs';
import { startEnclave } from '../enclave.mjs';

const ENCLAVE_PORT = 14120;
const PROXY_PORT = 14121;
const DEBUG_PORT = 14122; // also in .vscode/launch.json
const FOLDER = resolve('.cache', 'development');

const [executable] = process.argv.slice(2);
const { url } = await startEnclave(ENCLAVE_PORT);
const editor = spawn(executable, editorArguments(prepareFolders(url)), {
  stdio: 'ignore',
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON)_/.test(name))),
});
editor.once('error', (error) => {
  console.error(`VS Code could not be started: ${error.message}`);
  release(editor);
  void endAll(1);
});
editor.once('spawn', () => {
  console.log(`Development window opened. Its enclave is ${url}; enter dev-demo as the API key.`);
});
keep(editor);

/** Keeps the settings, the keys and the files of the last time. */
function prepareFolders(backendUrl) {
  const userData = join(FOLDER, 'user');
  const workspace = join(FOLDER, 'workspace');
  for (const folder of [join(userData, 'User'), workspace]) mkdirSync(folder, { recursive: true });
  const settings = join(userData, 'User', 'settings.json');
  if (!existsSync(settings)) {
    const values = { 'sealedProxy.backendUrl': backendUrl, 'sealedProxy.port': PROXY_PORT };
    writeFileSync(settings, `${JSON.stringify({ ...values, 'security.workspace.trust.enabled': false }, null, 2)}\n`);
  }
  return { userData, workspace };
}

function editorArguments({ userData, workspace }) {
  return [
    `--user-data-dir=${userData}`,
    `--extensions-dir=${join(FOLDER, 'extensions')}`,
    `--extensionDevelopmentPath=${process.cwd()}`,
    `--inspect-extensions=${DEBUG_PORT}`,
    '--skip-welcome',
    '--skip-release-notes',
    workspace,
  ];
}
