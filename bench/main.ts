// Compares the same logical backend in one table: direct, through a bare relay, through the sealed proxy, and through the
// sealed proxy without native ChaCha20-Poly1305. The rounds alternate, so that other load on the computer affects all of
// them. The table shows medians; only the ratios can be compared between computers. BENCH_ROUNDS sets the rounds.
import { fileURLToPath } from 'node:url';
import { handshakeTimes } from './handshake.ts';
import { measureLatency, measureRequests, measureStream, measureUpload } from './measure.ts';
import type { Figures, Measured } from './measure.ts';
import { printTable } from './table.ts';
import type { Column } from './table.ts';
import { Target } from './target.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

async function main(): Promise<void> {
  const upstream = await Target.start(here('upstream.ts'));
  const [plain = '', enclave = ''] = upstream.line.match(/http:\S+/g) ?? [];
  const proxy = here('../dist/proxy.js');
  const settings = { PROXY_PORT: '0', PROXY_BACKEND_URL: enclave, PROXY_LOG_LEVEL: 'warn' };
  const programs: Record<Column, () => Promise<Target | undefined>> = {
    direct: () => Promise.resolve(undefined),
    bare: () => Target.start(here('bareRelay.ts'), [plain]),
    sealed: () => Target.start(proxy, [], settings),
    pure: () => Target.start(proxy, [], settings, [here('../test/support/boringssl.mjs')]),
  };
  const columns = Object.keys(programs) as Column[];
  const targets = new Map<Column, Measured>();
  for (const column of columns) targets.set(column, asMeasured(await programs[column](), plain));
  const rounds: Record<Column, Figures[]> = { direct: [], bare: [], sealed: [], pure: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [column, target] of targets) {
      const figures = {
        ...(await measureRequests(target)),
        ...(await measureLatency(target)),
        ...(await measureStream(target, 1, 'burst')),
        ...(await measureStream(target, 16, 'burst')),
        ...(await measureStream(target, 1, 'paced')),
        ...(await measureStream(target, 16, 'paced')),
        ...(await measureFresh(() => programs[column](), plain)),
      };
      if (round > 0) rounds[column].push(figures); // the first round warms up
    }
  }
  printTable(rounds, await handshakeTimes(enclave));
  for (const { process } of targets.values()) await process?.stop();
  await upstream.stop();
}

/** Measures a new process, since the memory of a used one has already grown. */
async function measureFresh(start: () => Promise<Target | undefined>, plain: string): Promise<Figures> {
  const target = asMeasured(await start(), plain);
  try {
    return await measureUpload(target);
  } finally {
    await target.process?.stop();
  }
}

function asMeasured(process: Target | undefined, plain: string): Measured {
  return { url: process?.url ?? plain, process };
}

await main();
