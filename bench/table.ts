import { median } from './measure.ts';
import type { Figures } from './measure.ts';

export type Column = 'direct' | 'bare' | 'sealed' | 'pure';
type Medians = Readonly<Record<Column, ReadonlyMap<string, number>>>;

/** The upper limits of the sealed proxy: relative to the bare relay, or absolute. */
const LIMITS: readonly (readonly [string, number, (medians: Medians) => number])[] = [
  ['CPU per small request, times the bare relay', 2.5, ratio('CPU us/request, 16 connections')],
  ['CPU per streamed record, times the bare relay per chunk', 2, ratio('CPU us/record, 16 streams, paced')],
  ['added median, times the bare relay', 2.5, addedMedian],
  ['peak MiB above idle for one 50 MiB upload', 120, ({ sealed }) => figure(sealed, 'upload: peak MiB above idle')],
  ['longest pause of the event loop, ms', 50, ({ sealed }) => figure(sealed, 'upload: longest pause ms')],
  ['the same with the pure JavaScript AEAD, ms', 50, ({ pure }) => figure(pure, 'upload: longest pause ms')],
];

export function printTable(rounds: Readonly<Record<Column, readonly Figures[]>>, handshakeMs: number): void {
  const columns = Object.keys(rounds) as Column[];
  const medians = Object.fromEntries(
    columns.map((column) => [column, mediansOf(rounds[column])]),
  ) as unknown as Medians;
  const names = [...medians.sealed.keys()];
  const width = Math.max(...names.map((name) => name.length));
  const cell = (value: number | undefined) =>
    (value === undefined || Number.isNaN(value) ? '-' : short(value)).padStart(10);
  console.log(`Node ${process.version}, medians of ${rounds.sealed.length} rounds\n`);
  console.log(`${''.padEnd(width)}${columns.map((column) => column.padStart(10)).join('')}   sealed/bare pure/bare`);
  for (const name of names) {
    const cells = columns.map((column) => cell(medians[column].get(name))).join('');
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
