// The chart of --memory: resident memory over time.
import { drawing, line, polyline, rectangle } from '../svg.ts';
import { TOP, WIDTH, timeGrid } from '../timeGrid.ts';

export interface MemoryRun {
  /** Resident memory at each second, in MiB. */
  readonly samples: readonly number[];
  /** When the load began and ended, in seconds. */
  readonly from: number;
  readonly to: number;
  /** The goal for the time of the load, in MiB. */
  readonly most: number;
}

const HEIGHT = 360;

/** @returns SVG */
export function memoryChart({ samples, from, to, most }: MemoryRun): string {
  const highest = Math.ceil(Math.max(most, ...samples) / 50) * 50;
  const levels = Array.from({ length: highest / 50 + 1 }, (_, index) => index * 50);
  const { bottom, x, y, grid } = timeGrid(HEIGHT, samples.length, highest, levels);
  return drawing(
    {
      title: 'Resident memory of Sealed Proxy, MiB',
      note: 'Shaded: mixed load of streams, uploads, failures and cancelled requests. Orange: the most allowed under load.',
      width: WIDTH,
      height: HEIGHT,
    },
    [
      rectangle(x(from), TOP, x(to) - x(from), bottom - TOP, 'area'),
      ...grid,
      line(x(from), y(most), x(to), y(most), 'limit'),
      polyline(
        samples.map((mebibytes, second) => [x(second), y(mebibytes)] as const),
        'curve',
      ),
    ],
  );
}
