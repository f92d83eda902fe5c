// The scales and the grid of a chart with one value for each second.
import { MARGIN, line, text } from './svg.ts';

export const WIDTH = 760;
export const TOP = 76;
const LEFT = 60;
/** For the minutes below the chart. */
const BELOW = 36;

export interface TimeGrid {
  readonly bottom: number;
  readonly x: (second: number) => number;
  readonly y: (value: number) => number;
  /** SVG elements. */
  readonly grid: readonly string[];
}

/**
 * @param length the number of values
 * @param highest the value at the top
 * @param levels the values that have a line
 */
export function timeGrid(height: number, length: number, highest: number, levels: readonly number[]): TimeGrid {
  const bottom = height - BELOW;
  const x = (second: number) => LEFT + (second / Math.max(1, length - 1)) * (WIDTH - LEFT - MARGIN);
  const y = (value: number) => bottom - (value / highest) * (bottom - TOP);
  const step = length > 600 ? 300 : 60;
  const times = Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
  const grid = [
    ...levels.flatMap((level) => [
      line(LEFT, y(level), WIDTH - MARGIN, y(level), 'grid'),
      text(LEFT - 8, y(level) + 4, String(level), 'note end'),
    ]),
    ...times.map((second) => text(x(second), bottom + 20, `${second / 60} min`, 'note')),
  ];
  return { bottom, x, y, grid };
}
