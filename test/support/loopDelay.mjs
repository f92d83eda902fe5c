// Loaded with `--import`: on SIGUSR2, the process prints its longest pause since the last time, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    process.stderr.write(`${JSON.stringify({ event: 'longest_pause', milliseconds: delays.max / 1e6 })}\n`);
    delays.reset();
  });
}
