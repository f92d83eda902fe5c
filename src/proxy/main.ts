// The proxy process: forked by the extension, or started on the command line.
import { runCommandLine } from './cli.ts';
import { reportCrashes } from './crash.ts';
import { serveParent } from './forked.ts';

reportCrashes();
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // nobody reads it any more
if (process.send === undefined) {
  void runCommandLine(process.argv.slice(2), process.env).then((exitCode) => {
    if (exitCode !== undefined) process.exitCode = exitCode;
  });
} else {
  serveParent();
}
