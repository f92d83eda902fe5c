// The chart of --memory: resident memory over time.
import { MARGIN, drawing, line, polyline, rectangle, text } from '../svg.ts';

export interface MemoryRun {
  /** Resident memory at each second, in MiB. */
  readonly samples: readonly number[];
  /** When the load began and ended, in seconds. */
  readonly from: number;
  readonly to: number;
  /** The goal for the time of the load, in MiB. */
  readonly most: number;
}

const WIDTH = 760;
const HEIGHT = 360;
const LEFT = 60;
const TOP = 76;
const BOTTOM = HEIGHT - 36;

/** @returns SVG */
export function memoryChart({ samples, from, to, most }: MemoryRun): string {
  const highest = Math.ceil(Math.max(most, ...samples) / 50) * 50;
  const x = (second: number) => LEFT + (second / Math.max(1, samples.length - 1)) * (WIDTH - LEFT - MARGIN);
  const y = (mebibytes: number) => BOTTOM - (mebibytes / highest) * (BOTTOM - TOP);
  const levels = Array.from({ length: highest / 50 + 1 }, (_, index) => index * 50);
  const step = samples.length > 600 ? 300 : 60;
  const times = Array.from({ length: Math.ceil(samples.length / step) }, (_, index) => index * step);
  return drawing(
    {
      title: 'Resident memory of Sealed Proxy, MiB',
      note: 'Shaded: mixed load of streams, uploads, failures and cancelled requests. Orange: the most allowed under load.',
      width: WIDTH,
      height: HEIGHT,
    },
    [
      rectangle(x(from), TOP, x(to) - x(from), BOTTOM - TOP, 'area'),
      ...levels.flatMap((level) => [
        line(LEFT, y(level), WIDTH - MARGIN, y(level), 'grid'),
        text(LEFT - 8, y(level) + 4, String(level), 'note end'),
      ]),
      ...times.map((second) => text(x(second), BOTTOM + 20, `${second / 60} min`, 'note')),
      line(x(from), y(most), x(to), y(most), 'limit'),
      polyline(
        samples.map((mebibytes, second) => [x(second), y(mebibytes)] as const),
        'curve',
      ),
    ],
  );
}
