// Loaded with `--import`: on SIGUSR2, the process prints the longest pause of its event loop since the last time, in
// milliseconds of the processor's time in the main thread, which other processes do not prolong.
import { isMainThread } from 'node:worker_threads';

const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

if (isMainThread) {
  let last = used();
  let longest = 0;
  setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1).unref();
  process.on('SIGUSR2', () => {
    process.stderr.write(`${JSON.stringify({ event: 'longest_pause', milliseconds: longest })}\n`);
    longest = 0;
  });
}
