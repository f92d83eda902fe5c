// Lines over time, one value for each second.
import { MARGIN, drawing, line, polyline, text } from '../svg.ts';

interface Series {
  readonly values: readonly number[];
  readonly style: string;
}

const WIDTH = 760;
const HEIGHT = 300;
const LEFT = 60;
const TOP = 76;
const BOTTOM = HEIGHT - 36;
const LEVELS = 4;

/**
 * @param marks in seconds: vertical lines
 * @returns SVG
 */
export function lineChart(
  title: string,
  note: string,
  series: readonly Series[],
  marks: readonly number[] = [],
): string {
  const seconds = Math.max(2, ...series.map(({ values }) => values.length));
  const highest = Math.max(LEVELS, ...series.flatMap(({ values }) => values));
  const x = (second: number) => LEFT + (second / (seconds - 1)) * (WIDTH - LEFT - MARGIN);
  const y = (value: number) => BOTTOM - (value / highest) * (BOTTOM - TOP);
  const levels = Array.from({ length: LEVELS + 1 }, (_, index) => Math.round((index * highest) / LEVELS));
  const step = seconds > 600 ? 300 : 60;
  const times = Array.from({ length: Math.ceil(seconds / step) }, (_, index) => index * step);
  return drawing({ title, note, width: WIDTH, height: HEIGHT }, [
    ...levels.flatMap((level) => [
      line(LEFT, y(level), WIDTH - MARGIN, y(level), 'grid'),
      text(LEFT - 8, y(level) + 4, String(level), 'note end'),
    ]),
    ...times.map((second) => text(x(second), BOTTOM + 20, `${second / 60} min`, 'note')),
    ...marks.map((second) => line(x(second), TOP, x(second), BOTTOM, 'base')),
    ...series.map(({ values, style }) =>
      polyline(
        values.map((value, second) => [x(second), y(value)] as const),
        `${style} open`,
      ),
    ),
  ]);
}
