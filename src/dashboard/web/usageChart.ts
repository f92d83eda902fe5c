// A chart of the usage section: stacked bars or lines, as wide as its place.
import uPlot from 'uplot';
import { stack } from './chartData.ts';
import type { ChartSeries } from './chartData.ts';
import { shortText } from './text.ts';
import { chartColors } from './theme.ts';
import type { ChartColors } from './theme.ts';

const HEIGHT = 180;
const DAY = 24 * 60 * 60;
/** In CSS pixels. */
const AXIS_SIZE = 52;
const WIDEST_BAR = 28;
/** Narrower columns have no room for the line between two segments: it would cover the bars. */
const NARROWEST_COLUMN = 4;
/** Between the pointer and the tooltip. */
const TOOLTIP_DISTANCE = 12;

export interface Chart {
  /** In milliseconds. */
  readonly times: readonly number[];
  readonly kind: 'bars' | 'lines';
  readonly series: readonly ChartSeries[];
  /** A value, for the axis and the tooltip. */
  readonly format: (value: number) => string;
  /** A time, for the tooltip. */
  readonly formatTime: (time: number) => string;
}

/** `<usage-chart .chart=${…}>` */
export class UsageChart extends HTMLElement {
  #chart: Chart | undefined;
  #plot: uPlot | undefined;
  #colors: ChartColors | undefined;
  readonly #tooltip = document.createElement('div');
  readonly #resizes = new ResizeObserver(() => {
    this.#resize();
  });

  set chart(chart: Chart) {
    this.#chart = chart;
    if (this.isConnected) this.#draw();
  }

  connectedCallback(): void {
    this.#tooltip.className = 'chart-tooltip';
    this.#resizes.observe(this);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#resizes.disconnect();
    this.#plot?.destroy();
    this.#plot = undefined;
  }

  /** Draws with the colours of the current theme. */
  redraw(): void {
    this.#colors = chartColors();
    this.#plot?.redraw(false, true);
  }

  #resize(): void {
    const width = this.clientWidth;
    const plot = this.#plot;
    if (plot === undefined || width === 0 || width === plot.width) return;
    const lineWidth = this.#segmentLine(width);
    if (this.#chart?.kind === 'bars') for (const series of plot.series) series.width = lineWidth;
    plot.setSize({ width, height: HEIGHT });
  }

  /** The width of the line between the segments of a bar, in a chart of this width. */
  #segmentLine(width: number): number {
    return (width - AXIS_SIZE) / (this.#chart?.times.length ?? 1) < NARROWEST_COLUMN ? 0 : 1;
  }

  #draw(): void {
    this.#plot?.destroy();
    this.#plot = undefined;
    if (this.#chart === undefined) return;
    this.#colors = chartColors();
    this.#tooltip.hidden = true;
    this.#plot = new uPlot(this.#options(this.#chart), dataOf(this.#chart), this);
    this.#plot.over.append(this.#tooltip);
  }

  #options(chart: Chart): uPlot.Options {
    const { kind, series, times, format } = chart;
    const color = (name: 'text' | 'grid' | 'background') => () => this.#colors?.[name] ?? '';
    const seriesColor = (index: number) => () => this.#colors?.series[index] ?? '';
    const font = `11px ${getComputedStyle(this).fontFamily}`;
    const axis = { stroke: color('text'), font, grid: { stroke: color('grid'), width: 1 }, ticks: { show: false } };
    const step = ((times[1] ?? 0) - (times[0] ?? 0)) / 1000;
    const indexes = series.map((_, index) => index);
    return {
      width: Math.max(this.clientWidth, 1),
      height: HEIGHT,
      legend: { show: false },
      cursor: { x: true, y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
      scales: {
        // The last hour or day has its place too; all charts have the same axis.
        x: { time: true, range: (_plot, min, max) => [min, max + step] },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 70,
          values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
        },
        {
          ...axis,
          size: AXIS_SIZE,
          // Counts and milliseconds are integers.
          incrs: [1, 2, 5]
            .flatMap((digit) => Array.from({ length: 13 }, (_, power) => digit * 10 ** power))
            .toSorted((a, b) => a - b),
          values: (_plot, splits) => splits.map(format),
        },
      ],
      series: [
        {},
        ...(kind === 'bars'
          ? indexes.toReversed().map((index) => ({
              fill: seriesColor(index),
              stroke: color('background'),
              width: this.#segmentLine(this.clientWidth),
              points: { show: false },
              paths: bars(),
            }))
          : indexes.map((index) => ({
              stroke: seriesColor(index),
              width: 2,
              ...(index === 0 ? {} : { dash: [6, 4] }),
              points: { show: true, size: 4, fill: seriesColor(index) },
            }))),
      ],
      hooks: {
        setCursor: [
          (plot) => {
            this.#showTooltip(plot);
          },
        ],
      },
    };
  }

  #showTooltip(plot: uPlot): void {
    const { left = -1, idx } = plot.cursor;
    const chart = this.#chart;
    if (chart === undefined || left < 0) {
      this.#tooltip.hidden = true;
      return;
    }
    const { kind, times, series, format, formatTime } = chart;
    // A bar begins at its time; a point of a line is there.
    const pointed = plot.posToVal(left, 'x') * 1000;
    const index = kind === 'bars' ? times.findLastIndex((time) => time <= pointed) : (idx ?? -1);
    const time = times[index];
    this.#tooltip.hidden = time === undefined;
    if (time === undefined) return;
    const heading = document.createElement('strong');
    heading.textContent = formatTime(time);
    const lines = series.flatMap(({ name, values }, number) => {
      const value = values[index] ?? 0;
      return value === 0 ? [] : [tooltipLine(number, name, format(value))];
    });
    this.#tooltip.replaceChildren(heading, ...lines);
    const isRight = left > plot.over.clientWidth / 2;
    this.#tooltip.style.left = isRight ? '' : `${left + TOOLTIP_DISTANCE}px`;
    this.#tooltip.style.right = isRight ? `${plot.over.clientWidth - left + TOOLTIP_DISTANCE}px` : '';
  }
}

function bars(): uPlot.Series.PathBuilder {
  const { bars: builder } = uPlot.paths;
  if (builder === undefined) throw new Error('uplot cannot draw bars.');
  return builder({ align: 1, size: [0.85, WIDEST_BAR, 2] });
}

/** The largest sums first: each bar is drawn over those before it. */
function dataOf({ times, kind, series }: Chart): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1000);
  const values = kind === 'bars' ? stack(series).toReversed() : series.map((one) => [...one.values]);
  return [seconds, ...values];
}

/** Hours, and the date at midnight; only dates if the axis shows days. */
function timeLabels(splits: readonly number[], step: number): string[] {
  const hour = new Intl.DateTimeFormat(navigator.language, { hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat(navigator.language, { month: 'short', day: 'numeric' });
  return splits.map((split) => {
    const date = new Date(split * 1000);
    return (step >= DAY || date.getHours() === 0 ? day : hour).format(date);
  });
}

function tooltipLine(index: number, name: string, value: string): HTMLElement {
  const line = document.createElement('div');
  const swatch = document.createElement('span');
  swatch.className = `swatch series-${index}`;
  const label = document.createElement('bdi');
  label.textContent = shortText(name);
  const amount = document.createElement('span');
  amount.className = 'amount';
  amount.textContent = value;
  line.append(swatch, label, amount);
  return line;
}
