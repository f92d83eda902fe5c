// The HTTP server: its connections, and input that is not a readable request.
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { rawError } from '../http/errorResponses.ts';
import { PROXY_ERRORS } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import { RequestEntry } from '../usage/requestEntry.ts';
import { onceAMinute } from './accessKeys.ts';
import { Connections, MAX_CONNECTIONS } from './connections.ts';
import type { ClientConnection } from './connections.ts';
import { LocalRequest, createRequestId } from './localRequest.ts';
import type { Expectation, ServerOptions } from './localRequest.ts';
import { OTHER_PATH } from './routes.ts';
import { HANDSHAKE_TIMEOUT, contextOptions } from './tls.ts';
import type { TlsIdentity } from './tls.ts';

/** Larger than the largest metadata, key and target of an envelope, so that the proxy answers those that are too large. */
const MAX_HEADER_BYTES = 192 * 1024;
/** Requests that may wait for their response on one connection; more than any client needs. */
const MAX_PIPELINED = 32;

/** How long an idle connection of a client stays open, in milliseconds. `network.ts` has that to the backend. */
const IDLE_LIFETIME = 75_000;

const HTTP_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 60_000,
  requestTimeout: 0, // an upload may take long; the relay limits the time between two chunks
  keepAliveTimeout: IDLE_LIFETIME,
  requireHostHeader: false, // the guard refuses such requests with an explanation
};

/** How long a new connection stays open for its first request although the proxy stops, in milliseconds. */
const NEW_LIFETIME = 1000;

/** Connections that are still accepted when the proxy stops: twice as many as the system lets wait (Node's `backlog`). */
const MAX_WAITING = 2 * 511;

/** The times between the probes of a client that has closed its half, in milliseconds; the last one repeats. */
const PROBES = [100, 1000];

export interface ProxyServer {
  readonly server: Server;
  /**
   * Stops listening, and closes every connection on which no complete request waits for its response. A new connection may
   * have its first request on the way, which its client must not send again: it is closed a second after it was made.
   * @param isShared whether another process goes on with the socket, and with the connections that wait there
   */
  close(isShared: boolean): Promise<void>;
  /** With TLS, uses this certificate and key for new connections. */
  setTls(identity: TlsIdentity): void;
  /** Resolves when every connection has ended, and each of its requests has its line in the log. */
  ended(): Promise<void>;
}

export function createProxyServer(options: ServerOptions): ProxyServer {
  const warn = onceAMinute((event) => {
    options.log.warn(event, { limit: MAX_CONNECTIONS, note: 'Idle connections are closed to make room for new ones.' });
  });
  let accepted = 0;
  const connections = new Connections(() => {
    warn('too_many_connections');
  });
  const handle = (expects: Expectation) => (req: IncomingMessage, res: ServerResponse) => {
    const { socket } = req;
    const connection = connections.get(socket);
    if (connection === undefined || connection.waiting.size === MAX_PIPELINED) {
      socket.destroy(); // with so many waiting responses, Node would not notice that the client disconnects
      return;
    }
    connection.waiting.add(res);
    connection.latest = req;
    res.once('close', () => {
      connection.waiting.delete(res);
      // A kept-alive connection would prevent a server that no longer listens from closing.
      if (!server.listening) setImmediate(closeUnlessBusy, connection);
    });
    new LocalRequest(options, connection, req, res, expects).handle();
  };
  const tlsServer =
    options.tls &&
    createTlsServer({
      ...HTTP_OPTIONS,
      ...contextOptions(options.tls),
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      allowHalfOpen: true, // as Node's server for plain HTTP
    });
  const server: Server = tlsServer ?? createServer(HTTP_OPTIONS);
  // Node's own option, without which it drops all requests of a connection whose client has closed its half.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxHeadersCount = 0; // Node would drop headers silently; the proxy refuses too many
  server.on('connection', () => {
    accepted++;
  });
  const accept = (connection: ClientConnection) => {
    const { socket, waiting } = connection;
    socket.once('end', () => {
      probe(connection);
    });
    socket.once('close', () => {
      // Node 22 does not close the responses to pipelined requests, which have no socket yet.
      for (const res of waiting) if (res.socket === null) res.destroy().emit('close');
    });
  };
  if (tlsServer === undefined) {
    server.on('connection', (socket: Socket) => {
      accept(connections.add(socket));
    });
  } else {
    tlsServer.on('connection', (socket: Socket) => connections.add(socket)); // the handshake counts too
    tlsServer.on('secureConnection', (socket) => {
      const connection = [...connections].find((known) => isSamePeer(known.socket, socket));
      if (connection === undefined) {
        socket.destroy(); // it was closed meanwhile to make room for another one
        return;
      }
      connections.replace(connection, socket);
      accept(connection);
    });
  }
  server.on('request', handle('nothing'));
  server.on('checkContinue', handle('continue'));
  server.on('checkExpectation', handle('unknown'));
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined).resume(); // Node no longer handles its errors and its end
    const answer = () => {
      if (socket.writable) answerRaw(options, socket, 'CONNECT', PROXY_ERRORS.noSuchPath);
    };
    const before = [...(connections.get(socket)?.waiting ?? [])].at(-1);
    if (before === undefined) answer();
    else before.once('close', answer);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    options.log.debug('client_error', { code: error.code });
    const connection = connections.get(socket);
    if (connection === undefined || error.code?.startsWith('ERR_SSL_') === true) {
      socket.destroy(); // TLS has failed, so there is nothing to answer with
      return;
    }
    if (canAnswerUnreadable(connection) && socket.writable && error.code !== 'ECONNRESET') {
      answerRaw(options, socket, '', errorOfParser(error.code));
    } else {
      socket.destroy();
    }
  });
  /** Node takes one connection in each turn of its loop, and the system resets those that wait when the server closes. */
  const acceptWaiting = async () => {
    for (let quiet = 0, turns = 0; quiet < 2 && turns < MAX_WAITING; turns++) {
      const before = accepted;
      await nextTurn();
      quiet = accepted === before ? quiet + 1 : 0;
    }
  };
  const isClosed = new Promise((resolve) => {
    server.once('close', resolve);
  });
  return {
    server,
    async close(isShared) {
      if (!isShared) await acceptWaiting();
      server.close();
      for (const connection of connections) closeUnlessBusyOrNew(connection);
    },
    setTls(identity) {
      tlsServer?.setSecureContext(contextOptions(identity));
    },
    async ended() {
      await isClosed; // as soon as the sockets are destroyed, before they and the responses on them tell
      await Promise.all(
        [...connections].map(({ socket }) => {
          return new Promise((resolve) => {
            socket.once('close', resolve);
          });
        }),
      );
    },
  };
}

/**
 * Finds out whether a client that has sent a FIN still waits for its response (RFC 9112 section 9.6), or has closed the
 * connection: only then its system refuses what it is sent. Interim responses change nothing for a client that waits. A
 * client that ends a connection in the middle of a response has gone.
 */
function probe(connection: ClientConnection, count = 0): void {
  const { socket, waiting } = connection;
  const [first] = waiting;
  if (first === undefined || socket.destroyed) return; // Node closes the connection after the last response
  if (first.headersSent && !first.writableEnded && count === 0) {
    socket.destroy();
    return;
  }
  if (!first.headersSent) first.writeProcessing();
  setTimeout(
    () => {
      probe(connection, count + 1);
    },
    PROBES[Math.min(count, PROBES.length - 1)],
  ).unref();
}

/** True if both sockets belong to one connection: Node does not tell on which one an encrypted one is based. */
function isSamePeer(one: Socket, other: Socket): boolean {
  return one !== other && one.remotePort === other.remotePort && one.remoteAddress === other.remoteAddress;
}

/** Also closes a connection on which a request has begun to arrive: it is not served any more. */
function closeUnlessBusy({ socket, waiting }: ClientConnection): void {
  if (waiting.size === 0) socket.destroySoon();
}

/** Waits for the first request of a new connection: it was made before the server stopped listening. */
function closeUnlessBusyOrNew(connection: ClientConnection): void {
  const left = connection.latest !== undefined ? 0 : connection.opened + NEW_LIFETIME - performance.now();
  if (left <= 0) closeUnlessBusy(connection);
  else setTimeout(closeUnlessBusy, left, connection);
}

/** Whether the client cannot take an error about what it has just sent for the response to an earlier request. */
function canAnswerUnreadable({ waiting, latest }: ClientConnection): boolean {
  const [first, second] = waiting;
  // The rest of the body of an answered request is not a new request.
  if (first === undefined) return latest?.complete !== false;
  return second === undefined && !first.headersSent && !first.req.complete;
}

/** Answers on a connection that Node's HTTP parser has given up, and closes it without waiting for the client. */
function answerRaw(
  { log, activity }: Pick<ServerOptions, 'log' | 'activity'>,
  socket: Socket,
  method: string,
  error: ClientError,
): void {
  const requestId = createRequestId();
  const entry = new RequestEntry(method, OTHER_PATH, requestId);
  entry.refuse();
  entry.started(error.status);
  entry.write(log);
  activity.finish(entry);
  socket.end(rawError(error, requestId), () => socket.destroy());
}

function errorOfParser(code: string | undefined): ClientError {
  if (code === 'HPE_HEADER_OVERFLOW') return PROXY_ERRORS.headTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? PROXY_ERRORS.uploadTimeout : PROXY_ERRORS.badRequest;
}
