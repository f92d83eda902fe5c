import assert from 'node:assert/strict';
import type OpenAI from 'openai';
import { EMBEDDING_MODEL, MODELS } from '../../src/devEnclave/model/catalogue.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { MODEL } from '../support/e2e/chat.ts';
import { openaiClient } from '../support/e2e/openaiClient.ts';
import { RUNTIMES } from '../support/e2e/process.ts';
import { recordedModel } from '../support/e2e/recordedModel.ts';
import { perSuite } from '../support/e2e/scope.ts';

const WEATHER: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
/** The smallest possible PNG. */
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

for (const { runtime, nodeArgs } of RUNTIMES) {
  describe(`The OpenAI client, through a proxy with ${runtime}`, () => {
    const scope = perSuite();
    const model = recordedModel();
    let enclave: RunningEnclave;
    let client: OpenAI;

    before(async () => {
      enclave = await scope.enclave({ handler: model.handler });
      client = openaiClient(await scope.proxy(enclave, {}, { nodeArgs }));
    });

    it('lists the models with all of their metadata', async () => {
      const page = await client.models.list();
      assert.deepEqual(page.data, MODELS);
      const ids: string[] = [];
      for await (const { id } of client.models.list()) ids.push(id);
      assert.deepEqual(
        ids,
        MODELS.map(({ id }) => id),
      );
    });

    it('calls a tool and returns its result', async () => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'get_weather in Paris' }];
      const first = await client.chat.completions.create({ model: MODEL, messages, tools: [WEATHER] });
      const [choice] = first.choices;
      assert.equal(choice?.finish_reason, 'tool_calls');
      const [call] = choice.message.tool_calls ?? [];
      assert.ok(call?.type === 'function');
      assert.equal(call.function.name, 'get_weather');
      assert.deepEqual(JSON.parse(call.function.arguments), { city: 'get_weather in Paris' });
      messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: 'Sunny, 21 degrees' });
      const second = await client.chat.completions.create({ model: MODEL, messages, tools: [WEATHER] });
      assert.equal(second.choices[0]?.message.content, 'The tool answered: Sunny, 21 degrees');
    });

    it('assembles a streamed tool call from its fragments', async () => {
      const stream = client.chat.completions.stream({
        model: MODEL,
        messages: [{ role: 'user', content: '/tool get_weather {"city":"Zürich","days":3}' }],
        tools: [WEATHER],
      });
      let fragments = 0;
      stream.on('chunk', ({ choices }) => {
        if (choices[0]?.delta.tool_calls?.[0]?.function?.arguments) fragments++;
      });
      const { choices } = await stream.finalChatCompletion();
      const [call] = choices[0]?.message.tool_calls ?? [];
      assert.ok(call?.type === 'function');
      assert.equal(call.function.arguments, '{"city":"Zürich","days":3}');
      assert.ok(fragments > 2, `${fragments} fragments`);
    });

    it('sends an image to a model with vision', async () => {
      const { choices } = await client.chat.completions.create({
        model: 'gemma4-31b',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: PNG } },
            ],
          },
        ],
      });
      assert.match(choices[0]?.message.content ?? '', /^I see an image \(image\/png, 70 bytes\)/);
    });

    it('sends provider-specific fields unchanged', async () => {
      const extra = { chat_template_kwargs: { enable_thinking: false }, reasoning_effort: 'none' as const };
      await client.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }], ...extra });
      const body = JSON.parse(Buffer.from(model.responses.at(-1)?.request.body ?? []).toString()) as unknown;
      assert.deepEqual(body, { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], ...extra });
    });

    it('gets the same embeddings as Base64, its default, and as numbers', async () => {
      const input = ['the sea', 'a mountain', 'the sea'];
      const encoded = await client.embeddings.create({ model: EMBEDDING_MODEL, input });
      const { request } = model.responses.at(-1) ?? {};
      assert.match(Buffer.from(request?.body ?? []).toString(), /"encoding_format":"base64"/);
      const plain = await client.embeddings.create({ model: EMBEDDING_MODEL, input, encoding_format: 'float' });
      assert.equal(encoded.data.length, 3);
      for (const [index, { embedding }] of encoded.data.entries()) {
        assert.equal(embedding.length, 768);
        assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-6);
        assert.deepEqual(Float32Array.from(embedding), Float32Array.from(plain.data[index]?.embedding ?? []));
      }
      assert.deepEqual(encoded.data[0]?.embedding, encoded.data[2]?.embedding);
      assert.notDeepEqual(encoded.data[0]?.embedding, encoded.data[1]?.embedding);
      assert.deepEqual(encoded.usage, plain.usage);
    });
  });
}
