// Compares the same logical backend in one table. The rounds alternate between the columns, so that other load on the
// computer affects all of them.
import { writeFile } from 'node:fs/promises';
import type { Measured } from '../client.ts';
import { CHAT } from '../client.ts';
import type { CompareOptions } from '../options.ts';
import { startUpstream } from '../processes/upstreamProcess.ts';
import { ratioChart } from './chart.ts';
import { openColumns } from './columns.ts';
import type { Column, Entrance } from './columns.ts';
import type { Figures, Round } from './figures.ts';
import { handshakeTimes } from './handshake.ts';
import { GOALS, LIMITS, judge } from './limits.ts';
import {
  measureConversation,
  measureLatency,
  measureRequests,
  measureStart,
  measureStream,
  measureUpload,
} from './measure.ts';
import { printTable, printVerdicts } from './table.ts';

/** Prints the table. Returns false if a limit is missed by more than the noise. */
export async function compare(options: CompareOptions): Promise<boolean> {
  const upstream = await startUpstream();
  const columns = openColumns(upstream, options);
  const targets = new Map<Column, Measured>();
  for (const [column, entrance] of columns) targets.set(column, await open(entrance));
  const rounds: Round[] = [];
  for (let count = 0; count <= options.rounds; count++) {
    const round: Partial<Record<Column, Figures>> = {};
    for (const [column, entrance] of columns) {
      const target = targets.get(column);
      if (target !== undefined) round[column] = await measure(target, entrance);
    }
    if (count > 0) rounds.push(round); // the first round warms up
  }
  const handshakeMs = await handshakeTimes(upstream.enclave);
  for (const { process } of targets.values()) await process?.stop();
  await upstream.stop();

  printTable(rounds, [...columns.keys()], { node: options.node, handshakeMs });
  const limits = LIMITS.map((limit) => judge(limit, rounds));
  printVerdicts('Limits', limits);
  if (options.peer !== undefined) {
    printVerdicts(
      'Goals, compared with native',
      GOALS.map((goal) => judge(goal, rounds)),
    );
  }
  if (options.chart !== undefined) await writeFile(options.chart, ratioChart(rounds));
  return limits.every(({ verdict }) => verdict !== 'MISSED');
}

async function measure(target: Measured, entrance: Entrance): Promise<Figures> {
  return {
    ...(await measureRequests(target)),
    ...(await measureLatency(target)),
    ...(await measureStream(target, 1, 'burst')),
    ...(await measureStream(target, 16, 'burst')),
    ...(await measureStream(target, 1, 'paced')),
    ...(await measureStream(target, 16, 'paced')),
    ...(await measureStream(target, 64, 'paced')),
    ...(await measureFresh(entrance, measureConversation)),
    ...(target.api === CHAT && (await measureFresh(entrance, measureUpload))),
    ...(await measureStart(entrance)),
  };
}

async function open({ url, api, start }: Entrance): Promise<Measured> {
  const process = await start();
  return { url: process?.url ?? url, api, process };
}

/** Measures a new process, since the memory of a used one has already grown. */
async function measureFresh(entrance: Entrance, measureIt: (target: Measured) => Promise<Figures>): Promise<Figures> {
  const target = await open(entrance);
  try {
    return await measureIt(target);
  } finally {
    await target.process?.stop();
  }
}
