// Loaded into each measured process with `--import`: reports measurements over file descriptor 3.
import { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const delay = monitorEventLoopDelay({ resolution: 1 });
let peak = 0;
let sampler;

const measurements = {
  /** CPU time in microseconds since the start of the process, all threads. */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Resident memory in bytes, after a garbage collection if the process was started with --expose-gc. */
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage.rss();
  },
  /** The same without a garbage collection. */
  resident: () => process.memoryUsage.rss(),
  watch: () => {
    peak = process.memoryUsage.rss();
    sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2);
    delay.reset();
    delay.enable();
    return 0;
  },
  /** Since `watch`: the peak resident memory in bytes and the longest pause of the event loop in milliseconds. */
  watched: () => {
    clearInterval(sampler);
    delay.disable();
    return { peak, pause: Math.max(0, delay.max / 1e6 - 1) };
  },
};

if (isMainThread) {
  const channel = new Socket({ fd: 3 });
  channel.on('data', (name) => channel.write(`${JSON.stringify(measurements[String(name)]())}\n`));
  channel.unref();
}
