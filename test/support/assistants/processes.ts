// The processes of an assistant: its own, and what it leaves behind.
import { readFileSync, readdirSync } from 'node:fs';
import { eventually } from '../vscode/processes.ts';

/** Those whose home is this folder, wherever they were started from. */
export function livingIn(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
      } catch {
        return false; // it has ended, or is not ours to look into
      }
    });
}

/** Ends them all. Returns how many there were. */
export async function endThoseIn(home: string): Promise<number> {
  const all = livingIn(home);
  await eventually(`the end of what lives in ${home}`, () => {
    const left = livingIn(home);
    for (const pid of left) kill(pid);
    return left.length === 0;
  });
  return all.length;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}
