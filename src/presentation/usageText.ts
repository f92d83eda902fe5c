// What was used as a document, by the names of the access keys: numbers and times alone. Pure.
import { DIRECT, UNKNOWN } from '../shared/usage.ts';
import type { KeyUsage, Outcomes, UsageReport } from '../shared/usage.ts';
import type { AccessKey } from '../keys/accessKeys.ts';

const COLUMNS = [
  'access key',
  'requests',
  'errors',
  'cancelled',
  'tokens in',
  'tokens out',
  'first byte',
  'last request',
];
/** What the kinds of errors are called, in the order in which they are shown. */
const ERRORS = ['refused', 'failed', 'broken'] as const satisfies (keyof Outcomes)[];
const LEGEND = [
  '- *errors*: `refused` by the proxy, `failed` at the backend (a status from 400 on), `broken` before the answer was whole',
  '- *cancelled*: the client went away',
  '- *tokens*: those that the answers name; for a stream, most clients have to ask (`stream_options.include_usage`)',
  '- *first byte*: from the request to the first byte of its answer, the median of the last 100',
  '',
  'What still runs is not counted yet, and of questions and answers nothing is kept. Each start of the proxy begins a new',
  'count. For newer numbers, run *Sealed Proxy: Show Usage* again.',
];

/**
 * Markdown.
 * @param usage undefined: no proxy runs
 * @param keys those that count
 */
export function usageDocument(usage: UsageReport | undefined, keys: readonly AccessKey[]): string {
  return `${['# Usage', '', ...body(usage, keys)].join('\n')}\n`;
}

function body(usage: UsageReport | undefined, keys: readonly AccessKey[]): string[] {
  if (usage === undefined) return ['The proxy is not running, and counts only while it runs.'];
  const since = `Since the proxy started: ${time(usage.since)}.`;
  if (usage.keys.length === 0) return [`${since} Nothing has been asked and answered yet.`];
  const sum = total(usage.keys);
  // Those that were cut off may have named them before.
  const named = `Of ${number(requests(sum))} requests, ${number(sum.counted)} have answers that name their tokens.`;
  const rows = usage.keys.map((key) => [nameOf(key.caller, keys), ...cells(key)]);
  if (rows.length > 1) rows.push(['**all**', ...cells(sum)]);
  return [
    `${since} ${named}`,
    '',
    row(COLUMNS),
    row(COLUMNS.map((_, index) => (index === 0 ? ':--' : '--:'))),
    ...rows.map(row),
    '',
    ...LEGEND,
  ];
}

function cells(usage: KeyUsage): string[] {
  const { outcomes, tokensIn, tokensOut, counted, firstByte, lastAt } = usage;
  const kinds = ERRORS.filter((kind) => outcomes[kind] > 0).map((kind) => `${number(outcomes[kind])}\u00a0${kind}`);
  return [
    number(requests(usage)),
    kinds.join(', ') || '0',
    number(outcomes.cancelled),
    counted === 0 ? '–' : number(tokensIn),
    counted === 0 ? '–' : number(tokensOut),
    firstByte === null ? '–' : `${number(Math.round(firstByte))} ms`,
    time(lastAt),
  ];
}

function requests({ outcomes }: KeyUsage): number {
  return Object.values<number>({ ...outcomes }).reduce((sum, count) => sum + count, 0);
}

/** All of them together; the medians of several make none. */
function total(keys: readonly KeyUsage[]): KeyUsage {
  const sum = (of: (key: KeyUsage) => number) => keys.reduce((soFar, key) => soFar + of(key), 0);
  return {
    caller: '',
    outcomes: {
      answered: sum(({ outcomes }) => outcomes.answered),
      refused: sum(({ outcomes }) => outcomes.refused),
      failed: sum(({ outcomes }) => outcomes.failed),
      broken: sum(({ outcomes }) => outcomes.broken),
      cancelled: sum(({ outcomes }) => outcomes.cancelled),
    },
    tokensIn: sum(({ tokensIn }) => tokensIn),
    tokensOut: sum(({ tokensOut }) => tokensOut),
    counted: sum(({ counted }) => counted),
    firstByte: null,
    lastAt: Math.max(...keys.map(({ lastAt }) => lastAt)),
  };
}

function nameOf(caller: string, keys: readonly AccessKey[]): string {
  if (caller === DIRECT) return 'a key of the backend, sent by the client';
  if (caller === UNKNOWN) return 'no key that counts';
  const known = keys.find(({ id }) => id === caller);
  if (known === undefined) return 'a key that was revoked';
  return known.origin === 'own' ? "the editor's chat and checks" : escape(known.name);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function time(at: number): string {
  return new Date(at).toLocaleString();
}

function escape(name: string): string {
  return name.replaceAll(/[\\`*_[\]<>|&~]/g, '\\$&');
}
