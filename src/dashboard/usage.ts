// The hourly sums as charts: by hour or by day, for each client or model. Pure.
import { HOUR, hourOf } from '../shared/activity.ts';
import type { UsageSum } from '../shared/activity.ts';
import { LONGEST_NAME, asPlain } from '../shared/escape.ts';
import { OTHER_MODELS, mergeHistograms, percentile } from '../shared/usage.ts';
import { MEASURES } from './model.ts';
import type { Grouping, Measure, Range, UsageSeries, UsageTotals, UsageView } from './model.ts';

/** Charts with more lines cannot be read. The last one has all others. */
const MAX_SERIES = 8;
const HOURS: Readonly<Record<Exclude<Range, 'quarter'>, number>> = { day: 48, week: 7 * 24 };
const DAYS = 90;
/** A chart has at least as many hours or days, also if only the last of them have requests. */
const FEWEST_TIMES = 7;
const OTHER = 'Other';
const NO_MODEL = 'No model named';

export interface UsageQuery {
  readonly range: Range;
  readonly by: Grouping;
  /** Whether sums are recorded at present. */
  readonly recording: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly nameOf: (caller: string) => string;
}

/** The charts for these sums, which may begin earlier. Days are those of the local time zone. */
export function usageView(sums: readonly UsageSum[], { range, by, recording, now, nameOf }: UsageQuery): UsageView {
  const period = timesOf(range, now);
  const inPeriod = sums.flatMap((sum) => {
    // A clock that was wrong may have left sums of the future.
    const index = sum.hour > now ? -1 : period.findLastIndex((time) => time <= sum.hour);
    return index === -1 ? [] : [{ sum, index }];
  });
  const first = inPeriod.reduce((least, { index }) => Math.min(least, index), period.length);
  const start = Math.min(first, period.length - FEWEST_TIMES);
  const times = period.slice(start);
  const placed = inPeriod.map(({ sum, index }) => ({ sum, index: index - start }));
  const named = Map.groupBy(placed, ({ sum }) => (by === 'client' ? nameOf(sum.caller) : modelName(sum.model)));
  const groups = [...named]
    .filter(([name]) => name !== OTHER)
    .toSorted(([one, a], [other, b]) => compareUse(b, a) || (one < other ? -1 : 1));
  const others = named.get(OTHER) ?? [];
  const fits = groups.length + Math.min(1, others.length) <= MAX_SERIES;
  const shown = fits ? groups : groups.slice(0, MAX_SERIES - 1);
  const rest = [...groups.slice(shown.length).flatMap(([, members]) => members), ...others];
  const byTime = Map.groupBy(placed, ({ index }) => index);
  const histograms = times.map((_, index) =>
    mergeHistograms((byTime.get(index) ?? []).map(({ sum }) => sum.firstByte)),
  );
  return {
    range,
    by,
    recording,
    today: todayOf(sums, now),
    since: period[first] ?? null,
    totals: totalsOf(placed.map(({ sum }) => sum)),
    firstByte: percentile(mergeHistograms(histograms), 50),
    times,
    series: [...shown, ...(rest.length === 0 ? [] : [[OTHER, rest] as const])].map(([name, members]) =>
      seriesOf(name, members, times.length),
    ),
    median: histograms.map((histogram) => percentile(histogram, 50)),
    percentile95: histograms.map((histogram) => percentile(histogram, 95)),
  };
}

/** Of these sums, those of today in local time. */
export function todayOf(sums: readonly UsageSum[], now: number): UsageTotals {
  // The hour with midnight in it, where the time zone is not whole hours from UTC.
  const midnight = hourOf(new Date(now).setHours(0, 0, 0, 0));
  return totalsOf(sums.filter(({ hour }) => hour >= midnight && hour <= now));
}

function totalsOf(sums: readonly UsageSum[]): UsageTotals {
  return eachMeasure([...MEASURES, 'tokensCached'], (field) => sums.reduce((before, sum) => before + sum[field], 0));
}

interface PlacedSum {
  readonly sum: UsageSum;
  readonly index: number;
}

function modelName(model: string): string {
  if (model === OTHER_MODELS) return OTHER;
  return asPlain(model, LONGEST_NAME) || NO_MODEL;
}

/** Those with most tokens come first; without tokens, those with most requests. */
function compareUse(one: readonly PlacedSum[], other: readonly PlacedSum[]): number {
  const add = (all: readonly PlacedSum[], of: (sum: UsageSum) => number) =>
    all.reduce((total, { sum }) => total + of(sum), 0);
  const tokens = ({ tokensIn, tokensOut }: UsageSum) => tokensIn + tokensOut;
  const requests = (sum: UsageSum) => sum.requests;
  return add(one, tokens) - add(other, tokens) || add(one, requests) - add(other, requests);
}

function seriesOf(name: string, members: readonly PlacedSum[], length: number): UsageSeries {
  const byTime = (measure: Measure) => {
    const values = Array.from({ length }, () => 0);
    for (const { sum, index } of members) values[index] = (values[index] ?? 0) + sum[measure];
    return values;
  };
  return { name, ...eachMeasure(MEASURES, byTime) };
}

function eachMeasure<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}

function lastHours(now: number, count: number): readonly number[] {
  const current = hourOf(now);
  return Array.from({ length: count }, (_, index) => current - (count - 1 - index) * HOUR);
}

/** The starts of the last days in local time. A day has 23 or 25 hours when the clocks change. */
function lastDays(now: number): readonly number[] {
  const today = new Date(now);
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  return Array.from({ length: DAYS }, (_, index) => new Date(year, month, day - (DAYS - 1 - index)).getTime());
}

/** Where the sums of a range begin, in milliseconds since 1970. */
export function startOf(range: Range, now: number): number {
  return timesOf(range, now)[0] ?? now;
}

function timesOf(range: Range, now: number): readonly number[] {
  return range === 'quarter' ? lastDays(now) : lastHours(now, HOURS[range]);
}
