// What differs between two texts: enough to get one from the other without keeping both. Pure.
import { isListOf, isString, passes } from '../../shared/json.ts';
import { replaceRange } from '../formats/textEdit.ts';

/** Replaces a range of a text by another text. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type TextPatch = readonly Hunk[];

/** The largest number of pairs of lines to compare; more differences become one hunk. */
const MAX_PAIRS = 4_000_000;

/** The patch with which `applyPatch` makes `to` of `from`. */
export function makePatch(from: string, to: string): TextPatch {
  const [old, next] = [linesOf(from), linesOf(to)];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const offsets = [0];
  for (const line of old) offsets.push((offsets.at(-1) ?? 0) + line.length);
  return compare(old.slice(start, old.length - end), next.slice(start, next.length - end)).map(
    ({ at, count, lines }) => {
      const [first = 0, last = 0] = [offsets[start + at], offsets[start + at + count]];
      return trim(from.slice(first, last), lines.join(''), first);
    },
  );
}

export function applyPatch(text: string, patch: TextPatch): string {
  return patch.reduceRight((rest, { start, end, text: inserted }) => replaceRange(rest, start, end, inserted), text);
}

/** True for a patch that was stored as JSON. */
export function isTextPatch(value: unknown): value is TextPatch {
  const checks = { start: Number.isSafeInteger, end: Number.isSafeInteger, text: isString };
  return isListOf((hunk) => passes(hunk, checks))(value);
}

/** Without what both texts have in common: a line whose end has changed may have a secret in it. */
function trim(old: string, next: string, offset: number): Hunk {
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter && old[start] === next[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  return { start: offset + start, end: offset + old.length - end, text: next.slice(start, next.length - end) };
}

interface LineHunk {
  /** The first line, from 0. */
  readonly at: number;
  /** How many lines are replaced. */
  readonly count: number;
  readonly lines: readonly string[];
}

/** Lines with their endings. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** The hunks between two lists of lines by their longest common subsequence. */
function compare(old: readonly string[], next: readonly string[]): LineHunk[] {
  if (old.length === 0 && next.length === 0) return [];
  if (old.length * next.length > MAX_PAIRS) return [{ at: 0, count: old.length, lines: next }];
  const width = next.length + 1;
  // common[i * width + j]: the length of the longest common subsequence of old[i..] and next[j..].
  const common = new Uint32Array((old.length + 1) * width);
  const lengthAt = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = next.length - 1; column >= 0; column--) {
      common[row * width + column] =
        old[row] === next[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const hunks: LineHunk[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < next.length) {
    const [firstRow, firstColumn] = [row, column];
    while ((row < old.length || column < next.length) && !(row < old.length && old[row] === next[column])) {
      const skipsOld =
        column === next.length || (row < old.length && lengthAt(row + 1, column) >= lengthAt(row, column + 1));
      if (skipsOld) row++;
      else column++;
    }
    if (row > firstRow || column > firstColumn)
      hunks.push({ at: firstRow, count: row - firstRow, lines: next.slice(firstColumn, column) });
    for (; row < old.length && column < next.length && old[row] === next[column]; row++) column++;
  }
  return hunks;
}
