// Which VS Code the tests run in: the desktop's, where there is one, or code-server in a headless browser.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { installCodeServer } from './install.mjs';

const QUICK = 5000;

/**
 * @throws Error with one sentence: there is no VS Code to be had, and what would have to be installed
 * @returns {Promise<import('../../test/support/vscode/testTarget.ts').TestTarget & { name: string }>}
 */
export async function chooseTestTarget() {
  const named = process.env.VSCODE_PATH;
  if (named !== undefined && !existsSync(named)) throw new Error(`VSCODE_PATH names ${named}, which is not there.`);
  const executable = named ?? (hasDisplay() ? await download() : undefined);
  if (executable !== undefined) return { kind: 'desktop', executable, name: `the desktop's, ${executable}` };
  const { server, browser } = installCodeServer();
  return { kind: 'server', server, browser, name: `code-server in ${browser}` };
}

/** The desktop's VS Code draws windows. */
function hasDisplay() {
  return process.platform !== 'linux' || process.env.DISPLAY !== undefined;
}

/** The path of the latest VS Code, or undefined where it cannot be had. */
async function download() {
  try {
    await fetch('https://update.code.visualstudio.com/api/releases/stable', { signal: AbortSignal.timeout(QUICK) });
    const reporter = { report: () => undefined, error: () => undefined };
    return await downloadAndUnzipVSCode({ cachePath: join('.cache', 'vscode-desktop'), reporter });
  } catch {
    return undefined;
  }
}
