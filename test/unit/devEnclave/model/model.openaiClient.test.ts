import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { createModel } from '../../../../src/devEnclave/model/model.ts';
import { ask } from '../../../support/devEnclave/apiClient.ts';

const model = createModel({ paceMs: 0 });

/** Passes the client's requests to the model, without a network. */
async function askModel(url: string | URL | Request, options?: RequestInit): Promise<Response> {
  const request = new Request(url, options);
  const credential = request.headers.get('authorization')?.replace('Bearer ', '') ?? null;
  const body = new Uint8Array(await request.arrayBuffer());
  const target = new URL(request.url).pathname;
  const answer = await ask(model, { credential, method: request.method, target, headers: [], body });
  const headers = answer.headers.map(({ name, value }): [string, string] => [name, value]);
  return new Response(answer.body, { status: answer.status, headers });
}

describe('createModel() with the OpenAI client', () => {
  const baseURL = 'http://localhost/v1';
  const client = new OpenAI({ baseURL, apiKey: 'dev-test', maxRetries: 0, fetch: askModel });
  const hello = { model: 'glm-5-2', messages: [{ role: 'user' as const, content: 'hello there' }] };

  it('lists the models', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    assert.ok(ids.includes('nomic-embed-text'));
  });

  it('completes a chat, streamed and not streamed', async () => {
    const { choices } = await client.chat.completions.create(hello);
    assert.equal(choices[0]?.message.content, 'You said: hello there');
    const stream = client.chat.completions.stream({ ...hello, stream_options: { include_usage: true } });
    assert.equal(await stream.finalContent(), 'You said: hello there');
    assert.ok((await stream.totalUsage()).completion_tokens > 4);
  });

  it('assembles streamed tool calls', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }];
    const stream = client.chat.completions.stream({ ...hello, tools, tool_choice: 'required' });
    const { choices } = await stream.finalChatCompletion();
    const [call] = choices[0]?.message.tool_calls ?? [];
    assert.ok(call?.type === 'function');
    assert.equal(call.function.arguments, '{"city":"hello there"}');
    assert.equal(choices[0]?.finish_reason, 'tool_calls');
  });

  it('decodes embeddings, which it requests in Base64', async () => {
    const { data } = await client.embeddings.create({ model: 'nomic-embed-text', input: ['a', 'b'] });
    const floats = await client.embeddings.create({
      model: 'nomic-embed-text',
      input: ['a', 'b'],
      encoding_format: 'float',
    });
    assert.deepEqual(
      data.map(({ embedding }) => embedding),
      floats.data.map(({ embedding }) => embedding),
    );
  });

  it('reads the errors', async () => {
    await assert.rejects(client.chat.completions.create({ ...hello, model: 'old' }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.code, 'upstream_invalid_request');
      assert.equal(error.param, 'model');
      return true;
    });
    await assert.rejects(client.withOptions({ apiKey: 'x' }).models.list(), OpenAI.AuthenticationError);
  });
});
