// Checks of connected assistants: one short request to the proxy with an assistant's access key, and its result in sentences.
import { sendTestRequest } from '../chat/testRequest.ts';
import type { TestRequestResult } from '../chat/testRequest.ts';
import type { DialectName } from '../dialects/dialect.ts';
import { asPlain } from '../shared/escape.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Assistant, CheckOutcome, Expected, ModelChoice } from './adapters/assistant.ts';
import { describeUncheckable } from './adapters/configState.ts';
import type { AssistantKeys } from './assistantKeys.ts';
import type { Snippet } from './snippets.ts';

/** In milliseconds. A large model may take long to produce its first token. */
const LIMIT = 30_000;

export interface ChecksHost {
  readonly supervisor: Pick<Supervisor, 'withConnection'>;
  readonly keys: AssistantKeys;
  /** What the configuration of an assistant should contain. */
  readonly expected: (assistant: Assistant) => Promise<Expected>;
  /** The time limit of a check, in milliseconds. */
  readonly limit: () => number | undefined;
}

export class AssistantChecks {
  readonly #host: ChecksHost;

  constructor(host: ChecksHost) {
    this.#host = host;
  }

  /**
   * Sends one short request with the key and the model in the assistant's configuration. Sends nothing if the
   * configuration is outdated: the key would be refused, or reach another program at the old address.
   */
  async check(assistant: Assistant): Promise<CheckOutcome> {
    const expected = await this.#host.expected(assistant);
    const state = await assistant.inspect(expected);
    if (state.kind === 'current' && state.model !== undefined && expected.key !== undefined)
      return this.#send(expected.key, state.model, assistant.dialect);
    return { kind: 'failed', message: describeUncheckable(assistant.name, state) };
  }

  /** The same as `check` for a snippet. */
  async checkSnippet(snippet: Snippet, model: ModelChoice): Promise<CheckOutcome> {
    return this.#send(await this.#host.keys.ensure(snippet), model.id, snippet.dialect);
  }

  /** Never rejects. The key is sent only over a connection that is verified to be our own proxy's. */
  async #send(key: string, model: string, dialect: DialectName | undefined): Promise<CheckOutcome> {
    const limit = this.#host.limit() ?? LIMIT;
    const signal = AbortSignal.timeout(limit);
    const name = asPlain(model); // as a file or the backend writes it
    try {
      const clock = () => performance.now();
      return await this.#host.supervisor.withConnection(async (connection) =>
        outcomeOf(name, await sendTestRequest(connection, key, { model, dialect }, clock, signal)),
      );
    } catch {
      const message = signal.aborted
        ? `${name} did not complete a response within ${limit / 1000} s.`
        : 'The proxy is not running or does not respond.';
      return { kind: 'failed', message };
    }
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
