// Loaded by `--import`: makes every timer of this Node come twenty times as soon, so that long limits can be seen.
const TIMES = 20;
const { setTimeout: original } = globalThis;

globalThis.setTimeout = Object.assign(
  (callback, milliseconds, ...rest) => original(callback, milliseconds / TIMES, ...rest),
  original,
);
