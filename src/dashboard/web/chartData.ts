// The numbers of the charts. Pure.
import type { Measure, UsageView } from '../model.ts';

/** One bar segment or line; a value for each time, null where there is none. */
export interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export function seriesOf(view: UsageView, measure: Measure): ChartSeries[] {
  return view.series.map((series) => ({ name: series.name, values: series[measure] }));
}

/** The series on top of each other: the sums of each one and those before it, null instead of zero. */
export function stack(series: readonly ChartSeries[]): (number | null)[][] {
  let below: readonly (number | null)[] = [];
  return series.map(({ values }) => {
    const sums = values.map((value, index) => (value ?? 0) + (below[index] ?? 0) || null);
    below = sums;
    return sums;
  });
}

export function total(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** The indexes of the times at which any of the series has a value above zero. */
export function active(series: readonly ChartSeries[], count: number): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) =>
    series.some(({ values }) => (values[index] ?? 0) > 0),
  );
}
