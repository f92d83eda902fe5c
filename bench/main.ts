// Compares the same logical backend in one table: direct, through a bare relay, through the sealed proxy, through the sealed
// proxy without native ChaCha20-Poly1305, and through the translators of its two dialects. The rounds alternate, so that other load on the computer affects all of
// them. The table shows medians; only the ratios can be compared between computers. BENCH_ROUNDS sets the rounds.
import { fileURLToPath } from 'node:url';
import { handshakeTimes } from './handshake.ts';
import {
  CHAT,
  MESSAGES,
  RESPONSES,
  measureConversation,
  measureLatency,
  measureRequests,
  measureStream,
  measureUpload,
} from './measure.ts';
import type { Api, Figures, Measured } from './measure.ts';
import { COLUMNS, printTable } from './table.ts';
import type { Column } from './table.ts';
import { Target } from './target.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

async function main(): Promise<void> {
  const upstream = await Target.start(here('upstream.ts'));
  const [plain = '', enclave = ''] = upstream.line.match(/http:\S+/g) ?? [];
  const proxy = here('../dist/proxy.js');
  const settings = { PROXY_PORT: '0', PROXY_BACKEND_URL: enclave, PROXY_LOG_LEVEL: 'warn' };
  const sealed = () => Target.start(proxy, [], settings);
  const columns: Record<Column, { readonly api: Api; readonly start: () => Promise<Target | undefined> }> = {
    direct: { api: CHAT, start: () => Promise.resolve(undefined) },
    bare: { api: CHAT, start: () => Target.start(here('bareRelay.ts'), [plain]) },
    sealed: { api: CHAT, start: sealed },
    pure: { api: CHAT, start: () => Target.start(proxy, [], settings, [here('../test/support/boringssl.mjs')]) },
    messages: { api: MESSAGES, start: sealed },
    responses: { api: RESPONSES, start: sealed },
  };
  const open = async (column: Column): Promise<Measured> => {
    const { api, start } = columns[column];
    const process = await start();
    return { url: process?.url ?? plain, api, process };
  };
  const targets = new Map<Column, Measured>();
  for (const column of COLUMNS) targets.set(column, await open(column));
  const rounds: Record<Column, Figures[]> = {
    direct: [],
    bare: [],
    sealed: [],
    pure: [],
    messages: [],
    responses: [],
  };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [column, target] of targets) {
      const figures = {
        ...(await measureRequests(target)),
        ...(await measureLatency(target)),
        ...(await measureStream(target, 1, 'burst')),
        ...(await measureStream(target, 16, 'burst')),
        ...(await measureStream(target, 1, 'paced')),
        ...(await measureStream(target, 16, 'paced')),
        ...(await measureFresh(() => open(column), measureConversation)),
        ...(target.api === CHAT && (await measureFresh(() => open(column), measureUpload))),
      };
      if (round > 0) rounds[column].push(figures); // the first round warms up
    }
  }
  printTable(rounds, await handshakeTimes(enclave));
  for (const { process } of targets.values()) await process?.stop();
  await upstream.stop();
}

/** Measures a new process, since the memory of a used one has already grown. */
async function measureFresh(
  open: () => Promise<Measured>,
  measure: (target: Measured) => Promise<Figures>,
): Promise<Figures> {
  const target = await open();
  try {
    return await measure(target);
  } finally {
    await target.process?.stop();
  }
}

await main();
