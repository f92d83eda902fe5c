// The results as a Markdown document that is fit for a bug report. Pure.
import { markText, summaryOfMarks, unsealedTitles } from '../chat/sidePrompts/mark.ts';
import type { SidePrompt } from '../chat/sidePrompts/mark.ts';
import { redact } from '../presentation/redaction.ts';
import { joined, unsealedSentence } from '../presentation/text.ts';
import { asMarkdown } from '../shared/escape.ts';
import type { InstalledProgram } from '../shared/version.ts';
import type { NamedResult } from './check.ts';

/** Where the checks ran. */
export interface HostInfo {
  readonly version: string;
  /** As in shared/version.ts. */
  readonly commit: string;
  readonly programs: readonly InstalledProgram[];
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
 * @param sidePrompts empty to leave them out
 * @param senders the names of what sends prompts, by verdict; empty to leave them out
 * @returns Markdown
 */
export function diagnosticsReport(
  results: readonly NamedResult[],
  { version, commit, programs, platform, node, editor, remote, at }: HostInfo,
  secrets: readonly string[],
  sidePrompts: readonly SidePrompt[] | 'notRead' = [],
  senders: readonly { readonly word: string; readonly names: string }[] = [],
): string {
  const cell = (text: string) => asMarkdown(redact(text, secrets));
  const facts = [`Sealed Proxy ${version}`, editor, `Node ${node}`, platform, `remote: ${kindOf(remote)}`];
  const rows = results.map(({ outcome, name, finding, remedy }) => {
    return `| ${[MARKS[outcome], ...[name, finding, remedy].map(cell)].join(' | ')} |`;
  });
  const lines = [
    '# Diagnostics',
    '',
    `**${cell(summary(results))}**`,
    ...failureList(results, cell),
    '',
    `${facts.map(cell).join(' · ')} · ${new Date(at).toISOString()}`,
    '',
    '| | Check | Result | What to do |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '✓ passed, ✗ failed, – skipped.',
    '',
    ...senderSection(senders, cell),
    ...sidePromptSection(sidePrompts, cell),
    ...programSection(commit, programs, cell),
    'This report contains no keys, prompts or responses.',
  ];
  return `${lines.join('\n')}\n`;
}

function senderSection(
  senders: readonly { readonly word: string; readonly names: string }[],
  cell: (text: string) => string,
): readonly string[] {
  if (senders.length === 0) return [];
  const lines = senders.map(({ word, names }) => `- **${word}**: ${cell(names)}`);
  return ['## Where prompts go', '', ...lines, '', '"Sealed Proxy: Show Where Prompts Go" says why.', ''];
}

function sidePromptSection(
  prompts: readonly SidePrompt[] | 'notRead',
  cell: (text: string) => string,
): readonly string[] {
  if (prompts.length === 0) return [];
  const heading = ["## Side prompts of VS Code's chat", ''];
  if (prompts === 'notRead') {
    return [...heading, 'VS Code did not report its models in time. Run the diagnostics again.', ''];
  }
  const [reason = '', ...otherReasons] = new Set(prompts.map((prompt) => prompt.reason));
  if (prompts.every(({ mark }) => mark.kind === 'off') && otherReasons.length === 0)
    return [...heading, `VS Code sends none. ${cell(reason)}`, ''];
  const rows = prompts.map(({ title, mark, reason }) => `| ${[title, markText(mark), reason].map(cell).join(' | ')} |`);
  return [
    ...heading,
    joined(
      `Besides your chat, VS Code can send these prompts: ${cell(summaryOfMarks(prompts))}.`,
      unsealedSentence(unsealedTitles(prompts).map(cell)),
      '"Sealed Proxy: Keep VS Code\'s Chat Sealed…" shows what you can change.',
    ),
    '',
    '| Side prompt | Mark | Reason |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ];
}

/** What was installed, to compare with a release. */
function programSection(
  commit: string,
  programs: readonly InstalledProgram[],
  cell: (text: string) => string,
): readonly string[] {
  const rows = programs.map(({ name, sha256 }) => `| ${cell(name)} | ${sha256} |`);
  return [
    '## Installed programs',
    '',
    `Built from commit ${cell(commit)}.`,
    '',
    '| File | SHA-256 |',
    '| --- | --- |',
    ...rows,
    '',
  ];
}

/** In a browser, the editor passes an address instead of a kind. */
function kindOf(remote: string | undefined): string {
  if (remote === undefined) return 'no';
  return /^[a-z][a-z-]*$/.test(remote) ? remote : 'yes';
}

function summary(results: readonly NamedResult[]): string {
  const count = (outcome: NamedResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const skipped = count('skipped') === 0 ? '' : `; ${count('skipped')} skipped`;
  return [`${verdict(count('passed'), count('failed'), results.length)}${skipped}.`, ...warningsOf(results)].join(' ');
}

function verdict(passed: number, failed: number, all: number): string {
  if (failed > 0) return `${failed} of ${all} checks failed`;
  if (passed === all) return 'All checks passed';
  return passed === 1 ? '1 check passed' : `${passed} checks passed`;
}

function warningsOf(results: readonly NamedResult[]): readonly string[] {
  return results.map(({ warning }) => warning).filter((warning) => warning !== undefined);
}

/** Each check that failed, so that nobody must search the table for it. */
function failureList(results: readonly NamedResult[], cell: (text: string) => string): readonly string[] {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const lines = failures.map(({ name, finding, remedy }) => {
    const cause = /[.!?]$/.test(finding) ? finding : `${finding}.`;
    return `- **${cell(name)}**: ${[cause, remedy].map(cell).join(' ').trim()}`;
  });
  return lines.length === 0 ? [] : ['', ...lines];
}
