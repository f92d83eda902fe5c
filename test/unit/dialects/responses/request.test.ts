import assert from 'node:assert/strict';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { translateRequest } from '../../../../src/dialects/responses/request.ts';
import { CONTEXT, rejection, translate } from '../../../support/responsesDialect.ts';

describe('translateRequest()', () => {
  it('asks for an event stream with usage if the client streams', () => {
    assert.deepEqual(translate({ stream: true }).chat, {
      model: 'thinker',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    assert.deepEqual(translate({}).chat, {
      model: 'thinker',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: false,
    });
  });

  it('puts the instructions before the input', () => {
    assert.deepEqual(translate({ instructions: 'Be brief.' }).chat.messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ]);
  });

  it('translates the sampling, the format, the verbosity and the effort', () => {
    const { chat } = translate({
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: -1,
      frequency_penalty: 1,
      max_output_tokens: 100,
      reasoning: { effort: 'high' },
      text: { verbosity: 'low', format: { type: 'json_object' } },
    });
    assert.equal(chat.temperature, 0.5);
    assert.equal(chat.top_p, 0.9);
    assert.equal(chat.presence_penalty, -1);
    assert.equal(chat.frequency_penalty, 1);
    assert.equal(chat.max_tokens, 100);
    assert.equal(chat.reasoning_effort, 'high');
    assert.equal(chat.verbosity, 'low');
    assert.deepEqual(chat.response_format, { type: 'json_object' });
  });

  it('passes the service tier on, but not the default', () => {
    assert.equal(translate({ service_tier: 'priority' }).chat.service_tier, 'priority');
    for (const tier of ['auto', null, undefined])
      assert.ok(!('service_tier' in translate({ service_tier: tier }).chat));
  });

  it('leaves out the effort for a model that does not take one', () => {
    const { chat } = translate({ model: 'talker', reasoning: { effort: 'high' } });
    assert.equal(chat.model, 'talker');
    assert.ok(!('reasoning_effort' in chat));
  });

  it('passes on whether tools may run in parallel, if there are tools', () => {
    const tools = [{ type: 'function', name: 'f' }];
    assert.equal(translate({ tools, parallel_tool_calls: false }).chat.parallel_tool_calls, false);
    assert.ok(!('parallel_tool_calls' in translate({ parallel_tool_calls: false }).chat));
  });

  it('sends on nothing that identifies the client or its conversation', () => {
    const { chat, plan } = translate({
      prompt_cache_key: 'secret-1',
      max_tool_calls: 5,
      client_metadata: { id: 'secret-2' },
      metadata: { id: 'secret-3' },
      safety_identifier: 'secret-4',
      user: 'secret-5',
      store: false,
      include: ['reasoning.encrypted_content'],
      truncation: 'auto',
      service_tier: 'auto',
      something_new: 'secret-6',
    });
    assert.doesNotMatch(JSON.stringify(chat), /secret/);
    assert.deepEqual(plan.echo.metadata, { id: 'secret-3' });
  });

  it('replaces the model, and remembers how the client named it', () => {
    const context = { ...CONTEXT, replacementModel: 'talker' };
    const { chat, plan } = translateRequest({ model: 'gpt-5', input: 'Hello' }, context);
    assert.equal(chat.model, 'talker');
    assert.equal(plan.model, 'gpt-5');
  });

  it('lists the models if the backend does not offer the one that was asked for', () => {
    assert.throws(
      () => translateRequest({ model: 'gpt-5', input: 'Hello' }, CONTEXT),
      (error) => error instanceof DialectError && error.status === 404 && /thinker, talker/.test(error.message),
    );
  });

  it('makes a plan that another thread can send', () => {
    const { plan } = translate({
      stream: true,
      tools: [{ type: 'custom', name: '__proto__' }],
      reasoning: { summary: 'auto' },
    });
    assert.deepEqual(structuredClone(plan), plan);
  });

  it('rejects what is not a request, and names the field', () => {
    for (const [fields, param] of [
      [{ input: undefined }, 'input'],
      [{ input: [] }, 'input'],
      [{ input: 7 }, 'input'],
      [{ model: 7 }, 'model'],
      [{ stream: 'yes' }, 'stream'],
    ] as const) {
      assert.equal(rejection(fields).param, param);
    }
    for (const body of [undefined, null, 7, 'x', []])
      assert.throws(() => translateRequest(body, CONTEXT), DialectError);
  });
});
