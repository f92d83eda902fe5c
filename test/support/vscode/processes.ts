// The processes of this computer, read from /proc.
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All running processes, without zombies. */
export function allProcesses(): ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((facts) => facts !== undefined);
}

function readProcess(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), command };
  } catch {
    return undefined; // the process has just ended
  }
}

/** The proxies that run from this extensions folder: all, or those of one extension host. */
export function proxiesOf(extensions: string, host?: number): ProcessFacts[] {
  return allProcesses().filter(
    ({ command, parent }) =>
      command.includes(extensions) && command.includes('proxy.js') && (host === undefined || parent === host),
  );
}

export function isRunning(pid: number): boolean {
  return readProcess(pid) !== undefined;
}
