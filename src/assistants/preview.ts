// Describes a change to the user, without secrets. Pure.
import { redactConfig, redactValue } from '../presentation/redaction.ts';
import type { Change, Plan } from './types.ts';

/**
 * A change with its preview, if there is anything to change.
 * @param changes one line for each value that changes
 * @param key the access key in the new text, which the preview must not show
 * @param exists whether there is something to change, in a file or elsewhere
 */
export function planOf(
  { path, before, after }: Pick<Change, 'path' | 'before' | 'after'>,
  changes: readonly string[],
  key: string,
  exists = before !== undefined,
): Plan {
  if (before === after) return { kind: 'unchanged' };
  const redacted = (text: string) => redactConfig(text, key);
  const [old, changed] = [redacted(before ?? ''), redacted(after)];
  const preview = { path, exists, before: old, after: changed, changes: changes.map(redacted) };
  return { kind: 'change', path, before, after, preview };
}

/** @param name may be a path; its end decides whether the values are secret */
export function describeChange(name: string, before: unknown, after: unknown): string {
  if (after === undefined) return `removes ${name}`;
  if (before !== undefined) return `changes ${name} from ${redactValue(name, before)} to ${redactValue(name, after)}`;
  return typeof after === 'object' ? `adds ${name}` : `sets ${name} to ${redactValue(name, after)}`;
}
