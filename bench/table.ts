import { median } from './measure.ts';
import type { Figures } from './measure.ts';

export const COLUMNS = ['direct', 'bare', 'sealed', 'pure', 'messages', 'responses'] as const;
export type Column = (typeof COLUMNS)[number];
type Medians = Readonly<Record<Column, ReadonlyMap<string, number>>>;

/** Its text, the highest figure, and the measured one. */
type Limit = readonly [string, number, (medians: Medians) => number];

/** The upper limits of the sealed proxy: relative to the bare relay or to the relayed API, or absolute. */
const LIMITS: readonly Limit[] = [
  ['CPU per small request, times the bare relay', 2.5, ratio('CPU us/request, 16 connections')],
  ['CPU per streamed record, times the bare relay per chunk', 2, ratio('CPU us/record, 16 streams, paced')],
  ['added median, times the bare relay', 2.5, addedMedian],
  ['peak MiB above idle for one 50 MiB upload', 120, ({ sealed }) => figure(sealed, 'upload: peak MiB above idle')],
  ['longest pause of the event loop, ms', 50, ({ sealed }) => figure(sealed, 'upload: longest pause ms')],
  ['the same with the pure JavaScript AEAD, ms', 50, ({ pure }) => figure(pure, 'upload: longest pause ms')],
  ...(['messages', 'responses'] as const).flatMap((dialect): Limit[] => [
    [
      `${dialect}: CPU per streamed token, times a relayed one`,
      2,
      timesSealed(dialect, 'CPU us/record, 16 streams, paced'),
    ],
    [`${dialect}: added time to first byte, ms`, 1, addedToSealed(dialect, 'time to first byte ms')],
    [
      `${dialect}: longest pause for 8 MiB, ms`,
      50,
      (medians) => figure(medians[dialect], 'conversation: longest pause ms'),
    ],
    [
      `${dialect}: peak MiB above idle for 8 MiB`,
      120,
      (medians) => figure(medians[dialect], 'conversation: peak MiB above idle'),
    ],
  ]),
];

export function printTable(rounds: Readonly<Record<Column, readonly Figures[]>>, handshakeMs: number): void {
  const medians = Object.fromEntries(
    COLUMNS.map((column) => [column, mediansOf(rounds[column])]),
  ) as unknown as Medians;
  const names = [...medians.sealed.keys()];
  const width = Math.max(...names.map((name) => name.length));
  const cell = (value: number | undefined) =>
    (value === undefined || Number.isNaN(value) ? '-' : short(value)).padStart(10);
  console.log(`Node ${process.version}, medians of ${rounds.sealed.length} rounds\n`);
  console.log(`${''.padEnd(width)}${COLUMNS.map((column) => column.padStart(10)).join('')}   sealed/bare pure/bare`);
  for (const name of names) {
    const cells = COLUMNS.map((column) => cell(medians[column].get(name))).join('');
    const bare = medians.bare.get(name) ?? Number.NaN;
    const ratios = [medians.sealed, medians.pure].map((column) => cell((column.get(name) ?? Number.NaN) / bare));
    console.log(`${name.padEnd(width)}${cells}   ${ratios.join('')}`);
  }
  console.log(`\nhandshake with the development enclave: ${short(handshakeMs)} ms\n`);
  for (const [name, limit, of] of LIMITS) {
    const reached = of(medians);
    console.log(`${reached <= limit ? 'reached' : 'MISSED '}  ${name}: ${short(reached)} (at most ${limit})`);
  }
}

function mediansOf(rounds: readonly Figures[]): Map<string, number> {
  const names = Object.keys(rounds[0] ?? {});
  return new Map(
    names.map((name) => [name, median(rounds.map((figures) => figures[name]).filter((value) => value !== undefined))]),
  );
}

function ratio(name: string): (medians: Medians) => number {
  return ({ sealed, bare }) => figure(sealed, name) / figure(bare, name);
}

function timesSealed(column: Column, name: string): (medians: Medians) => number {
  return (medians) => figure(medians[column], name) / figure(medians.sealed, name);
}

function addedToSealed(column: Column, name: string): (medians: Medians) => number {
  return (medians) => figure(medians[column], name) - figure(medians.sealed, name);
}

function addedMedian({ direct, bare, sealed }: Medians): number {
  const name = 'median ms, 1 connection';
  const base = figure(direct, name);
  return (figure(sealed, name) - base) / (figure(bare, name) - base);
}

function figure(column: ReadonlyMap<string, number>, name: string): number {
  return column.get(name) ?? Number.NaN;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
