// The processes of an assistant, and those that it leaves running.
import { readFileSync, readdirSync } from 'node:fs';
import { eventually } from '../withTimeout.ts';

/** The IDs of the processes with this home folder. */
function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      } catch {
        return false; // it has ended, or belongs to another user
      }
    });
}

/** Ends all processes with this home folder. Returns their number. */
export async function endProcessesOf(home: string): Promise<number> {
  const all = processesOf(home);
  await eventually(`the end of the processes with the home ${home}`, () => {
    const left = processesOf(home);
    for (const pid of left) kill(pid);
    return left.length === 0;
  });
  return all.length;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has already ended
  }
}
