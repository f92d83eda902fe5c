// Figures by name, and what several rounds of them say together.
import type { Column } from './columns.ts';

/** What one column has in one round. */
export type Figures = Readonly<Record<string, number | undefined>>;
export type Round = Readonly<Partial<Record<Column, Figures>>>;

/** One figure of a round, or a combination of several; NaN if one is missing. */
export type Formula = (round: Round) => number;

export function figureOf(column: Column, name: string): Formula {
  return (round) => round[column]?.[name] ?? Number.NaN;
}

export function ratioOf(above: Column, below: Column, name: string): Formula {
  return (round) => figureOf(above, name)(round) / figureOf(below, name)(round);
}

/** The median of the rounds, and half the distance between the lowest and the highest round. */
export interface Summary {
  readonly value: number;
  readonly noise: number;
}

export function summarize(rounds: readonly Round[], formula: Formula): Summary {
  const values = rounds.map(formula).filter((value) => !Number.isNaN(value));
  const noise = values.length === 0 ? Number.NaN : (Math.max(...values) - Math.min(...values)) / 2;
  return { value: median(values), noise };
}

/** NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Three digits; `-` for a figure that does not exist. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '-';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
