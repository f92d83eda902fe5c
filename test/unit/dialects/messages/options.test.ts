import assert from 'node:assert/strict';
import {
  readFormat,
  readSampling,
  readThinking,
  rejectUnsupported,
} from '../../../../src/dialects/messages/options.ts';

describe('rejectUnsupported()', () => {
  it('accepts fields that change nothing that the model sees', () => {
    rejectUnsupported({
      metadata: { user_id: 'a' },
      service_tier: 'auto',
      speed: 'fast',
      inference_geo: 'global',
      container: null,
      mcp_servers: [],
      diagnostics: { previous_message_id: null },
      context_management: {
        edits: [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }],
      },
      cache_control: { type: 'ephemeral' },
      somethingNew: 1,
    });
  });

  it('rejects fields that a client relies on', () => {
    for (const [request, message] of [
      [{ container: 'a' }, /^container: the backend runs no code\. Remove it\.$/],
      [{ compaction: { type: 'summarize' } }, /^compaction: the proxy does not compact/],
      [
        { mcp_servers: [{ url: 'https://x' }] },
        /^mcp_servers: the backend connects to no MCP servers\. Remove them\.$/,
      ],
      [{ inference_geo: 'us' }, /^inference_geo: the proxy cannot choose where the model runs\.$/],
      [{ context_management: { edits: [{ type: 'compact_20260112' }] } }, /^context_management\.edits\[0\]: the proxy/],
      [{ context_management: 5 }, /^context_management: must be an object\.$/],
    ] as const) {
      assert.throws(
        () => {
          rejectUnsupported(request);
        },
        { name: 'DialectError', status: 400, message },
      );
    }
  });
});

describe('rejectUnsupported() of a thread', () => {
  for (const type of ['create', 'continue']) {
    it(`has the code by which libraries recognize it (${type})`, () => {
      assert.throws(
        () => {
          rejectUnsupported({ thread: { type } });
        },
        {
          name: 'DialectError',
          status: 400,
          param: 'thread',
          code: 'thread_unsupported_request',
          message: 'thread: the proxy stores no conversations. Send all messages.',
        },
      );
    });
  }
});

describe('readSampling()', () => {
  it('passes numbers on, and stop sequences if there are any', () => {
    assert.deepEqual(
      readSampling({ max_tokens: 5, temperature: 0, top_p: 0.5, top_k: 1, stop_sequences: ['a', 'b'] }, Infinity),
      {
        max_tokens: 5,
        temperature: 0,
        top_p: 0.5,
        top_k: 1,
        stop: ['a', 'b'],
      },
    );
    assert.deepEqual(readSampling({ stop_sequences: [], temperature: null }, Infinity), {});
    assert.deepEqual(readSampling({ max_tokens: 500 }, 100), { max_tokens: 100 });
  });

  it('rejects other values', () => {
    for (const [request, message] of [
      [{ max_tokens: 0 }, /^max_tokens: must be an integer of at least 1\.$/],
      [{ max_tokens: 1.5 }, /^max_tokens: must be an integer/],
      [{ max_tokens: '5' }, /^max_tokens: must be a number/],
      [{ temperature: 'hot' }, /^temperature: must be a number/],
      [{ stop_sequences: [5] }, /^stop_sequences\[0\]: must be a string/],
    ] as const) {
      assert.throws(() => readSampling(request, Infinity), { name: 'DialectError', message });
    }
  });
});

describe('readFormat()', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const expected = {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'response', schema: { type: 'object' }, strict: true },
    },
  };

  it('translates a schema in either field', () => {
    assert.deepEqual(readFormat({ output_config: { format } }), expected);
    assert.deepEqual(readFormat({ output_format: format }), expected);
    assert.deepEqual(readFormat({ output_config: { effort: 'low', format: null } }), {});
  });

  it('rejects other formats', () => {
    assert.throws(() => readFormat({ output_config: { format: { type: 'xml' } } }), {
      message: 'output_config.format.type: must be "json_schema".',
    });
    assert.throws(() => readFormat({ output_format: { type: 'json_schema' } }), {
      message: 'output_format.schema: must be an object.',
    });
  });
});

describe('readThinking()', () => {
  const adaptive = { type: 'adaptive' };

  it('translates each effort', () => {
    for (const [effort, expected] of [
      ['low', 'low'],
      ['medium', 'medium'],
      ['high', 'high'],
      ['xhigh', 'high'],
      ['max', 'high'],
      [null, undefined],
    ]) {
      assert.equal(readThinking({ output_config: { effort } }, undefined).effort, expected);
    }
  });

  it('prefers the effort of the turn', () => {
    assert.equal(readThinking({ output_config: { effort: 'low' } }, 'max').effort, 'high');
  });

  it('leaves the effort to the model if the request says nothing', () => {
    assert.equal(readThinking({}, undefined).effort, undefined);
    assert.equal(readThinking({ thinking: adaptive }, undefined).effort, undefined);
  });

  it('derives the effort from a budget', () => {
    const effortOf = (budget: number | undefined, more: object = {}) =>
      readThinking({ thinking: { type: 'enabled', budget_tokens: budget }, ...more }, undefined).effort;
    assert.deepEqual(
      [1024, 4096, 16_384, undefined].map((budget) => effortOf(budget)),
      ['low', 'medium', 'high', undefined],
    );
    assert.equal(effortOf(1024, { output_config: { effort: 'high' } }), 'high');
  });

  it('hides thinking that was not asked for', () => {
    const isHidden = (thinking: unknown) => readThinking({ thinking }, undefined).isHidden;
    assert.deepEqual([undefined, null].map(isHidden), [true, true]);
    const asking = [adaptive, { type: 'adaptive', display: 'omitted' }, { type: 'enabled' }, { type: 'between_tools' }];
    assert.deepEqual(asking.map(isHidden), [false, false, false, false]);
    assert.equal(readThinking({ output_config: { effort: 'high' } }, undefined).isHidden, true);
  });

  it('hides thinking that is turned off, and asks for little', () => {
    assert.deepEqual(readThinking({ thinking: { type: 'disabled' } }, undefined), { effort: 'low', isHidden: true });
  });

  it('rejects other values', () => {
    assert.throws(
      () => readThinking({ output_config: { effort: 'much' } }, undefined),
      /output_config\.effort: must be/,
    );
    assert.throws(() => readThinking({ thinking: { type: 'deep' } }, undefined), /thinking\.type: must be/);
  });
});
