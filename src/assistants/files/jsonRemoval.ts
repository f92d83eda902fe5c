import { fieldsOf } from '../../shared/json.ts';
import { readJson, setValues, valueAt, withValue } from './jsonEdit.ts';
import type { Dialect, Path, Setting } from './jsonEdit.ts';

/**
 * The text without our entry, for a file that another program has edited since. Everything else stays as it is now.
 * @param before the text before our first change; empty if there was no file
 * @param find the values that are ours. Those that existed before get their previous value back
 * @returns undefined if that cannot be done without changing anything else
 */
export function removeJsonEntry(
  text: string,
  before: string,
  dialect: Dialect,
  find: (value: unknown) => readonly Path[],
): string | undefined {
  const [now, then] = [readJson(text, dialect), readJson(before, dialect)];
  if (now === undefined || then === undefined) return undefined;
  const settings: Setting[] = [];
  let rest: unknown = now;
  const set = (path: Path, value: unknown) => {
    settings.push({ path, value });
    rest = withValue(rest, path, value);
  };
  // Backwards, because removing a list item moves the items after it.
  for (const path of find(now).toReversed()) {
    if (valueAt(now, path) === undefined) continue;
    const value = typeof path.at(-1) === 'number' ? undefined : valueAt(then, path);
    set(path, value);
    for (let outer = path.slice(0, -1); value === undefined && outer.length > 0; outer = outer.slice(0, -1)) {
      if (valueAt(then, outer) !== undefined || !isEmpty(valueAt(rest, outer))) break; // it is not ours alone
      set(outer, undefined);
    }
  }
  return settings.length === 0 ? text : setValues(text, settings, dialect)?.text;
}

/**
 * A text with only what `removeJsonEntry` needs of the text before our change: the values that it restores, and which
 * objects and lists around them existed.
 */
export function previousJsonValues(
  before: string,
  after: string,
  dialect: Dialect,
  find: (value: unknown) => readonly Path[],
): string {
  const then = readJson(before, dialect);
  let kept: unknown = {};
  for (const path of find(readJson(after, dialect))) {
    for (let length = 1; length <= path.length; length++) {
      const part = path.slice(0, length);
      const value = valueAt(then, part);
      if (value === undefined || typeof part.at(-1) === 'number') break;
      const isOuter = length < path.length;
      if (!isOuter) kept = withValue(kept, part, value);
      else if (valueAt(kept, part) === undefined) kept = withValue(kept, part, Array.isArray(value) ? [] : {});
    }
  }
  return JSON.stringify(kept);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(fieldsOf(value)).length === 0;
}
