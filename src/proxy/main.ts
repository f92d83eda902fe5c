// The proxy process: forked by the extension, or started on the command line. Its threads run this file too.
import { isTranslationThread } from './dialects/translationThread.ts';
import { runCommandLine } from './hosts/commandLineHost.ts';
import { reportCrashes } from './hosts/crash.ts';
import { serveParent } from './hosts/ipcHost.ts';

if (!isTranslationThread) run();

function run(): void {
  reportCrashes();
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // the reader is gone
  if (process.send === undefined) {
    void runCommandLine(process.argv.slice(2), process.env).then((exitCode) => {
      if (exitCode !== undefined) process.exitCode = exitCode;
    });
  } else {
    serveParent();
  }
}
