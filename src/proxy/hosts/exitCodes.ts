/** How the process ends on the command line. */
export const EXIT = { ok: 0, failed: 1, invalid: 2, portTaken: 3, crashed: 70 } as const;

/** Writes one line to standard error, and returns the exit code. */
export function complain(code: number, sentence: string): number {
  process.stderr.write(`sealed-proxy: ${sentence}\n`);
  return code;
}
