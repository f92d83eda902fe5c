// The results as a Markdown document that is fit for a bug report. Pure.
import { redact } from '../presentation/redaction.ts';
import type { NamedResult } from './check.ts';

/** Where the checks ran. */
export interface HostInfo {
  readonly version: string;
  readonly platform: string;
  readonly node: string;
  /** The editor's name and version. */
  readonly editor: string;
  /** The editor's name for the kind of remote host that the extension runs on; undefined = local. */
  readonly remote: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const MARKS: Readonly<Record<NamedResult['outcome'], string>> = { passed: '✓', failed: '✗', skipped: '–' };

/**
 * @param secrets are masked wherever they occur
 * @returns Markdown
 */
export function diagnosticsReport(
  results: readonly NamedResult[],
  { version, platform, node, editor, remote, at }: HostInfo,
  secrets: readonly string[],
): string {
  const cell = (text: string) => escape(redact(text, secrets));
  const facts = [`Sealed Proxy ${version}`, editor, `Node ${node}`, platform, `remote: ${kindOf(remote)}`];
  const rows = results.map(({ outcome, name, finding, remedy }) => {
    return `| ${[MARKS[outcome], ...[name, finding, remedy].map(cell)].join(' | ')} |`;
  });
  const lines = [
    '# Diagnostics',
    '',
    `**${summary(results)}**`,
    '',
    `${facts.map(cell).join(' · ')} · ${new Date(at).toISOString()}`,
    '',
    '| | Check | Result | What to do |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '✓ passed, ✗ failed, – skipped. This report contains no keys, prompts or responses.',
  ];
  return `${lines.join('\n')}\n`;
}

/** In a browser, the editor passes an address instead of a kind. */
function kindOf(remote: string | undefined): string {
  if (remote === undefined) return 'none';
  return /^[a-z][a-z-]*$/.test(remote) ? remote : 'another computer';
}

function summary(results: readonly NamedResult[]): string {
  const count = (outcome: NamedResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const failures =
    count('failed') === 0 ? 'All checks passed' : `${count('failed')} of ${results.length} checks failed`;
  return `${failures}${count('skipped') === 0 ? '' : `; ${count('skipped')} skipped`}.`;
}

/** Prevents that a message becomes a link, an image, a command or another cell. */
function escape(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*[\]<>|&~]/g, '\\$&');
}
