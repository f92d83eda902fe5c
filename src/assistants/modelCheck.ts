// One tiny request to the proxy with the key of an assistant, and what came back in a sentence.
import type { Checked } from './types.ts';
import { sendTestRequest } from '../chat/testRequest.ts';
import type { TestRequestResult } from '../chat/testRequest.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** In milliseconds: a large model may think for long before it says its first word. */
const CHECK_LIMIT = 30_000;

/** Never rejects. The key goes to a proxy of ours and to nobody else. */
export async function tryModel(
  supervisor: Pick<Supervisor, 'connect'>,
  key: string,
  model: string,
  limit = CHECK_LIMIT,
): Promise<Checked> {
  const signal = AbortSignal.timeout(limit);
  try {
    const { line } = await supervisor.connect();
    try {
      return resultOf(model, await sendTestRequest(line, key, model, () => performance.now(), signal));
    } finally {
      line.end();
    }
  } catch {
    const late = `no whole answer within ${limit / 1000} s`;
    const reason = signal.aborted ? late : 'the proxy is not running, or does not answer';
    return { kind: 'failed', message: `${model} could not be asked: ${reason}.` };
  }
}

function resultOf(model: string, trial: TestRequestResult): Checked {
  switch (trial.kind) {
    case 'answered': {
      const { firstByte, tokens } = trial;
      const used = tokens === undefined ? '' : `, ${tokens.input} tokens in, ${tokens.output} out`;
      return { kind: 'answered', message: `${model} answered: first byte after ${Math.round(firstByte)} ms${used}.` };
    }
    case 'refused':
      return { kind: 'failed', message: `${model} did not answer (status ${trial.status}). ${trial.message}` };
    case 'broken':
      return { kind: 'failed', message: `The answer of ${model} broke off after ${trial.chunks} pieces.` };
  }
}
