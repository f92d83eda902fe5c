import type { ApiHandler, ApiRequest, ApiResponseWriter } from '../../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { ResponseStart } from '../../../src/session/wire.ts';

/** One response as the model wrote it. */
export interface SentResponse {
  readonly request: ApiRequest;
  start: ResponseStart | undefined;
  /** One for each write. */
  readonly chunks: Buffer[];
}

/** A model that records its requests and responses. */
export function recordedModel(respond: ApiHandler = createModel({ paceMs: 0 })): {
  readonly handler: ApiHandler;
  readonly responses: SentResponse[];
} {
  const responses: SentResponse[] = [];
  const handler: ApiHandler = (request, response) => {
    const sent: SentResponse = { request, start: undefined, chunks: [] };
    responses.push(sent);
    const recorded: ApiResponseWriter = {
      signal: response.signal,
      start: (start) => {
        sent.start = start;
        response.start(start);
      },
      write: (chunk) => {
        sent.chunks.push(Buffer.from(chunk));
        return response.write(chunk);
      },
      drained: () => response.drained(),
      end: () => {
        response.end();
      },
      fail: (code) => {
        response.fail(code);
      },
    };
    return respond(request, recorded);
  };
  return { handler, responses };
}
