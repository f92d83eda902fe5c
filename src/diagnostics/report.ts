// The results as a document, fit for a bug report. Pure.
import { asMarkdown } from '../shared/escape.ts';
import type { NamedResult } from './checks.ts';

/** Where the checks ran. */
export interface Surroundings {
  readonly version: string;
  readonly platform: string;
  readonly node: string;
  /** The editor's name and version. */
  readonly editor: string;
  /** Of the remote host that the extension runs on, as the editor calls its kind; undefined: none. */
  readonly remote: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const MARKS: Readonly<Record<NamedResult['result'], string>> = { ok: '✓', failed: '✗', skipped: '–' };

/**
 * Markdown.
 * @param secrets that must not be in it, whoever may have written them into a message
 */
export function diagnosisDocument(
  results: readonly NamedResult[],
  { version, platform, node, editor, remote, at }: Surroundings,
  secrets: readonly string[],
): string {
  const cell = (text: string) => asMarkdown(masked(text, secrets));
  const where = [`Sealed Proxy ${version}`, editor, `Node ${node}`, platform, `remote: ${kindOf(remote)}`];
  const rows = results.map(({ result, ...texts }) => {
    const cells = [texts.name, texts.value, texts.advice].map(cell);
    return `| ${[MARKS[result], ...cells].join(' | ')} |`;
  });
  const lines = [
    '# Diagnosis',
    '',
    `${where.map(cell).join(' · ')} · ${new Date(at).toISOString()}`,
    '',
    summary(results),
    '',
    '| | check | found | what to do |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '✓ is well, ✗ is not, – was not tried. No key, no question and no answer is in this document.',
  ];
  return `${lines.join('\n')}\n`;
}

/** In a browser, the editor puts an address in the place of the kind. */
function kindOf(remote: string | undefined): string {
  if (remote === undefined) return 'none';
  return /^[a-z][a-z-]*$/.test(remote) ? remote : 'another computer';
}

function summary(results: readonly NamedResult[]): string {
  const count = results.filter(({ result }) => result === 'failed').length;
  const untried = results.filter(({ result }) => result === 'skipped').length;
  if (count > 0) return `**${count} of ${results.length} checks failed.**`;
  return untried === 0 ? '**All is well.**' : `**No check failed, and ${untried} were not tried.**`;
}

/** Names and passwords in addresses, and what looks like a key: these must not have come so far. */
const LOOKS_SECRET = [
  [/\bsealed-[A-Za-z0-9_-]{16,}/g, 'sealed-•••'],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, 'sk-•••'],
  [/\b(bearer|basic)\s+[^\s,;"']+/gi, '$1 •••'],
  [/(:\/\/)[^\s/@]+@/g, '$1•••@'],
] as const;

/** Shorter ones would blot out words. */
const SHORTEST = 6;

function masked(text: string, secrets: readonly string[]): string {
  let rest = text;
  // The longest first: one may be part of another.
  for (const secret of secrets.toSorted((one, other) => other.length - one.length))
    if (secret.length >= SHORTEST) rest = rest.replaceAll(secret, '•••');
  for (const [pattern, replacement] of LOOKS_SECRET) rest = rest.replaceAll(pattern, replacement);
  return rest;
}
