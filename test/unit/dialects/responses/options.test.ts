import assert from 'node:assert/strict';
import { readOptions, readReasoning, readText, rejectUnsupported } from '../../../../src/dialects/responses/options.ts';

const rejects = (run: () => unknown, param: string) => {
  assert.throws(run, { name: 'DialectError', status: 400, param });
};

describe('rejectUnsupported()', () => {
  it('accepts what changes nothing', () => {
    rejectUnsupported({
      background: false,
      conversation: null,
      previous_response_id: null,
      include: ['reasoning.encrypted_content'],
      context_management: [],
      store: true,
      top_logprobs: 0,
    });
  });

  it('names each field that the client relies on and that cannot be translated', () => {
    for (const [name, value] of Object.entries({
      previous_response_id: 'resp_1',
      conversation: 'conv_1',
      prompt: { id: 'pmpt_1' },
      moderation: {},
      background: true,
      context_management: [{ type: 'compaction' }],
      top_logprobs: 3,
    })) {
      rejects(() => {
        rejectUnsupported({ [name]: value });
      }, name);
    }
    rejects(() => {
      rejectUnsupported({ include: ['message.output_text.logprobs'] });
    }, 'include');
  });
});

describe('readOptions()', () => {
  it('reads the fields, and leaves out those that are null', () => {
    const sampling = { temperature: 0, presence_penalty: -1 };
    const echo = { ...sampling, max_output_tokens: 1, max_tool_calls: 5, metadata: { a: 'b' } };
    assert.deepEqual(readOptions({ ...echo, top_p: null, other: 1 }), {
      instructions: undefined,
      parallel: undefined,
      chat: { ...sampling, max_tokens: 1 },
      echo,
    });
  });

  it('rejects values of another type, and limits below 1', () => {
    for (const [name, value] of [
      ['temperature', '1'],
      ['top_p', []],
      ['presence_penalty', '0'],
      ['frequency_penalty', {}],
      ['max_output_tokens', 0],
      ['max_output_tokens', 1.5],
      ['instructions', []],
      ['parallel_tool_calls', 1],
      ['service_tier', 1],
      ['prompt_cache_key', 1],
    ] as const) {
      rejects(() => readOptions({ [name]: value }), name);
    }
    rejects(() => readOptions({ metadata: { a: 1 } }), 'metadata.a');
  });
});

describe('readReasoning()', () => {
  it('finds that the client asks for sealed reasoning', () => {
    assert.equal(
      readReasoning({ include: ['file_search_call.results', 'reasoning.encrypted_content'] }).isSealed,
      true,
    );
    assert.equal(readReasoning({ include: [] }).isSealed, false);
  });

  it('reads the effort and the kind of summary', () => {
    const echo = { effort: null, summary: null };
    assert.deepEqual(readReasoning({}), { echo, chat: {}, summarizes: false, isSealed: false });
    assert.deepEqual(readReasoning({ reasoning: { effort: 'medium', summary: 'detailed' } }), {
      echo: { effort: 'medium', summary: 'detailed' },
      chat: { reasoning_effort: 'medium' },
      summarizes: true,
      isSealed: false,
    });
    assert.equal(readReasoning({ reasoning: { generate_summary: 'concise' } }).summarizes, true);
    assert.equal(readReasoning({ reasoning: { summary: 'none' } }).summarizes, false);
  });

  it('uses the efforts that every reasoning model accepts', () => {
    for (const [effort, expected] of [
      ['none', 'low'],
      ['minimal', 'low'],
      ['low', 'low'],
      ['high', 'high'],
      ['xhigh', 'high'],
      ['max', 'high'],
      ['ultra', 'high'],
    ] as const) {
      const { echo, chat } = readReasoning({ reasoning: { effort } });
      assert.equal(chat.reasoning_effort, expected);
      assert.equal(echo.effort, effort);
    }
  });

  it('rejects unknown values', () => {
    rejects(() => readReasoning({ reasoning: { effort: 'huge' } }), 'reasoning.effort');
    rejects(() => readReasoning({ reasoning: { summary: 1 } }), 'reasoning.summary');
    rejects(() => readReasoning({ reasoning: 'high' }), 'reasoning');
  });
});

describe('readText()', () => {
  it('translates a schema with all of its fields', () => {
    const schema = { name: 'n', schema: { type: 'object' }, description: 'd', strict: true };
    assert.deepEqual(readText({ text: { format: { type: 'json_schema', ...schema } } }), {
      format: { format: { type: 'json_schema', ...schema } },
      chat: { response_format: { type: 'json_schema', json_schema: schema } },
    });
  });

  it('states each field of a schema in the response, but asks for no more than the client does', () => {
    const schema = { name: 'n', schema: { type: 'object' } };
    assert.deepEqual(readText({ text: { format: { type: 'json_schema', ...schema } } }), {
      format: { format: { type: 'json_schema', description: null, strict: null, ...schema } },
      chat: { response_format: { type: 'json_schema', json_schema: schema } },
    });
  });

  it('asks for nothing if the format is plain text', () => {
    assert.deepEqual(readText({}), { format: { format: { type: 'text' } }, chat: {} });
    assert.deepEqual(readText({ text: { format: { type: 'text' }, verbosity: 'high' } }), {
      format: { format: { type: 'text' }, verbosity: 'high' },
      chat: { verbosity: 'high' },
    });
  });

  it('rejects other formats and incomplete schemas', () => {
    rejects(() => readText({ text: { format: { type: 'grammar' } } }), 'text.format.type');
    rejects(() => readText({ text: { format: { type: 'json_schema', name: 'n' } } }), 'text.format.schema');
    rejects(() => readText({ text: { verbosity: 'loud' } }), 'text.verbosity');
    let schema: object = {};
    for (let depth = 0; depth < 300; depth++) schema = { items: schema };
    rejects(() => readText({ text: { format: { type: 'json_schema', name: 'n', schema } } }), 'text.format');
  });
});
