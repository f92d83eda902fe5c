// What the soak has found: the goals, and a report with charts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoryChart } from '../memory/memoryChart.ts';
import { lineChart } from './chart.ts';
import type { Ended, Fate } from './clients.ts';
import type { Disturbances } from './disturbances.ts';

/** What a proxy holds at one time. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly pid: number;
  /** Resident, in bytes. */
  readonly memory: number;
  readonly sockets: number;
  readonly timers: number;
}

export interface SoakRun {
  /** When the load began, as `performance.now()`. */
  readonly begin: number;
  /** Of the load, in milliseconds since 1970. */
  readonly beginTime: number;
  readonly endTime: number;
  readonly requests: readonly Ended[];
  readonly disturbances: Disturbances;
  readonly handshakes: number;
  /** Of the proxy that never ends. */
  readonly steadyPid: number;
  readonly samples: readonly Sample[];
}

interface Finding {
  readonly text: string;
  readonly isReached: boolean;
}

const MIB = 1024 * 1024;
/** How long the memory of a process grows until it has run everything, in milliseconds. */
const WARM_UP = 60_000;
/** Of the memory in the last tenth, above that in the first one. */
const MOST_GROWTH = { factor: 1.1, mebibytes: 10 };
/** Of the memory under load: the line in the chart. */
const MOST_MEMORY = 160;
const FATES: readonly Fate[] = ['complete', 'cancelled', 'refused', 'broken', 'unreachable', 'wrong', 'hangs'];
const MOST_LISTED = 500;

export function judgeSoak(run: SoakRun): readonly Finding[] {
  const { requests } = run;
  const lost = lostIn(run);
  const warm = run.beginTime + Math.min(WARM_UP, (run.endTime - run.beginTime) / 4);
  const during = steadySamples(run).filter(({ time }) => time >= warm && time <= run.endTime);
  const tenth = Math.max(1, Math.floor(during.length / 10));
  const [first, last] = [during.slice(0, tenth), during.slice(-tenth)].map((part) => mean(part.map(memoryOf)));
  const most = (first ?? 0) * MOST_GROWTH.factor + MOST_GROWTH.mebibytes;
  const before = steadySamples(run).findLast(({ time }) => time < run.beginTime);
  const after = steadySamples(run).at(-1);
  const held = (['sockets', 'timers'] as const).map((name): Finding => {
    const [then, now] = [before?.[name] ?? 0, after?.[name] ?? NaN];
    return { text: `${name}: ${then} before the load, ${now} after it`, isReached: now <= then };
  });
  return [
    {
      text: `requests: ${requests.length}, of which ${lost.length} were lost without a reason`,
      isReached: requests.length > 0 && lost.length === 0,
    },
    {
      text: `memory: ${first?.toFixed(1)} MiB in the first tenth, ${last?.toFixed(1)} MiB in the last one`,
      isReached: (last ?? NaN) <= most,
    },
    ...held,
  ];
}

function lostIn({ requests, disturbances }: SoakRun): readonly Ended[] {
  return requests.filter((ended) => !disturbances.explain(ended));
}

function steadySamples({ samples, steadyPid }: SoakRun): readonly Sample[] {
  return samples.filter(({ pid }) => pid === steadyPid);
}

function memoryOf({ memory }: Sample): number {
  return memory / MIB;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Writes report.md and its charts. */
export function writeReport(folder: string, run: SoakRun, findings: readonly Finding[]): void {
  const { requests, begin, beginTime, endTime, disturbances, handshakes } = run;
  const samples = steadySamples(run);
  const start = samples[0]?.time ?? beginTime;
  const [from, to] = [beginTime, endTime].map((time) => Math.round((time - start) / 1000)) as [number, number];
  const marks = disturbances.all.map((one) => (one.from - begin) / 1000);
  const seconds = Math.ceil((endTime - beginTime) / 1000);
  const perSecond = (fates: readonly Fate[]) => {
    const counts = Array<number>(seconds).fill(0);
    for (const { ended, fate } of requests) {
      const second = Math.floor((ended - begin) / 1000);
      if (fates.includes(fate) && second < seconds) counts[second] = (counts[second] ?? 0) + 1;
    }
    return counts;
  };
  const charts = {
    'requests.svg': lineChart(
      'Requests in each second',
      'Blue: complete. Orange: refused, broken or unreachable. Lines: disturbances.',
      [
        { values: perSecond(['complete']), style: 'curve' },
        { values: perSecond(['refused', 'broken', 'unreachable', 'wrong', 'hangs']), style: 'limit' },
      ],
      marks,
    ),
    'memory.svg': memoryChart({ samples: samples.map(memoryOf), from, to, most: MOST_MEMORY }),
    'held.svg': lineChart('Sockets and timers of the proxy that is not killed', 'Blue: sockets. Orange: timers.', [
      { values: samples.map(({ sockets }) => sockets), style: 'curve' },
      { values: samples.map(({ timers }) => timers), style: 'limit' },
    ]),
  };
  for (const [name, svg] of Object.entries(charts)) writeFileSync(join(folder, name), svg);
  const lost = lostIn(run);
  const lines = [
    '# Soak',
    '',
    `${Math.round(seconds / 6) / 10} minutes of load on three proxies and one enclave, ${disturbances.all.length} disturbances, ${handshakes} handshakes.`,
    '',
    ...findings.map(({ text, isReached }) => `- ${isReached ? 'reached' : '**missed**'}: ${text}`),
    '',
    ...table('Proxy', requests, ({ proxy }) => proxy),
    ...table('Kind', requests, ({ kind }) => kind),
    '| Disturbance | times | longest, s |',
    '| --- | ---: | ---: |',
    ...[...Map.groupBy(disturbances.all, ({ what }) => what)].map(
      ([what, all]) =>
        `| ${what} | ${all.length} | ${(Math.max(...all.map(({ from: a, to: b }) => b - a)) / 1000).toFixed(1)} |`,
    ),
    '',
    ...Object.keys(charts).map((name) => `![${name}](${name})\n`),
    ...(lost.length === 0 ? [] : ['## Lost without a reason', '']),
    ...lost.slice(0, MOST_LISTED).map((one) => {
      const at = ((one.began - begin) / 1000).toFixed(1);
      const took = ((one.ended - one.began) / 1000).toFixed(1);
      return `- ${at} s, ${took} s long, ${one.proxy}, ${one.kind}: ${one.fate}, ${JSON.stringify(one.details)}`;
    }),
  ];
  writeFileSync(join(folder, 'report.md'), `${lines.join('\n')}\n`);
}

function table(title: string, requests: readonly Ended[], nameOf: (ended: Ended) => string): string[] {
  const rows = [...Map.groupBy(requests, nameOf)].map(([name, all]) => {
    const counts = FATES.map((fate) => all.filter((one) => one.fate === fate).length);
    return `| ${name} | ${counts.join(' | ')} |`;
  });
  return [`| ${title} | ${FATES.join(' | ')} |`, `| --- |${' ---: |'.repeat(FATES.length)}`, ...rows, ''];
}
