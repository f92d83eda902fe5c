// The chart of the comparison: the cost of the sealed proxy, in times of the cost of native code or of the bare relay.
import { MARGIN, drawing, line, rectangle, text } from '../svg.ts';
import { ratioOf, short, summarize } from './figures.ts';
import type { Round, Summary } from './figures.ts';
import { GOALS, LIMITS } from './limits.ts';

const SHOWN = [
  'CPU us/request, 16 connections',
  'CPU us/request, 1 connection',
  'CPU us/record, 16 streams, burst',
  'CPU us/record, 16 streams, paced',
  'CPU us/record, 64 streams, paced',
  'first request after the start ms',
  'start to listening ms',
  'upload: peak MiB above idle',
  'idle MiB',
];

const LEGEND = 'Shorter is better. Dashed: equal. Orange: limit. Thin line: noise.';
const WIDTH = 760;
const TOP = 80;
const ROW = 30;
const PLOT = 270;
/** The room at the right of the longest bar, for its number. */
const NUMBER = 120;

interface Bar extends Summary {
  readonly name: string;
  /** The limit; undefined: none. */
  readonly most: number | undefined;
}

/** @returns SVG. Figures that were not measured are missing. */
export function ratioChart(rounds: readonly Round[]): string {
  const isNative = rounds.some(({ native }) => native !== undefined);
  const bars = SHOWN.map((name): Bar => {
    const most = (isNative ? GOALS : LIMITS).find(({ row }) => row === name)?.most;
    return { name, most, ...summarize(rounds, ratioOf('sealed', isNative ? 'native' : 'bare', name)) };
  }).filter(({ value }) => !Number.isNaN(value));
  const title = `Cost of Sealed Proxy, relative to ${isNative ? 'maple-proxy, which is native code' : 'a relay without encryption'}`;
  return barChart(title, `Medians of ${rounds.length} rounds. ${LEGEND}`, bars);
}

function barChart(title: string, note: string, bars: readonly Bar[]): string {
  const height = TOP + bars.length * ROW + MARGIN;
  const most = Math.max(1, ...bars.flatMap(({ value, noise, most: limit = 0 }) => [value + noise, limit]));
  const x = (ratio: number) => PLOT + (ratio / most) * (WIDTH - PLOT - NUMBER);
  const rows = bars.flatMap((bar, index) => {
    const y = TOP + index * ROW;
    const middle = y + 9;
    return [
      text(MARGIN, y + 14, bar.name),
      rectangle(PLOT, y, x(bar.value) - PLOT, 18, 'bar'),
      ...(bar.noise > 0 ? [line(x(bar.value - bar.noise), middle, x(bar.value + bar.noise), middle, 'noise')] : []),
      ...(bar.most === undefined ? [] : [line(x(bar.most), y - 3, x(bar.most), y + 21, 'limit')]),
      text(WIDTH - MARGIN, y + 14, `${short(bar.value)} ×`, 'end'),
    ];
  });
  const equal = line(x(1), TOP - 8, x(1), height - MARGIN, 'base');
  return drawing({ title, note, width: WIDTH, height }, [...rows, equal]);
}
