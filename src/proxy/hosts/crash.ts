import { EXIT } from './exitCodes.ts';

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
