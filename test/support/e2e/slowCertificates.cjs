// Loaded before a program by NODE_OPTIONS: reading the system's certificates blocks until the file GATE exists, as it
// does on some computers.
const { existsSync } = require('node:fs');
const { env } = require('node:process');
const tls = require('node:tls');

const read = tls.getCACertificates;
const asleep = new Int32Array(new SharedArrayBuffer(4));
tls.getCACertificates = (type) => {
  while (type === 'system' && !existsSync(env.GATE)) Atomics.wait(asleep, 0, 0, 20);
  return read(type);
};
