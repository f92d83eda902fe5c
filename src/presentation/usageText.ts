// Usage as a document: numbers and times for each access key. Pure.
import type { AccessKey } from '../keys/accessKeys.ts';
import { asMarkdown } from '../shared/escape.ts';
import { DIRECT, UNKNOWN } from '../shared/usage.ts';
import type { KeyUsage, Outcomes, UsageReport } from '../shared/usage.ts';
import { glossaryLink } from './glossary.ts';

const COLUMNS = [
  glossaryLink('Access key'),
  'Requests',
  'Errors',
  'Cancelled',
  'Input tokens',
  'Output tokens',
  'First byte',
  'Last request',
];
/** The kinds of errors and their names, in the order in which they are shown. */
const ERRORS = [
  ['refused', 'refused'],
  ['failed', 'failed'],
  ['broken', 'interrupted'],
] as const satisfies (readonly [keyof Outcomes, string])[];
const LEGEND = [
  '- *Errors*: refused (by the proxy), failed (status 400 or higher from the backend), interrupted (before the end of the',
  '  response).',
  '- *Cancelled*: the client closed the connection.',
  '- *Tokens*: as reported in responses. Most clients receive token counts for streamed responses only if they set',
  '  `stream_options.include_usage`. Those that speak Messages or Responses (Claude Code, Codex) always get them.',
  '- *First byte*: time from the request to the first byte of the response; the median of the last 100 requests.',
  '',
  'Requests appear when they finish. The numbers start from zero when the proxy starts. Prompts and responses are never',
  'stored. To refresh this page, run *Sealed Proxy: Show Usage* again.',
];

/**
 * The document, as Markdown.
 * @param usage undefined: the proxy is not running
 * @param keys the valid access keys
 */
export function usageDocument(usage: UsageReport | undefined, keys: readonly AccessKey[]): string {
  return `${['# Usage', '', ...body(usage, keys)].join('\n')}\n`;
}

function body(usage: UsageReport | undefined, keys: readonly AccessKey[]): string[] {
  if (usage === undefined) return ['The proxy is not running. Usage is counted while it runs.'];
  const since = `Since the proxy started at ${time(usage.since)}:`;
  if (usage.keys.length === 0) return [`${since} no requests yet.`];
  const sum = total(usage.keys);
  const count = requests(sum);
  const reported = `${number(count)} ${count === 1 ? 'request' : 'requests'}; token counts are known for ${number(sum.counted)}.`;
  const rows = usage.keys.map((key) => [nameOf(key.caller, keys), ...cells(key)]);
  if (rows.length > 1) rows.push(['**Total**', ...cells(sum)]);
  return [
    `${since} ${reported}`,
    '',
    row(COLUMNS),
    row(COLUMNS.map((_, index) => (index === 0 ? ':--' : '--:'))),
    ...rows.map(row),
    '',
    ...waits(usage.keys),
    ...LEGEND,
  ];
}

/** How long requests waited for capacity, if any did. */
function waits(keys: readonly KeyUsage[]): string[] {
  const waited = keys.reduce((sum, { waitedMs = 0 }) => sum + waitedMs, 0);
  if (waited === 0) return [];
  const seconds = (waited / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 });
  return [`Requests waited ${seconds} s in total because the backend had no capacity.`, ''];
}

function cells(usage: KeyUsage): string[] {
  const { outcomes, tokensIn, tokensOut, counted, firstByte, lastAt } = usage;
  const kinds = ERRORS.filter(([kind]) => outcomes[kind] > 0).map(
    ([kind, name]) => `${number(outcomes[kind])}\u00a0${name}`,
  );
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

/** The sum of all keys. It has no first byte: medians cannot be added. */
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
  if (caller === DIRECT) return `${glossaryLink('API key')} sent by the client`;
  if (caller === UNKNOWN) return 'No valid key';
  const known = keys.find(({ id }) => id === caller);
  if (known === undefined) return 'Revoked key';
  return known.origin === 'own' ? "VS Code's chat and connection checks" : asMarkdown(known.name);
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
