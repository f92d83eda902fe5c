// The proxy process: forked by the extension, or started on the command line. Its threads run this file too.
import { serveTranslation } from './dialects/translationThread.ts';
import { runCommandLine } from './hosts/commandLineHost.ts';
import { reportCrashes } from './hosts/exit.ts';
import { serveParent } from './hosts/ipcHost.ts';

if (!serveTranslation()) run();

function run(): void {
  reportCrashes();
  // Node would open a debugger on a port of this computer, through which other users could read all secrets.
  process.on('SIGUSR1', () => undefined);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // the reader is gone
  if (process.send === undefined) {
    void runCommandLine(process.argv.slice(2), process.env, import.meta.filename).then((exitCode) => {
      if (exitCode !== undefined) process.exitCode = exitCode;
    });
  } else {
    serveParent(import.meta.filename);
  }
}
