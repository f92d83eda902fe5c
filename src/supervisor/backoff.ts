/** How long to wait before the backend is asked again, in milliseconds, after this many failures in a row. */
export function retryDelay(failures: number): number {
  return Math.min(5000 * 2 ** Math.max(0, failures - 1), 5 * 60_000);
}
