// Loaded into each proxy of the soak, before its own code: makes an hour of it pass in a minute, lets its clock jump, and
// records what it holds.
'use strict';
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');
const process = require('node:process');

const { setTimeout } = globalThis;
const { now } = Date;

/** Longer timers, in milliseconds, fire after a sixtieth of the time: a session is renewed after 55 s, not 55 minutes. */
const LONG = 300_000;
/** By how much the clock jumps ahead, and back with the next signal, in milliseconds. */
const JUMP = 10 * 60_000;

let ahead = 0;
globalThis.setTimeout = Object.assign(
  (callback, delay, ...args) => setTimeout(callback, delay > LONG ? delay / 60 : delay, ...args),
  setTimeout, // its promisified form
);
Date.now = () => now() + ahead;
process.on('SIGUSR2', () => {
  ahead = ahead === 0 ? JUMP : 0;
});

globalThis
  .setInterval(() => {
    const held = Object.groupBy(process.getActiveResourcesInfo(), (name) => name);
    const count = (name) => held[name]?.length ?? 0;
    const record = {
      time: now(),
      pid: process.pid,
      memory: process.memoryUsage.rss(),
      sockets: count('TCPSocketWrap'),
      timers: count('Timeout'),
    };
    if (globalThis.soakFolder) appendFileSync(join(globalThis.soakFolder, 'samples'), `${JSON.stringify(record)}\n`);
  }, 1000)
  .unref();
