// Runs the command `verify` for each file that standard input names, in one process, and prints a line of JSON for each:
// node verifyBatch.ts [options of verify] < FILE_NAMES
import { createInterface } from 'node:readline';
import { runCommandLine } from '../../../src/proxy/hosts/commandLineHost.ts';

const [print, texts] = [process.stdout.write.bind(process.stdout), { stdout: '', stderr: '' }];
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array) => {
    texts[name] += String(text);
    return true;
  };
}

for await (const path of createInterface({ input: process.stdin })) {
  Object.assign(texts, { stdout: '', stderr: '' });
  const code = await runCommandLine(['verify', path, ...process.argv.slice(2)], {}, import.meta.filename);
  print(`${JSON.stringify({ code, ...texts })}\n`);
}
