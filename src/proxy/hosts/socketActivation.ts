// A socket that systemd listens on and passes to the process, as in sd_listen_fds(3). Connections wait there during a restart.
import type { AddressInfo, Server } from 'node:net';
import { codeOf } from '../../shared/errors.ts';

/** SD_LISTEN_FDS_START */
const FIRST = 3;

const REMEDY = 'the .socket unit needs exactly one ListenStream=, with a port, and Accept=no';

/** A socket that cannot be used. The message is for the user. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
}

/**
 * The file descriptor of the socket that this process got; undefined if it got none. Removes the variables, which other
 * processes would misunderstand.
 * @throws SocketError
 */
export function takeSocket(environment: Record<string, string | undefined>, pid: number): number | undefined {
  const { LISTEN_PID: owner = '', LISTEN_FDS: count = '' } = environment;
  delete environment['LISTEN_PID'];
  delete environment['LISTEN_FDS'];
  delete environment['LISTEN_FDNAMES'];
  if (owner !== String(pid) || count === '' || count === '0') return undefined;
  if (count === '1') return FIRST;
  throw new SocketError(`the proxy got several sockets (LISTEN_FDS=${count.slice(0, 20)}): ${REMEDY}`);
}

/**
 * The address of a socket that the server has taken over.
 * @throws SocketError
 */
export function addressOfSocket(server: Server): AddressInfo {
  const address = server.address();
  if (address !== null && typeof address === 'object') return address;
  throw new SocketError(`the proxy got a socket of the file system: ${REMEDY}`);
}

/** Why a socket cannot be used to listen on. */
export function socketFailure(error: unknown): SocketError {
  if (error instanceof SocketError) return error;
  return new SocketError(
    `the proxy cannot listen on the socket that it got (${codeOf(error) ?? 'unknown'}): ${REMEDY}`,
  );
}
