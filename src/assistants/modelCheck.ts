// One short request to the proxy with an assistant's access key, and its result in sentences.
import { sendTestRequest } from '../chat/testRequest.ts';
import type { TestRequestResult } from '../chat/testRequest.ts';
import type { DialectName } from '../dialects/dialect.ts';
import { asPlain } from '../shared/escape.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { CheckOutcome } from './types.ts';

/** In milliseconds. A large model may take long to produce its first token. */
const CHECK_LIMIT = 30_000;

/** Never rejects. The key is sent only over a connection that is verified to be our own proxy's. */
export async function checkModel(
  supervisor: Pick<Supervisor, 'withConnection'>,
  key: string,
  model: string,
  dialect: DialectName | undefined,
  limit = CHECK_LIMIT,
): Promise<CheckOutcome> {
  const signal = AbortSignal.timeout(limit);
  const name = asPlain(model); // as a file or the backend writes it
  try {
    const clock = () => performance.now();
    return await supervisor.withConnection(async (connection) =>
      outcomeOf(name, await sendTestRequest(connection, key, { model, dialect }, clock, signal)),
    );
  } catch {
    const message = signal.aborted
      ? `${name} did not complete a response within ${limit / 1000} s.`
      : 'The proxy is not running or does not respond.';
    return { kind: 'failed', message };
  }
}

function outcomeOf(model: string, result: TestRequestResult): CheckOutcome {
  switch (result.kind) {
    case 'answered':
      return { kind: 'answered', message: `${model} responded in ${Math.round(result.firstByte)} ms.` };
    case 'refused':
      return {
        kind: 'failed',
        message: `The request to ${model} failed with status ${result.status}. ${result.message}`,
      };
    case 'broken':
      return { kind: 'failed', message: `The response from ${model} ended early.` };
  }
}
