// What the sealed proxy must reach, and what it should reach in comparison with native code.
import { figureOf, ratioOf, summarize } from './figures.ts';
import type { Formula, Round, Summary } from './figures.ts';

export interface Limit {
  readonly name: string;
  readonly most: number;
  readonly of: Formula;
  /** The row of the table, if it is the ratio of one to the bare relay or to native. */
  readonly row?: string;
}

/** `within noise`: worse than the limit, but not by more than the noise. */
export type Verdict = 'reached' | 'within noise' | 'MISSED';

export interface Judged extends Summary {
  readonly name: string;
  readonly most: number;
  readonly verdict: Verdict;
}

const MEDIAN = 'median ms, 1 connection';

const added: (column: 'bare' | 'sealed' | 'native') => Formula = (column) => (round) =>
  figureOf(column, MEDIAN)(round) - figureOf('direct', MEDIAN)(round);

/** What the relay adds to the median of the backend contacted directly, in milliseconds. */
export const ADDED_MEDIAN = { bare: added('bare'), sealed: added('sealed'), native: added('native') };

/** Relative to the bare relay or to the relayed API, or absolute. */
export const LIMITS: readonly Limit[] = [
  ratio('CPU per small request, times the bare relay', 2.5, 'bare', 'CPU us/request, 16 connections'),
  ratio('CPU per streamed record, times the bare relay per chunk', 2, 'bare', 'CPU us/record, 16 streams, paced'),
  {
    name: 'added median, times the bare relay',
    most: 2.5,
    of: (round) => ADDED_MEDIAN.sealed(round) / ADDED_MEDIAN.bare(round),
  },
  {
    name: 'peak MiB above idle for one 50 MiB upload',
    most: 120,
    of: figureOf('sealed', 'upload: peak MiB above idle'),
  },
  { name: 'longest pause of the event loop, ms', most: 50, of: figureOf('sealed', 'upload: longest pause ms') },
  { name: 'the same as in Electron, ms', most: 50, of: figureOf('electron', 'upload: longest pause ms') },
  ...limitsOf('messages'),
  ...limitsOf('responses'),
];

function limitsOf(dialect: 'messages' | 'responses'): readonly Limit[] {
  const firstByte = 'time to first byte ms';
  return [
    {
      name: `${dialect}: CPU per streamed token, times a relayed one`,
      most: 2,
      of: ratioOf(dialect, 'sealed', 'CPU us/record, 16 streams, paced'),
    },
    {
      name: `${dialect}: added time to first byte, ms`,
      most: 1,
      of: (round) => figureOf(dialect, firstByte)(round) - figureOf('sealed', firstByte)(round),
    },
    {
      name: `${dialect}: longest pause for 8 MiB, ms`,
      most: 50,
      of: figureOf(dialect, 'conversation: longest pause ms'),
    },
    {
      name: `${dialect}: peak MiB above idle for 8 MiB`,
      most: 120,
      of: figureOf(dialect, 'conversation: peak MiB above idle'),
    },
  ];
}

/** With a peer. Ratios to it where both do the same work, absolute where it does not set the standard. */
export const GOALS: readonly Limit[] = [
  timesNative('CPU us/request, 16 connections', 0.8),
  timesNative('CPU us/request, 1 connection', 0.6),
  timesNative('CPU us/record, 1 stream, burst', 0.6),
  timesNative('CPU us/record, 16 streams, burst', 0.6),
  timesNative('CPU us/record, 16 streams, paced', 1.15),
  timesNative('CPU us/record, 64 streams, paced', 1.15),
  { name: 'added median, ms', most: 0.35, of: ADDED_MEDIAN.sealed },
  ...[
    ['first request after the start ms', 15] as const,
    ['start to listening ms', 100] as const,
    ['upload: peak MiB above idle', 50] as const,
    ['idle MiB', 65] as const,
  ].map(([name, most]) => ({ name, most, of: figureOf('sealed', name) })),
];

function timesNative(row: string, most: number): Limit {
  return ratio(`${row}, times native`, most, 'native', row);
}

function ratio(name: string, most: number, base: 'bare' | 'native', row: string): Limit {
  return { name, most, row, of: ratioOf('sealed', base, row) };
}

/** A limit of a figure that was not measured is missed. */
export function judge({ name, most, of }: Limit, rounds: readonly Round[]): Judged {
  const { value, noise } = summarize(rounds, of);
  const verdict = value <= most ? 'reached' : value - noise <= most ? 'within noise' : 'MISSED';
  return { name, most, value, noise, verdict };
}
