// The observations of all assistants, as a table.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromRoot } from '../e2e/process.ts';

const COLUMNS = [
  'assistant',
  'release',
  'configured by',
  'did',
  'key at the enclave',
  'model',
  'stream',
  'tools',
  'headers at the enclave',
  'bytes, by SHA-256',
  'enclave',
  'abort reaches the enclave',
] as const;

type Column = (typeof COLUMNS)[number];

const PATH = fromRoot('.cache/assistants/table.md');
const rows = new Map<string, Map<Column, string>>();

/** Adds a text to a cell of an assistant's row. */
export function note(assistant: string, column: Exclude<Column, 'assistant'>, text: string): void {
  const row = rows.get(assistant) ?? new Map<Column, string>([['assistant', assistant]]);
  const before = row.get(column);
  row.set(column, before === undefined || before === text ? text : `${before}; ${text}`);
  rows.set(assistant, row);
}

after(showTable); // of all files with tests

/** Prints the table and writes it to .cache/assistants/table.md. */
function showTable(): void {
  const lines = [...rows.values()].map((row) => COLUMNS.map((column) => row.get(column) ?? '–'));
  if (lines.length > 0) writeTable(PATH, COLUMNS, lines);
}

/** Prints a table in Markdown, and writes it to a file. */
export function writeTable(path: string, columns: readonly string[], lines: readonly (readonly string[])[]): void {
  const table = [columns, columns.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${table}\n`);
  console.log(`\n${table}\n`);
}
