// Chooses the VS Code for the tests: the desktop's if there is a display, otherwise code-server in a headless browser.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { installCodeServer } from './install.mjs';

/** How long to wait for the download server, in milliseconds. */
const QUICK = 5000;

/**
 * @throws Error with one sentence that names what to install
 * @returns {Promise<import('../../test/support/vscode/testTarget.ts').TestTarget & { name: string }>}
 */
export async function chooseTestTarget() {
  const named = process.env.VSCODE_PATH;
  if (named !== undefined && !existsSync(named)) throw new Error(`VSCODE_PATH is ${named}, but there is no such file.`);
  const executable = named ?? (hasDisplay() ? await download() : undefined);
  if (executable !== undefined) return { kind: 'desktop', executable, name: `desktop, ${executable}` };
  const { server, browser } = installCodeServer();
  return { kind: 'server', server, browser, name: `code-server in ${browser}` };
}

function hasDisplay() {
  return process.platform !== 'linux' || process.env.DISPLAY !== undefined;
}

/** The path of the latest VS Code, or undefined if it cannot be downloaded. */
async function download() {
  try {
    await fetch('https://update.code.visualstudio.com/api/releases/stable', { signal: AbortSignal.timeout(QUICK) });
    const reporter = { report: () => undefined, error: () => undefined };
    return await downloadAndUnzipVSCode({ cachePath: join('.cache', 'vscode-desktop'), reporter });
  } catch {
    return undefined;
  }
}
