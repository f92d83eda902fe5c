import assert from 'node:assert/strict';
import { translate } from '../../../../src/proxy/dialects/translation.ts';

const BODIES = {
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] },
  responses: { model: 'm', store: false, input: 'Hello' },
} as const;
const context = { modelList: { data: [{ id: 'm' }] }, replacementModel: undefined };
const job = (dialect: keyof typeof BODIES, purpose: 'reply' | 'count', text?: string) => ({
  ...{ dialect, purpose, context },
  body: Buffer.from(text ?? JSON.stringify(BODIES[dialect])),
});

describe('translate()', () => {
  for (const dialect of ['messages', 'responses'] as const) {
    it(`makes a Chat Completions request of one of ${dialect}`, () => {
      const translation = translate(job(dialect, 'reply'));
      assert.ok(translation.kind === 'chat');
      const chat = JSON.parse(Buffer.from(translation.body).toString()) as Record<string, unknown>;
      assert.deepEqual([chat['model'], chat['messages']], ['m', [{ role: 'user', content: 'Hello' }]]);
      assert.deepEqual(structuredClone(translation.plan), translation.plan);
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
    const numbers = `[${'1e20,'.repeat(3_000_000)}0]`;
    const tool = `{"name":"a","input_schema":{},"input_examples":[${numbers}]}`;
    const translation = translate(
      job(
        'messages',
        'reply',
        `{"model":"m","messages":["x"],"tools":[${tool}]}`.replace('"x"', '{"role":"user","content":"x"}'),
      ),
    );
    assert.ok(translation.kind === 'error');
    assert.deepEqual([translation.status, translation.message], [413, 'The request body is larger than 50 MiB.']);
  }).timeout(10_000);

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
    assert.ok(JSON.stringify(translation.plan).length < 1000);
  });
});
