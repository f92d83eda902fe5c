import type { ApiHandler, ApiRequest, ApiResponseWriter } from '../../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../../src/devEnclave/model/model.ts';
import type { ResponseStart } from '../../../src/session/wire.ts';

/** One answer as it left the enclave's model. */
export interface SentAnswer {
  readonly request: ApiRequest;
  start: ResponseStart | undefined;
  /** One for each write. */
  readonly pieces: Buffer[];
}

/** A model that keeps what it was asked and what it answered, byte by byte. */
export function recordedModel(answer: ApiHandler = createModel({ paceMs: 0 })): {
  readonly handler: ApiHandler;
  readonly answers: SentAnswer[];
} {
  const answers: SentAnswer[] = [];
  const handler: ApiHandler = (request, response) => {
    const sent: SentAnswer = { request, start: undefined, pieces: [] };
    answers.push(sent);
    const recorded: ApiResponseWriter = {
      signal: response.signal,
      start: (start) => {
        sent.start = start;
        response.start(start);
      },
      write: (piece) => {
        sent.pieces.push(Buffer.from(piece));
        return response.write(piece);
      },
      drained: () => response.drained(),
      end: () => {
        response.end();
      },
      fail: (code) => {
        response.fail(code);
      },
    };
    return answer(request, recorded);
  };
  return { handler, answers };
}
