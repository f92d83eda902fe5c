// The HTTP server: its connections, and what cannot be read as a request.
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { rawError } from '../http/errorResponses.ts';
import { RequestLimits } from '../relay/requestLimits.ts';
import { LocalRequest, OTHER_PATH } from './localRequest.ts';
import type { Expectation, ServerOptions } from './localRequest.ts';
import type { Log } from '../log.ts';
import { PROXY_ERRORS } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';
import { RequestEntry } from '../relay/requestLog.ts';

/** Room for the longest metadata, key and target that an envelope takes, so that they get an answer of ours. */
const MAX_HEADER_BYTES = 192 * 1024;
/** Requests that a connection may have unanswered; more than any client has use for. */
const MAX_PIPELINED = 32;

export interface ProxyServer {
  readonly server: Server;
  /** Stops listening, and ends every connection on which no whole request waits for its answer. */
  close(): void;
}

export function createProxyServer(options: ServerOptions): ProxyServer {
  const load = new RequestLimits();
  /** Of each connection, the requests that are not answered yet, in their order. */
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  const handle = (req: IncomingMessage, res: ServerResponse, expects: Expectation) => {
    const { socket } = req;
    const waiting = unanswered.get(socket);
    if (waiting === undefined || waiting.size === MAX_PIPELINED) {
      socket.destroy(); // with so many answers waiting, Node would not see the client go away
      return;
    }
    waiting.add(res);
    res.once('close', () => {
      waiting.delete(res);
      // A connection that is kept alive would keep a server that no longer listens from closing.
      if (!server.listening) setImmediate(closeUnlessBusy, socket, waiting);
    });
    new LocalRequest(options, load, req, res, expects).handle();
  };
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 60_000,
    requestTimeout: 0, // an upload may take its time; the relay watches that it moves
    keepAliveTimeout: 75_000,
    requireHostHeader: false, // the guard refuses it, in words
  });
  server.maxHeadersCount = 0; // no silent cut: too many are refused
  server.on('connection', (socket) => {
    const waiting = new Set<ServerResponse>();
    unanswered.set(socket, waiting);
    socket.once('close', () => {
      unanswered.delete(socket);
      // Node 22 does not close the responses to pipelined requests, which have no socket yet.
      for (const res of waiting) if (res.socket === null) res.destroy().emit('close');
    });
  });
  server.on('request', (req, res) => {
    handle(req, res, 'nothing');
  });
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    handle(req, res, 'continue');
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    handle(req, res, 'unknown');
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined); // Node has let go of it
    answerRaw(options.log, socket, new RequestEntry('CONNECT', OTHER_PATH), PROXY_ERRORS.noSuchPath);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    options.log.debug('client_error', { code: error.code });
    // What cannot be parsed is answered, unless that would stand in the place of the answer to an earlier request.
    const [first, second] = unanswered.get(socket) ?? [];
    const inTurn = first === undefined || (second === undefined && !first.headersSent && !first.req.complete);
    if (inTurn && socket.writable && error.code !== 'ECONNRESET') {
      answerRaw(options.log, socket, new RequestEntry('', OTHER_PATH), errorOfParser(error.code));
    } else {
      socket.destroy();
    }
  });
  return {
    server,
    close() {
      server.close();
      for (const [socket, waiting] of unanswered) closeUnlessBusy(socket, waiting);
    },
  };
}

/** Also where a further request has begun to come: what is not here yet is not served any more. */
function closeUnlessBusy(socket: Socket, waiting: ReadonlySet<ServerResponse>): void {
  if (waiting.size === 0) socket.destroySoon();
}

/** Answers on a connection that HTTP has given up, and ends it: the other side is not waited for. */
function answerRaw(log: Log, socket: Duplex, entry: RequestEntry, error: ProxyError): void {
  entry.started(error.status);
  entry.write(log);
  socket.end(rawError(error), () => socket.destroy());
}

function errorOfParser(code: string | undefined): ProxyError {
  if (code === 'HPE_HEADER_OVERFLOW') return PROXY_ERRORS.headTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? PROXY_ERRORS.uploadTimeout : PROXY_ERRORS.badRequest;
}
