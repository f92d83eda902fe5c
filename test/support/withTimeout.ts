/**
 * How long a test waits for anything, in milliseconds: far longer than it takes, also on a busy computer, because only a
 * failing test waits that long. Shorter than the proxy's own limits of five minutes, which must not end what is waited
 * for, and than mocha's limit in .mocharc.json, so that a test which hangs fails with the label of its wait.
 */
export const DEADLINE = 120_000;

/** Not those of a simulated clock. */
const { setTimeout, clearTimeout } = globalThis;

/**
 * Resolves with `promise`; rejects after `milliseconds` with an error that contains the label. A wait that a test has given
 * up does not keep the process of the tests alive; a test that still runs does.
 */
export async function withTimeout<T>(label: string, milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Waited ${milliseconds} ms for ${label}`));
    }, milliseconds).unref();
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all pending microtasks and one iteration of the event loop. */
export function flushEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Polls `condition`, for conditions that no event reports. Returns how many milliseconds it took to become true. */
export async function eventually(label: string, condition: () => boolean | Promise<boolean>): Promise<number> {
  const start = performance.now();
  while (!(await condition())) {
    if (performance.now() - start > DEADLINE) throw new Error(`Waited ${DEADLINE} ms for ${label}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  return performance.now() - start;
}

/** Polls until `condition` is true and `value` has stopped changing, for states that no event reports. */
export async function until(label: string, condition: () => boolean, value: () => number): Promise<void> {
  const deadline = performance.now() + DEADLINE;
  let [last, same] = [NaN, 0];
  while (same < 10) {
    if (performance.now() > deadline) throw new Error(`Waited ${DEADLINE} ms for ${label}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    same = condition() && value() === last ? same + 1 : 0;
    last = value();
  }
}
