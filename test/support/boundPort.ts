// A port that a program has bound without listening. Node cannot do that: it always listens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../src/supervisor/freePort.ts';
import type { Scope } from './e2e/scope.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

const BIND = `use Socket; $| = 1;
my $bound; socket($bound, PF_INET, SOCK_STREAM, 0) and bind($bound, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die $!;
print "bound\\n"; <STDIN>;`;

export interface BoundPort {
  readonly port: number;
  readonly release: () => Promise<void>;
}

/** Binds a port until it is released, or until the end of the scope. */
export async function bindPort(scope: Scope): Promise<BoundPort> {
  const port = await freePort();
  const program = spawn('perl', ['-e', BIND, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  const release = async () => {
    program.stdin.end();
    await withTimeout('the end of the program that holds a port', DEADLINE, ended);
  };
  scope.onClose(release);
  await withTimeout('the bound port', DEADLINE, once(program.stdout, 'data'));
  return { port, release };
}
