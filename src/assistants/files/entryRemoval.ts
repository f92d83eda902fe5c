// Removes our entry from a text that another program has edited since. Pure.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ACCESS_KEYS } from '../../shared/accessKeys.ts';
import { asObject, fieldsOf } from '../../shared/json.ts';
import type { ConfigFormat } from '../formats/format.ts';
import { valueAt, withValue } from '../formats/format.ts';
import type { Path, Setting } from '../formats/format.ts';

/**
 * The text without our entry, for a file that another program has edited since. Everything else stays as it is now.
 * @param before the text before our first change; empty if there was no file
 * @param find the values that are ours. Those that existed before get their previous value back
 * @param written the text after our last change, if it is known: a value that differs from it is the user's
 * @returns undefined if that cannot be done without changing anything else
 */
export function removeEntry(
  text: string,
  before: string,
  format: ConfigFormat,
  find: (value: unknown) => readonly Path[],
  written?: string,
): string | undefined {
  const [now, then] = [format.read(text), format.read(before)];
  const ours = written === undefined ? undefined : format.read(written);
  if (now === undefined || then === undefined) return undefined;
  const settings: Setting[] = [];
  let rest: unknown = now;
  const set = (path: Path, value: unknown) => {
    settings.push({ path, value });
    rest = withValue(rest, path, value);
  };
  // Backwards, because removing a list item moves the items after it.
  for (const path of pathsIn(now, ours, find).toReversed()) {
    const current = valueAt(now, path);
    if (ours !== undefined && asObject(current) === undefined && !isAsWritten(current, valueAt(ours, path))) continue;
    // What is missing was removed by us only if that is known.
    if (current === undefined && (ours === undefined || valueAt(then, path) === undefined)) continue;
    const value = typeof path.at(-1) === 'number' ? undefined : valueAt(then, path);
    set(path, value);
    for (let outer = path.slice(0, -1); value === undefined && outer.length > 0; outer = outer.slice(0, -1)) {
      if (valueAt(then, outer) !== undefined || !isEmpty(valueAt(rest, outer))) break; // it is not ours alone
      set(outer, undefined);
    }
  }
  return settings.length === 0 ? text : format.set(text, settings)?.text;
}

/** Those in the text as it is, because an item of a list may have moved, and those that we wrote. */
function pathsIn(now: unknown, written: unknown, find: (value: unknown) => readonly Path[]): readonly Path[] {
  const paths = find(now);
  const isKnown = (path: Path) => paths.some((other) => isDeepStrictEqual(other, path));
  const isListed = (path: Path) => path.some((part) => typeof part === 'number');
  const others = written === undefined ? [] : find(written).filter((path) => !isListed(path) && !isKnown(path));
  return [...paths, ...others];
}

/** Digests in place of access keys, which are not kept. They look like keys, so that our entry is still recognized. */
export function disguiseKeys(text: string): string {
  return text.replace(ACCESS_KEYS, (key) => `sealed-${hash('sha256', key, 'base64url')}`);
}

/** A text with only our values, without access keys. */
export function writtenValues(after: string, format: ConfigFormat, find: (value: unknown) => readonly Path[]): string {
  const value = format.read(after);
  const paths = find(value).filter((path) => !path.some((part) => typeof part === 'number'));
  const kept = paths.reduce<unknown>((rest, path) => {
    const each = valueAt(value, path);
    return each === undefined ? rest : withValue(rest, path, each);
  }, {});
  return disguiseKeys(format.write(fieldsOf(kept)));
}

function isAsWritten(current: unknown, written: unknown): boolean {
  return isDeepStrictEqual(typeof current === 'string' ? disguiseKeys(current) : current, written);
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
