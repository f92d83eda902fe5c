import assert from 'node:assert/strict';
import { seal } from '../../../../src/proxy/dialects/reasoningSeal.ts';
import { translate } from '../../../../src/proxy/dialects/translation.ts';
import { BODY_LIMITS } from '../../../support/bodyLimits.ts';

const BODIES = {
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
  responses: { model: 'm', store: false, input: 'Hello' },
} as const;
const context = { modelList: { data: [{ id: 'm' }] }, replacementModel: undefined };
const job = (dialect: keyof typeof BODIES, purpose: 'reply' | 'count', text?: string) => ({
  ...{ dialect, purpose, context, limit: BODY_LIMITS.relayed, maxValues: 1_000_000 },
  body: Buffer.from(text ?? JSON.stringify(BODIES[dialect])),
});

describe('translate()', () => {
  for (const dialect of ['messages', 'responses'] as const) {
    it(`makes a Chat Completions request of one of ${dialect}`, () => {
      const translation = translate(job(dialect, 'reply'));
      assert.ok(translation.kind === 'chat');
      const chat = JSON.parse(Buffer.from(translation.body).toString()) as Record<string, unknown>;
      assert.deepEqual([chat['model'], chat['messages']], ['m', [{ role: 'user', content: 'Hello' }]]);
      assert.equal((JSON.parse(translation.plan) as Record<string, unknown>)['model'], 'm');
    });

    it(`ignores the key of sealed reasoning in a request of ${dialect} that has none`, () => {
      const withKey = translate({ ...job(dialect, 'reply'), reasoningKey: new Uint8Array(32) });
      assert.deepEqual(withKey, translate(job(dialect, 'reply')));
    });

    it(`counts the tokens of a request of ${dialect}`, () => {
      const translation = translate(job(dialect, 'count'));
      assert.ok(translation.kind === 'count');
      assert.ok(Number((JSON.parse(translation.json) as Record<string, unknown>)['input_tokens']) > 0);
    });

    it(`returns the errors of ${dialect} as plain data`, () => {
      for (const [text, status, message] of [
        ['{', 400, /not valid JSON/],
        ['', 400, /not valid JSON/],
        ['[]', 400, /object/],
        [JSON.stringify({ ...BODIES[dialect], model: 'n' }), 404, /does not offer the model "n"/],
      ] as const) {
        const translation = translate(job(dialect, 'reply', text));
        assert.ok(translation.kind === 'error', text);
        assert.equal(translation.status, status);
        assert.match(translation.message, message);
        assert.deepEqual(structuredClone(translation), translation);
      }
    });
  }

  it('rejects a request whose translation is longer than the backend accepts', () => {
    const call = { type: 'tool_use', id: 'a', name: 'a', input: { a: '"'.repeat(14_000_000) } }; // escaped twice
    const messages = [
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ];
    const translation = translate(job('messages', 'reply', JSON.stringify({ ...BODIES.messages, messages })));
    assert.ok(translation.kind === 'error');
    assert.deepEqual([translation.status, translation.message], [413, 'The request body is larger than 50 MiB.']);
  });

  it('rejects more names of tools than a reply may keep', () => {
    const tools = [{ type: 'function', name: 'a'.repeat(2_000_000) }];
    const translation = translate(job('responses', 'reply', JSON.stringify({ ...BODIES.responses, tools })));
    assert.ok(translation.kind === 'error');
    assert.match(translation.message, /names of its tools are too long/);
  });

  it('keeps little for the reply to a very large request', () => {
    const long = 'x'.repeat(200_000);
    const tools = [{ type: 'function', name: 'f', description: long, parameters: { long } }];
    const fields = {
      instructions: long,
      tools,
      metadata: { long },
      text: { format: { type: 'json_schema', name: 'n', schema: { long } } },
    };
    const translation = translate(job('responses', 'reply', JSON.stringify({ ...BODIES.responses, ...fields })));
    assert.ok(translation.kind === 'chat');
    assert.ok(translation.plan.length < 1000);
  });

  it('makes no more of a namespace with many tools than the request has', () => {
    const tools = Array.from({ length: 1024 }, (_, index) => ({ type: 'function', name: `tool_${index}` }));
    const namespace = { type: 'namespace', name: 'mcp', description: 'x'.repeat(450_000), tools };
    const text = JSON.stringify({ ...BODIES.responses, tools: [namespace] });
    const translation = translate(job('responses', 'reply', text));
    assert.ok(translation.kind === 'chat');
    assert.ok(translation.body.length < 2 * text.length, `${text.length} became ${translation.body.length}`);
    const counted = translate(job('responses', 'count', text));
    assert.ok(counted.kind === 'count');
    assert.ok(Number((JSON.parse(counted.json) as Record<string, unknown>)['input_tokens']) < text.length);
  });

  it('rejects a request with more values than it may have, before it is parsed', () => {
    for (const value of ['[', '{"a":', '1,']) {
      const text = `{"model":"m","input":[${value.repeat(1001)}`;
      const translation = translate({ ...job('responses', 'reply', text), maxValues: 1000 });
      assert.ok(translation.kind === 'error');
      assert.deepEqual(
        [translation.status, translation.message.slice(0, 38)],
        [413, 'The request body has too many values. '],
      );
    }
  });

  it('reads the reasoning that was sealed with its key', () => {
    const reasoningKey = new Uint8Array(32).fill(7);
    for (const [key, expected] of [
      [reasoningKey, 'Hm.'],
      [new Uint8Array(32), undefined],
      [undefined, undefined],
    ] as const) {
      const item = { type: 'reasoning', summary: [], encrypted_content: seal(reasoningKey, 'Hm.') };
      const said = { role: 'assistant', content: 'a' };
      const text = JSON.stringify({ ...BODIES.responses, input: [item, said, { role: 'user', content: 'b' }] });
      const translation = translate({ ...job('responses', 'reply', text), ...(key && { reasoningKey: key }) });
      assert.ok(translation.kind === 'chat');
      const chat = JSON.parse(Buffer.from(translation.body).toString()) as { messages: { reasoning?: string }[] };
      assert.equal(chat.messages[0]?.reasoning, expected);
    }
  });
});
