/** Long enough for a loaded machine; a test that passes never waits for it. In milliseconds. */
export const DEADLINE = 5000;

/** `promise`, or an error that says what was waited for. */
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

/** Lets everything run that is ready to run: all microtasks and one turn of the event loop. */
export function flushEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Waits until `condition` holds and `value` stands still: for what no event announces. Asks every few milliseconds. */
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
