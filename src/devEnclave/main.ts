import { parseCommandLine } from './cli.ts';
import { startEnclave } from './server.ts';

async function main(): Promise<void> {
  const command = parseCommandLine(process.argv.slice(2));
  switch (command.kind) {
    case 'print':
      process.stdout.write(command.text);
      return;
    case 'refuse':
      process.stderr.write(`dev-enclave: ${command.reason}\n`);
      process.exitCode = 2;
      return;
    case 'run': {
      const { url } = await startEnclave(command.options);
      process.stdout.write(`enclave listening on ${url}\n`);
    }
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
main().catch((error: unknown) => {
  process.stderr.write(`dev-enclave: ${error instanceof Error ? error.message : 'could not start'}\n`);
  process.exitCode = 1;
});
