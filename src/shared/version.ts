/** The version of the product, the same as in package.json. */
export const VERSION = '0.8.0';

/** Positive if version `one` is newer than `other`, negative if it is older, 0 if neither. Only X.Y.Z counts. */
export function compareVersions(one: string, other: string): number {
  const left = partsOf(one);
  const right = partsOf(other);
  const index = left.findIndex((part, at) => part !== right[at]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

/** Always three numbers. */
function partsOf(version: string): readonly number[] {
  const [, ...parts] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(version) ?? [];
  return [0, 1, 2].map((index) => Number(parts[index] ?? 0));
}
