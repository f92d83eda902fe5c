/** Runs `work`; resolves with its result and its duration in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; milliseconds: number }> {
  const begin = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - begin };
}
