import { EXIT } from './commandLineHost.ts';

/**
 * A defect of ours ends the process with one line of the log: where it happened, and nothing of what was at hand there.
 * (Node would print the line of source, which is the whole bundle, and a message that may quote data.)
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
