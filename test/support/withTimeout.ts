/** Long enough for a busy computer, in milliseconds; a passing test never waits that long. */
export const DEADLINE = 5000;

/** Not those of a simulated clock. */
const { setTimeout, clearTimeout } = globalThis;

/** Resolves with `promise`; rejects after `milliseconds` with an error that contains the label. */
export async function withTimeout<T>(label: string, milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Waited ${milliseconds} ms for ${label}`));
    }, milliseconds);
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

/** Polls until `condition` is true and `value` has stopped changing, for states that no event reports. */
export async function until(
  label: string,
  milliseconds: number,
  condition: () => boolean,
  value: () => number,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  let [last, same] = [NaN, 0];
  while (same < 10) {
    if (performance.now() > deadline) throw new Error(`Waited ${milliseconds} ms for ${label}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    same = condition() && value() === last ? same + 1 : 0;
    last = value();
  }
}
