// Reasoning that a client keeps sealed, and sends back with the official library.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ResponseInput } from 'openai/resources/responses/responses';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { MODEL } from '../support/e2e/chat.ts';
import { responsesClient } from '../support/e2e/dialects.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import type { SentResponse } from '../support/e2e/recordedModel.ts';
import { perSuite } from '../support/e2e/scope.ts';
import type { ServerProcess, Settings } from '../support/e2e/scope.ts';

const QUESTION = { role: 'user', content: 'Hello' } as const;
const ROOT = { PROXY_CACHE_NAMESPACE_ROOT: randomBytes(32).toString('base64') };

for (const [index, { runtime, nodeArgs }] of RUNTIMES.entries()) {
  describe(`Sealed reasoning of a proxy with ${runtime}`, () => {
    const scope = perSuite();
    const { handler, responses } = recordedModel();
    let enclave: RunningEnclave;

    before(async () => {
      enclave = await scope.enclave({ handler });
    });

    const start = (settings: Settings = {}, args: readonly string[] = nodeArgs) =>
      scope.proxy(enclave, { ...ROOT, ...settings }, { nodeArgs: args });

    /** The items of a response, and what the model thought. */
    const ask = async (proxy: ServerProcess, stream: boolean) => {
      const fields = { model: MODEL, store: false, include: ['reasoning.encrypted_content' as const] };
      const client = responsesClient(proxy).responses;
      const request = { ...fields, input: [QUESTION] };
      const { output } = await (stream ? client.stream(request).finalResponse() : client.create(request));
      const [reasoning] = output;
      assert.ok(reasoning?.type === 'reasoning');
      const thought = reasoning.content?.map(({ text }) => text).join('') ?? '';
      assert.ok(thought.length > 10);
      return { output, reasoning, thought };
    };

    /** The reasoning that the model gets back with these items. */
    const sendBack = async (proxy: ServerProcess, items: ResponseInput): Promise<unknown> => {
      const input = [QUESTION, ...items, QUESTION];
      const { status } = await responsesClient(proxy).responses.create({ model: MODEL, store: false, input });
      assert.equal(status, 'completed');
      return reasoningIn(responses.at(-1));
    };

    for (const stream of [false, true]) {
      it(`comes back to the model without its text, ${stream ? 'streamed' : 'not streamed'}`, async () => {
        const proxy = await start();
        const { output, reasoning, thought } = await ask(proxy, stream);
        const { encrypted_content: sealed = null } = reasoning;
        assert.ok(sealed !== null && !Buffer.from(sealed, 'base64').includes(thought.slice(0, 10)));
        const alone = { type: 'reasoning', id: reasoning.id, summary: [], encrypted_content: sealed } as const;
        assert.equal(await sendBack(proxy, [alone, ...output.slice(1)] as ResponseInput), thought);
      });
    }

    it('can be read by the next process, with the other AEAD as well', async () => {
      const { output, reasoning, thought } = await ask(await start(), false);
      const items = [{ ...reasoning, content: [] }, ...output.slice(1)] as ResponseInput;
      const other = RUNTIMES[1 - index];
      assert.ok(other);
      assert.equal(await sendBack(await start({}, other.nodeArgs), items), thought);
    });

    it('is left out by a proxy that cannot read it, and the conversation goes on', async () => {
      const { output, reasoning, thought } = await ask(await start(), false);
      const items = [{ ...reasoning, content: [] }, ...output.slice(1)] as ResponseInput;
      const root = { PROXY_CACHE_NAMESPACE_ROOT: randomBytes(32).toString('base64') };
      for (const settings of [root, { PROXY_API_KEY: 'dev-another-key' }]) {
        const other = await start(settings);
        assert.equal(await sendBack(other, items), undefined);
        assert.equal(await sendBack(other, output as ResponseInput), thought, 'the text beside it');
      }
    });
  });
}

function reasoningIn(sent: SentResponse | undefined): unknown {
  const { body } = sent?.request ?? assert.fail('the model got no request');
  const { messages } = JSON.parse(Buffer.from(body ?? []).toString()) as { messages: Record<string, unknown>[] };
  return messages.find(({ role }) => role === 'assistant')?.['reasoning'];
}
