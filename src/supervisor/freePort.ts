import { hash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { findHolder } from './portHold.ts';

/** The ports for editors: next to the default port, and below those that systems give to outgoing connections. */
const FIRST = 14_115;
const COUNT = 1000;
const ATTEMPTS = 50;
/** Other ports below those for outgoing connections. */
const RANGE = [20_000, 32_000] as const;

/**
 * A port of this computer on which nothing listens at the moment. It is not one that systems give to outgoing connections or
 * to programs that ask for any port, so it stays free until it is used.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(...RANGE);
  return (await isFree(port)) ? port : freePort();
}

/** A free port for an editor to keep: the same for the same `seed`, or one of the next if that is in use. */
export async function ownPort(seed: string): Promise<number> {
  const start = hash('sha256', seed, 'buffer').readUInt32BE();
  for (let step = 0; step < ATTEMPTS; step++) {
    const port = FIRST + ((start + step) % COUNT);
    if (await isFree(port)) return port;
  }
  return freePort();
}

async function isFree(port: number): Promise<boolean> {
  return !(await isAnswered(port)) && (await findHolder(port)) === undefined;
}

/** Some systems let a program listen on an address of a port on which another program listens on all addresses. */
async function isAnswered(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
