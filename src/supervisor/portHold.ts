// A port on which nothing listens, and on which a proxy cannot listen either.
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * What keeps a port from being used: a program that has bound it without listening, or the system, which has reserved it
 * (on Windows, for Hyper-V and others).
 */
export type PortHolder = 'program' | 'system';

/** Tries to listen on the port, for a moment. Undefined if that works. */
export async function findHolder(port: number): Promise<PortHolder | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    await once(server.close(), 'close');
    return undefined;
  } catch (error) {
    return holderFor(error as NodeJS.ErrnoException);
  }
}

/** The holder of a port for the error of `listen`. */
export function holderFor({ code }: NodeJS.ErrnoException): PortHolder {
  return code === 'EACCES' ? 'system' : 'program';
}
