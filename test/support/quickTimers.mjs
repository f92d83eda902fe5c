// Loaded with `--import`: timers of this process fire 20 times as fast, so that tests can reach long limits.
const SPEED = 20;
const { setTimeout: original } = globalThis;

globalThis.setTimeout = Object.assign(
  (callback, milliseconds, ...rest) => original(callback, milliseconds / SPEED, ...rest),
  original,
);
