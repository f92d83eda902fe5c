// One run, one table: the same logical backend straight, through a bare relay, through the sealed proxy, and through
// the sealed proxy on a runtime without native ChaCha20-Poly1305. Rounds take turns, so that what disturbs the machine
// disturbs all of them; the table has the medians. Ratios count, absolute times are this machine's.
import { fileURLToPath } from 'node:url';
import { handshakeTimes } from './handshake.ts';
import { measureLatency, measureRequests, measureStream, measureUpload } from './measure.ts';
import type { Figures } from './measure.ts';
import { printTable } from './table.ts';
import { Target } from './target.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

async function main(): Promise<void> {
  const upstream = await Target.start('upstream', here('upstream.ts'));
  const [plain = '', enclave = ''] = upstream.url.match(/http:\S+/g) ?? [];
  const proxy = here('../dist/proxy.js');
  const settings = { PROXY_PORT: '0', PROXY_BACKEND_URL: enclave, PROXY_LOG_LEVEL: 'warn' };
  const targets = {
    straight: { url: plain, process: undefined },
    bare: started(await Target.start('bare', here('bareRelay.ts'), [plain])),
    sealed: started(await Target.start('sealed', proxy, [], settings)),
    pure: started(await Target.start('pure', proxy, [], settings, [here('../test/support/boringssl.mjs')])),
  };
  const rounds: Record<keyof typeof targets, Figures[]> = { straight: [], bare: [], sealed: [], pure: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, target] of Object.entries(targets) as [keyof typeof targets, Measured][]) {
      const figures = {
        ...(await measureRequests(target)),
        ...(await measureLatency(target)),
        ...(await measureStream(target, 1, 'burst')),
        ...(await measureStream(target, 16, 'burst')),
        ...(await measureStream(target, 1, 'paced')),
        ...(await measureStream(target, 16, 'paced')),
        ...(await measureUpload(target)),
      };
      if (round > 0) rounds[name].push(figures); // the first round warms up
    }
  }
  printTable(rounds, await handshakeTimes(enclave));
  for (const target of [targets.bare, targets.sealed, targets.pure]) await target.process.stop();
  await upstream.stop();
}

export interface Measured {
  readonly url: string;
  readonly process: Target | undefined;
}

function started(process: Target): { url: string; process: Target } {
  return { url: /http:\S+/.exec(process.url)?.[0] ?? '', process };
}

await main();
