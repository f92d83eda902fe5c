// npm run soak -- [--minutes N] [--folder PATH]
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';
import type { SoakOptions } from './soak.ts';

const USAGE = `Usage: npm run soak -- [--minutes N] [--folder PATH]
  --minutes N    how long there is load (default: 10); two minutes are added
  --folder PATH  for the report (default: a new temporary folder)`;

/** @throws Error with a sentence for the user */
function readOptions(): SoakOptions {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, folder: { type: 'string' } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');
  return { minutes, folder: resolve(values.folder ?? mkdtempSync(join(tmpdir(), 'sealed-proxy-soak-'))) };
}

function tryOptions(): SoakOptions | undefined {
  try {
    return readOptions();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

const options = tryOptions();
// Clients that were cut off may leave sockets behind.
process.exit(options === undefined ? 2 : (await soak(options)) ? 0 : 1);
