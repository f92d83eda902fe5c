// How the process ends.

/** The exit codes on the command line. */
export const EXIT = { ok: 0, failed: 1, invalid: 2, portTaken: 3, crashed: 70 } as const;

/** Writes one line to standard error, and returns the exit code. */
export function complain(code: number, sentence: string): number {
  process.stderr.write(`sealed-proxy: ${sentence}\n`);
  return code;
}

/**
 * An uncaught exception ends the process with one log line that holds the stack frames, but no message: that may quote
 * data. (Node would print the message, and the source line, which is the complete bundle.)
 */
export function reportCrashes(): void {
  process.on('uncaughtException', (error: unknown) => {
    const { name, code, stack }: NodeJS.ErrnoException = error instanceof Error ? error : new Error();
    const frames = stack?.split('\n').filter((line) => /^ +at /.test(line)) ?? [];
    const line = { time: new Date().toISOString(), level: 'error', event: 'crash', name, code, frames };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    process.exit(EXIT.crashed);
  });
}
