import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { findHolder } from './portHold.ts';

/** The ports for editors: next to the default port, and below those that systems give to outgoing connections. */
const FIRST = 14_115;
const COUNT = 1000;
const ATTEMPTS = 50;

/** A port of this computer on which nothing listens at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

/** A free port for an editor to keep: the same for the same `seed`, or one of the next if that is in use. */
export async function ownPort(seed: string): Promise<number> {
  const start = createHash('sha256').update(seed).digest().readUInt32BE();
  for (let step = 0; step < ATTEMPTS; step++) {
    const port = FIRST + ((start + step) % COUNT);
    if (!(await isAnswered(port)) && (await findHolder(port)) === undefined) return port;
  }
  return freePort();
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
