// npm run bench: each option that replaces the comparison has a file of its own.
import { compare } from './comparison/compare.ts';
import { recordMemory } from './memory/memory.ts';
import { USAGE, parseOptions } from './options.ts';
import type { Task } from './options.ts';
import { profile } from './profile/profile.ts';
import { measureReplicas } from './replicas/replicas.ts';

/** Returns false if a limit is missed. */
async function run(task: Task): Promise<boolean> {
  switch (task.kind) {
    case 'compare':
      return compare(task);
    case 'memory':
      return recordMemory(task);
    case 'profile':
      await profile(task);
      return true;
    case 'replicas':
      return measureReplicas(task);
    case 'help':
      console.log(USAGE);
      return true;
  }
}

function readTask(): Task | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

const task = readTask();
if (task === undefined) process.exitCode = 2;
else if (!(await run(task))) process.exitCode = 1;
