/** Runs `work` for every item, at most `width` at a time; returns the promise of each result. */
export function startAll<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): ReadonlyMap<T, Promise<R>> {
  const lanes = Array.from({ length: width }, () => Promise.resolve());
  const started = items.map((item, index): [T, Promise<R>] => {
    const lane = index % width;
    const result = (lanes[lane] ?? Promise.resolve()).then(() => work(item));
    lanes[lane] = result.then(
      () => undefined,
      () => undefined,
    );
    return [item, result];
  });
  return new Map(started);
}
