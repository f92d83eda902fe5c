// The child processes of a script, which end together: when one of them ends, when this process is told to end, or when
// its terminal is closed.
import { once } from 'node:events';

/** How long a child may take to end, in milliseconds. */
const LIMIT = 10_000;

/** How to end each child. */
const children = new Map();
let ending = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void endAll(0));

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string | undefined} name what the user reads if it ends by itself; undefined if that is not a failure
 * @param {() => void} end ends it
 */
export function keep(child, name, end = () => child.kill()) {
  children.set(child, end);
  child.once('exit', () => {
    if (!children.delete(child) || ending) return;
    if (name !== undefined) console.error(`The ${name} has ended.`);
    void endAll(name === undefined ? 0 : 1);
  });
}

/** Lets a child end without the others. */
export function release(child) {
  children.delete(child);
}

/** Ends all children, then this process with this code. */
export async function endAll(code) {
  if (ending) return;
  ending = true;
  await Promise.all([...children].map(endOne));
  process.exit(code);
}

async function endOne([child, end]) {
  const ended = once(child, 'exit');
  setTimeout(() => child.kill('SIGKILL'), LIMIT).unref();
  end();
  await ended;
}
