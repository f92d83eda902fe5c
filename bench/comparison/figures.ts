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

/**
 * The median of the rounds, and their noise: the distance between the lower and the upper quartile. One disturbed round does
 * not change it much, and it does not grow with the number of rounds.
 */
export interface Summary {
  readonly value: number;
  readonly noise: number;
}

export function summarize(rounds: readonly Round[], formula: Formula): Summary {
  const values = rounds.map(formula).filter((value) => !Number.isNaN(value));
  return { value: median(values), noise: quantile(values, 0.75) - quantile(values, 0.25) };
}

/** NaN for no values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of the values is, from 0 to 1, on a line between the two nearest ones. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Three digits; `-` for a figure that does not exist. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '-';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
