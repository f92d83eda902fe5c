// The releases that are installed, as scripts/assistants/install.mjs has found them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { note } from './table.ts';

interface Release {
  readonly package: string;
  readonly folder: string;
  /** Why it cannot run here. */
  readonly missing?: string;
}

const INSTALLED = JSON.parse(process.env['ASSISTANTS_INSTALLED'] ?? '{}') as Readonly<Record<string, Release>>;

/** Notes package and version; of curl, which the system brings, its own words. */
export function noteRelease(name: string, id: string): void {
  const version = id === 'curl' ? spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout : undefined;
  note(name, 'release', version?.split(' ', 2).join(' ') ?? INSTALLED[id]?.package ?? 'not installed');
}

/** Whether its tests were asked for. */
export function isWanted(id: string): boolean {
  return id in INSTALLED;
}

/** Where an assistant is installed. */
export function folderOf(id: string): string {
  const release = INSTALLED[id];
  assert.ok(release, 'Run these tests by: npm run test:assistants');
  assert.ok(release.missing === undefined, release.missing);
  return release.folder;
}

/** Its node_modules. */
export function modulesOf(id: string): string {
  return join(folderOf(id), 'node_modules');
}
