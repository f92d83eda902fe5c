// Lines over time, one value for each second.
import { drawing, line, polyline } from '../svg.ts';
import { TOP, WIDTH, timeGrid } from '../timeGrid.ts';

interface Series {
  readonly values: readonly number[];
  readonly style: string;
}

const HEIGHT = 300;
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
  const length = Math.max(1, ...series.map(({ values }) => values.length));
  const highest = Math.max(LEVELS, ...series.flatMap(({ values }) => values));
  const levels = Array.from({ length: LEVELS + 1 }, (_, index) => Math.round((index * highest) / LEVELS));
  const { bottom, x, y, grid } = timeGrid(HEIGHT, length, highest, levels);
  return drawing({ title, note, width: WIDTH, height: HEIGHT }, [
    ...grid,
    ...marks.map((second) => line(x(second), TOP, x(second), bottom, 'base')),
    ...series.map(({ values, style }) =>
      polyline(
        values.map((value, second) => [x(second), y(value)] as const),
        `${style} open`,
      ),
    ),
  ]);
}
