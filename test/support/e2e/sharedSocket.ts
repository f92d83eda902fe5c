// A socket that outlives the proxies that listen on it, as systemd keeps one.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { PROXY, RunningProcess, environment } from './process.ts';

/** What Node's own servers are based on. They cannot bind without accepting connections, which are for the proxy. */
interface TcpWrap {
  readonly TCP: new (type: number) => {
    readonly fd: number;
    bind(address: string, port: number): number;
    getsockname(out: Partial<AddressInfo>): number;
    close(): void;
  };
  readonly constants: { readonly SOCKET: number };
}

export interface SharedSocket {
  readonly fd: number;
  readonly port: number;
  close(): void;
}

/** A TCP socket that is bound to any free port; the first proxy begins to listen. */
export function bindSocket(address = '127.0.0.1'): SharedSocket {
  const { TCP, constants } = (process as unknown as { binding(name: string): TcpWrap }).binding('tcp_wrap');
  const socket = new TCP(constants.SOCKET);
  const name: Partial<AddressInfo> = {};
  const failed = socket.bind(address, 0) || socket.getsockname(name);
  if (failed !== 0) throw new Error(`cannot bind a socket: ${failed}`);
  const close = () => {
    socket.close();
  };
  return { fd: socket.fd, port: name.port ?? 0, close };
}

/** The descriptor of a server that listens. */
export function descriptorOf(server: Server): number {
  return (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}

/** A server that listens on a path of the file system. */
export function listenOnPath(path: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(path, () => {
      resolve(server);
    });
  });
}

/** Starts the proxy with these descriptors from 3 on, as systemd does: `LISTEN_PID` is that of the process itself. */
export function startWithSockets(
  fds: readonly number[],
  env: Readonly<Record<string, string>>,
  count = fds.length,
): RunningProcess {
  const script = 'LISTEN_PID=$$ exec "$0" "$@"';
  const child = spawn('sh', ['-c', script, process.execPath, PROXY], {
    env: environment({ ...env, LISTEN_FDS: String(count), LISTEN_FDNAMES: 'http' }),
    stdio: ['ignore', 'pipe', 'pipe', ...fds],
  });
  return new RunningProcess(child);
}
