// The installed releases, as scripts/assistants/install.mjs reports them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { note } from './table.ts';

interface Release {
  readonly package: string;
  readonly folder: string;
  /** Why it cannot run on this computer. */
  readonly missing?: string;
}

const INSTALLED = JSON.parse(process.env['ASSISTANTS_INSTALLED'] ?? '{}') as Readonly<Record<string, Release>>;

/** Notes the package and its version. curl belongs to the system and reports its own version. */
export function noteRelease(name: string, id: string): void {
  const version = id === 'curl' ? spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout : undefined;
  note(name, 'release', version?.split(' ', 2).join(' ') ?? INSTALLED[id]?.package ?? 'not installed');
}

/** Whether its tests should run. */
export function isRequested(id: string): boolean {
  return id in INSTALLED;
}

/** The folder in which an assistant is installed. */
export function folderOf(id: string): string {
  const release = INSTALLED[id];
  assert.ok(release, 'Run these tests with: npm run test:assistants');
  assert.ok(release.missing === undefined, release.missing);
  return release.folder;
}

/** The assistant's node_modules. */
export function modulesOf(id: string): string {
  return join(folderOf(id), 'node_modules');
}
