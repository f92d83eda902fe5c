// The same backend over plain HTTP, without encryption: the baseline of the benchmark.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FORBIDDEN_REQUEST_HEADERS, MAX_BODY } from '../session/wire.ts';
import type { ResponseStart } from '../session/wire.ts';
import { answerStatus } from './model/apiErrors.ts';
import { runHandler } from './model/apiHandler.ts';
import type { ApiHandler, ApiResponseWriter } from './model/apiHandler.ts';
import { endToEnd, headerFields } from './model/headerFields.ts';
import { createModel } from './model/model.ts';
import { listenLocally } from './transport/httpServer.ts';
import type { RunningServer } from './transport/httpServer.ts';
import { collectBody } from './transport/outerRequest.ts';
import { ResponseTracker } from './transport/responseTracker.ts';

export interface PlainServerOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Answers the requests. Default: the model of model.ts without pauses. */
  readonly handler?: ApiHandler;
}

/** Serves the backend over http on 127.0.0.1. The API key is the bearer token of the authorization header. */
export function startPlainServer({
  port,
  handler = createModel({ paceMs: 0 }),
}: PlainServerOptions = {}): Promise<RunningServer> {
  return listenLocally({ port, answer: (request, response) => answerPlainly(handler, request, response) });
}

async function answerPlainly(handler: ApiHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const body = hasBody ? await collectBody(request, MAX_BODY, 413) : undefined;
  const credential = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null;
  const fields = headerFields(request.rawHeaders).filter(({ name }) => !FORBIDDEN_REQUEST_HEADERS.has(name));
  await runHandler(handler, { credential, method, target: url, headers: fields, body }, new PlainResponse(response));
}

class PlainResponse implements ApiResponseWriter {
  readonly #response: ServerResponse;
  readonly #tracker: ResponseTracker;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#tracker = new ResponseTracker(response);
  }

  get signal(): AbortSignal {
    return this.#tracker.signal;
  }

  start({ status, headers }: ResponseStart): void {
    const fields = endToEnd(headers).flatMap(({ name, value }) => [name, value]);
    this.#response.writeHead(status, fields);
  }

  write(chunk: Uint8Array): boolean {
    return this.#response.write(chunk);
  }

  drained(): Promise<void> {
    return this.#tracker.drained();
  }

  end(): void {
    this.#response.end();
  }

  fail(code: string): void {
    this.#tracker.markFailed();
    if (this.#response.headersSent) this.#tracker.disconnect('close');
    else answerStatus(this, 500, code);
  }
}
