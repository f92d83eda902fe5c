// The text of one file of the usage history: the sums of one day (UTC) that one window has recorded, as compact JSON.
import { UsageTable, isUsageSum } from '../shared/activity.ts';
import type { UsageSum } from '../shared/activity.ts';
import { asObject, fieldsOf, parseJson } from '../shared/json.ts';
import { OTHER_MODELS } from '../shared/usage.ts';

export interface DayFile {
  /** The names of clients, by caller. */
  readonly names: Readonly<Record<string, string>>;
  readonly sums: readonly UsageSum[];
}

const VERSION = 1;
/** Sums in one file. If there are more, or the file would be too large, those of all models are added up. */
const MAX_SUMS = 5000;
/** Of one file, in bytes. A larger one is damaged. */
export const MAX_SIZE = 4 * 1024 * 1024;

export function formatDay({ names, sums }: DayFile): string {
  const json = format({ names, sums });
  const fits = sums.length <= MAX_SUMS && Buffer.byteLength(json) <= MAX_SIZE;
  return fits ? json : format({ names, sums: withoutModels(sums) });
}

function format({ names, sums }: DayFile): string {
  const rows = sums.map((sum) => [
    ...[sum.hour, sum.caller, sum.model, sum.requests, sum.errors, sum.cancelled],
    ...[sum.tokensIn, sum.tokensOut, sum.tokensCached, sum.firstByte],
  ]);
  return JSON.stringify({ version: VERSION, names, sums: rows });
}

/** Undefined if the text is damaged, or has another version. */
export function parseDay(json: string): DayFile | undefined {
  const { version, names, sums: rows } = fieldsOf(parseJson(json));
  const texts = asObject(names);
  if (version !== VERSION || texts === undefined || !Array.isArray(rows)) return undefined;
  const sums = rows.map(parseRow);
  const isValid = sums.every(isUsageSum) && Object.values(texts).every((name) => typeof name === 'string');
  return isValid ? { names: texts as DayFile['names'], sums } : undefined;
}

function parseRow(row: unknown): unknown {
  const [hour, caller, model, requests, errors, cancelled, tokensIn, tokensOut, tokensCached, firstByte] = (
    Array.isArray(row) ? row : []
  ) as unknown[];
  return { hour, caller, model, requests, errors, cancelled, tokensIn, tokensOut, tokensCached, firstByte };
}

function withoutModels(sums: readonly UsageSum[]): readonly UsageSum[] {
  const table = new UsageTable();
  for (const sum of sums) table.add({ ...sum, model: OTHER_MODELS });
  return table.sums;
}
