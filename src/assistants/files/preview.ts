// Describes a change to the user, without secrets. Pure.
import { redactConfig } from '../../presentation/redaction.ts';
import { capitalized, joined, sentence } from '../../presentation/text.ts';
import type { Change, Plan, Preview } from './change.ts';
import { OWNER } from './configFile.ts';

/**
 * A change with its preview, if there is anything to change.
 * @param changes one line for each value that changes
 * @param key the access key in the new text, which the preview must not show
 * @param exists whether there is something to change, in a file or elsewhere
 */
export function planOf(
  { path, before, after, mode }: Pick<Change, 'path' | 'before' | 'after' | 'mode'>,
  changes: readonly string[],
  key: string,
  exists = before !== undefined,
): Plan {
  if (before === after && mode === undefined) return { kind: 'unchanged' };
  const redacted = (text: string) => redactConfig(text, key);
  const [old, changed] = [redacted(before ?? ''), redacted(after)];
  const permissions = mode === undefined ? undefined : describeMode(mode);
  const preview = {
    path,
    exists,
    before: old,
    after: changed,
    changes: [...changes.map(redacted), ...(permissions === undefined ? [] : [permissions])],
    permissions,
  };
  return { kind: 'change', path, before, after, ...(mode !== undefined && { mode }), preview };
}

/** What a comparison of the two texts shows, and what it does not, in sentences. */
export function describeChanges({ changes, permissions }: Pick<Preview, 'changes' | 'permissions'>): string {
  if (permissions === undefined) return shownInTab(changes.length);
  return joined(shownInTab(changes.length - 1), sentence(capitalized(permissions)));
}

function shownInTab(count: number): string {
  return count === 0 ? '' : `The tab shows ${count === 1 ? 'the change' : `all ${count} changes`}.`;
}

/** @param mode the current permissions */
function describeMode(mode: number): string {
  const octal = (bits: number) => bits.toString(8).padStart(3, '0');
  return `makes the file private, because it holds an access key (mode ${octal(mode)} becomes ${octal(mode & OWNER)})`;
}
