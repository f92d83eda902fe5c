// Removes our entry from a text that another program has edited since. Pure.
import { fieldsOf } from '../../shared/json.ts';
import type { ConfigFormat } from './configFormat.ts';
import { valueAt, withValue } from './jsonEdit.ts';
import type { Path, Setting } from './jsonEdit.ts';

/**
 * The text without our entry, for a file that another program has edited since. Everything else stays as it is now.
 * @param before the text before our first change; empty if there was no file
 * @param find the values that are ours. Those that existed before get their previous value back
 * @returns undefined if that cannot be done without changing anything else
 */
export function removeEntry(
  text: string,
  before: string,
  format: ConfigFormat,
  find: (value: unknown) => readonly Path[],
): string | undefined {
  const [now, then] = [format.read(text), format.read(before)];
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
  return settings.length === 0 ? text : format.set(text, settings)?.text;
}

/**
 * A text with only what `removeEntry` needs of the text before our change: the values that it restores, and which
 * objects and lists around them existed.
 */
export function previousValues(
  before: string,
  after: string,
  format: ConfigFormat,
  find: (value: unknown) => readonly Path[],
): string {
  const then = format.read(before);
  let kept: object = {};
  for (const path of find(format.read(after))) {
    for (let length = 1; length <= path.length; length++) {
      const part = path.slice(0, length);
      const value = valueAt(then, part);
      if (value === undefined || typeof part.at(-1) === 'number') break;
      const isOuter = length < path.length;
      if (!isOuter) kept = fieldsOf(withValue(kept, part, value));
      else if (valueAt(kept, part) === undefined)
        kept = fieldsOf(withValue(kept, part, Array.isArray(value) ? [] : {}));
    }
  }
  return format.write(kept);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.keys(fieldsOf(value)).length === 0;
}
