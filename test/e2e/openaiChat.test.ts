import assert from 'node:assert/strict';
import type OpenAI from 'openai';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { MODEL, PLAIN_MODEL } from '../support/e2e/chat.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { perSuite } from '../support/e2e/scope.ts';
import { DEADLINE, withTimeout } from '../support/withTimeout.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type Delta = Chunk['choices'][number]['delta'] & { readonly reasoning?: string };

const user = (content: string) => ({ role: 'user', content }) as const;

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`The OpenAI client, chatting through a proxy with ${runtime}`, () => {
    const scope = perSuite();
    const model = recordedModel();
    let enclave: RunningEnclave;
    let client: OpenAI;

    before(async () => {
      enclave = await scope.enclave({ handler: model.handler });
      client = openaiClient(await scope.proxy(enclave, {}, { nodeArgs }));
    });

    it('gets a complete answer with its reasoning', async () => {
      const response = await client.chat.completions.create({ model: MODEL, messages: [user('Hello there')] });
      const message = response.choices[0]?.message as OpenAI.ChatCompletionMessage & { reasoning?: string };
      assert.equal(message.content, 'You said: Hello there');
      assert.match(message.reasoning ?? '', /^The message has 2 words\./);
      assert.equal(response.model, MODEL);
      assert.equal(response.usage?.prompt_tokens, 3);
    });

    it('gets every event of a stream as the enclave sent it', async () => {
      const stream = await client.chat.completions.create({
        model: MODEL,
        messages: [user('Tell me of the sea')],
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks: Chunk[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const sent = Buffer.concat(model.responses.at(-1)?.chunks ?? []).toString();
      const events = sent.split('\n\n').filter((event) => event !== '');
      assert.equal(events.pop(), 'data: [DONE]');
      assert.deepEqual(
        chunks,
        events.map((event): unknown => JSON.parse(event.slice('data: '.length))),
      );
      const deltas = chunks.map(({ choices }) => choices[0]?.delta as Delta | undefined);
      assert.equal(deltas.map((delta) => delta?.content ?? '').join(''), 'You said: Tell me of the sea');
      assert.match(deltas.map((delta) => delta?.reasoning ?? '').join(''), /^The message has 5 words\./);
      assert.ok((chunks.at(-1)?.usage?.total_tokens ?? 0) > 5);
    });

    it('gets each chunk of a stream before the next one exists', async () => {
      const stream = await client.chat.completions.create({
        model: PLAIN_MODEL,
        messages: [user('/stall 3')],
        stream: true,
      });
      let text = '';
      const read = async () => {
        for await (const { choices } of stream) {
          text += choices[0]?.delta.content ?? '';
          if (text === 'word word word ') return;
        }
      };
      await withTimeout('three words of a stream that never ends', DEADLINE, read());
    });

    it('reads a long stream to its end, past comment lines', async () => {
      for (const [hook, words] of [
        ['/burst 3000 wave', 3000],
        ['/ping 5', 2],
      ] as const) {
        const stream = await client.chat.completions.create({
          model: PLAIN_MODEL,
          messages: [user(hook)],
          stream: true,
        });
        let count = 0;
        for await (const { choices } of stream) if (choices[0]?.delta.content) count++;
        assert.equal(count, words);
      }
    });

    it('leaves a stream, and the enclave is notified at once', async () => {
      const index = enclave.journal.requests.length;
      const stream = await client.chat.completions.create({
        model: PLAIN_MODEL,
        messages: [user('/stall 1')],
        stream: true,
      });
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
      const { end } = await enclave.journal.request(index);
      const { ended } = await withTimeout('the end of the answer at the enclave', DEADLINE, end);
      assert.equal(ended, 'client-cancelled');
    });

    it('aborts a request before its answer, and the enclave is notified at once', async () => {
      const index = enclave.journal.requests.length;
      const controller = new AbortController();
      const response = client.chat.completions.create(
        { model: PLAIN_MODEL, messages: [user('/hang')] },
        { signal: controller.signal },
      );
      const aborted = assert.rejects(response, { name: 'Error', message: 'Request was aborted.' });
      const { end } = await withTimeout('the request at the enclave', DEADLINE, enclave.journal.request(index));
      controller.abort();
      await aborted;
      const { ended } = await withTimeout('the end of the request at the enclave', DEADLINE, end);
      assert.equal(ended, 'client-cancelled');
    });
  });
}
