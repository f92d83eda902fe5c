// Texts for users, each kind in one file that a reviewer has read.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { VERSION } from '../../src/shared/version.ts';
import { fromRoot } from './e2e/process.ts';
import { AT } from './statuses.ts';

/**
 * Compares a text with the file at `path`. To approve changes, run the test with APPROVE=1, which writes the file, and read
 * the difference.
 */
export function assertApproved(path: string, text: string): void {
  const file = fromRoot(path);
  if (process.env['APPROVE'] === '1') writeFileSync(file, text);
  const approved = existsSync(file) ? readFileSync(file, 'utf8') : '';
  assert.equal(text, approved, `${path} has another text. If the new one is right, run this test with APPROVE=1.`);
}

/** In seconds from `AT`: the times in the samples of statuses. */
const OFFSETS = [0, -1, 4, 5, 20, 3600];

/** The same on every computer and in every version: times in UTC, and no version of the product. */
export function independent(text: string): string {
  const times = OFFSETS.map((offset) => new Date(AT + offset * 1000));
  const inUtc = times.flatMap((time) => [
    [time.toLocaleString(), time.toISOString().slice(0, 19).replace('T', ' ')] as const,
    [time.toLocaleTimeString(), time.toISOString().slice(11, 19)] as const,
  ]);
  // The longest first: one may be part of another.
  const sorted = inUtc.toSorted(([one], [other]) => other.length - one.length);
  return sorted.reduce((shown, [local, utc]) => shown.replaceAll(local, utc), text).replaceAll(VERSION, 'VERSION');
}
