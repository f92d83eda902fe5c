// src/devEnclave: the development backend, for the demo and for tests. Never part of the extension package.
// The same backend over ordinary HTTP, without encryption: what a benchmark compares with, byte by byte.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FORBIDDEN_REQUEST_HEADERS, MAX_BODY } from '../../session/wire.ts';
import type { ResponseStart } from '../../session/wire.ts';
import { answerStatus } from '../model/apiErrors.ts';
import { ClientWatch } from '../transport/clientWatch.ts';
import { endToEnd, headerFields } from '../transport/headerFields.ts';
import { listenLocally } from '../transport/httpServer.ts';
import type { RunningServer } from '../transport/httpServer.ts';
import type { LogicalHandler, LogicalResponseWriter } from '../model/logical.ts';
import { createModel } from '../model/model.ts';
import { collectBody } from '../transport/outerRequest.ts';
import { ClientGone, Refusal, answerRefusal } from '../transport/refusal.ts';

export interface PlainServerOptions {
  /** 0 or nothing: any free port. */
  readonly port?: number;
  /** Who answers; without one, the model of model.ts without pauses. */
  readonly handler?: LogicalHandler;
}

/** Serves the backend over http on 127.0.0.1; the key is the bearer token of the authorization header. */
export function startPlainServer({
  port = 0,
  handler = createModel({ paceMs: 0 }),
}: PlainServerOptions = {}): Promise<RunningServer> {
  return listenLocally(port, undefined, (request, response) => {
    answerPlainly(handler, request, response).catch((error: unknown) => {
      if (error instanceof Refusal) {
        answerRefusal(request, response, error);
      } else if (!(error instanceof ClientGone)) {
        console.error(error);
        response.destroy();
      }
    });
  });
}

async function answerPlainly(
  handler: LogicalHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const body = hasBody ? await collectBody(request, MAX_BODY, 413) : undefined;
  const credential = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  const fields = headerFields(request.rawHeaders).filter(({ name }) => !FORBIDDEN_REQUEST_HEADERS.has(name));
  const watch = new ClientWatch(response);
  const answer = new PlainResponse(response, watch);
  try {
    await handler({ credential, method, target: url, headers: fields, body }, answer);
  } catch (error) {
    if (watch.signal.aborted) return;
    answer.fail('internal_error');
    throw error;
  }
}

class PlainResponse implements LogicalResponseWriter {
  readonly #response: ServerResponse;
  readonly #watch: ClientWatch;

  constructor(response: ServerResponse, watch: ClientWatch) {
    this.#response = response;
    this.#watch = watch;
  }

  get signal(): AbortSignal {
    return this.#watch.signal;
  }

  start({ status, headers }: ResponseStart): void {
    const fields = endToEnd(headers).flatMap(({ name, value }) => [name, value]);
    this.#response.writeHead(status, fields);
  }

  write(piece: Uint8Array): boolean {
    return this.#response.write(piece);
  }

  drained(): Promise<void> {
    return this.#watch.drained();
  }

  end(): void {
    this.#response.end();
  }

  fail(code: string): void {
    this.#watch.markFailed();
    if (this.#response.headersSent) this.#watch.cut('close');
    else answerStatus(this, 500, code);
  }
}
