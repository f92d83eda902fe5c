import assert from 'node:assert/strict';
import { readTools } from '../../../../src/dialects/messages/tools.ts';
import { nested } from '../../../support/mutations.ts';

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };
const tool = (name: string, more: object = {}) => ({ name, input_schema: SCHEMA, ...more });
const chatTool = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, parameters: SCHEMA, ...more },
});
const deferred = (name: string) => tool(name, { defer_loading: true });
const namesOf = (...[request, changes = []]: [Parameters<typeof readTools>[0], Parameters<typeof readTools>[1]?]) =>
  readTools(request, changes).tools?.map((one) => one.function.name);
const rejects = (request: Readonly<Record<string, unknown>>, message: RegExp) => {
  assert.throws(() => readTools(request, []), { name: 'DialectError', status: 400, message });
};

describe('readTools()', () => {
  it('translates tools, without what only Anthropic uses', () => {
    const entry = tool('Read', {
      type: 'custom',
      description: 'Reads.',
      strict: true,
      cache_control: { type: 'ephemeral' },
      eager_input_streaming: true,
      defer_loading: false,
    });
    assert.deepEqual(readTools({ tools: [entry, tool('Bash')] }, []), {
      tools: [chatTool('Read', { description: 'Reads.', strict: true }), chatTool('Bash')],
    });
    assert.deepEqual(readTools({}, []), {});
    assert.deepEqual(readTools({ tools: [], tool_choice: { type: 'auto' } }, []), {});
  });

  it('puts examples of the input into the description', () => {
    const entry = tool('Read', { description: 'Reads.', input_examples: [{ path: 'a' }, { path: 'b' }] });
    assert.deepEqual(readTools({ tools: [entry] }, []).tools, [
      chatTool('Read', { description: 'Reads.\nExamples of the input:\n{"path":"a"}\n{"path":"b"}' }),
    ]);
  });

  it('translates each choice of a tool', () => {
    const choose = (choice: unknown) => {
      const { tools, ...fields } = readTools({ tools: [tool('Read')], tool_choice: choice }, []);
      assert.equal(tools?.length, 1);
      return fields;
    };
    assert.deepEqual(choose({ type: 'auto' }), { tool_choice: 'auto' });
    assert.deepEqual(choose({ type: 'any' }), { tool_choice: 'required' });
    assert.deepEqual(choose({ type: 'none' }), { tool_choice: 'none' });
    const named = { tool_choice: { type: 'function', function: { name: 'Read' } } };
    assert.deepEqual(choose({ type: 'tool', name: 'Read' }), named);
    assert.deepEqual(choose({ type: 'auto', disable_parallel_tool_use: true }), {
      tool_choice: 'auto',
      parallel_tool_calls: false,
    });
  });

  it('offers a deferred tool once a message refers to it, or the request chooses it', () => {
    const tools = [tool('Read'), deferred('WebFetch'), deferred('Placeholder')];
    assert.deepEqual(namesOf({ tools }), ['Read']);
    assert.deepEqual(namesOf({ tools }, [{ kind: 'offer', name: 'WebFetch' }]), ['Read', 'WebFetch']);
    assert.deepEqual(namesOf({ tools, tool_choice: { type: 'tool', name: 'WebFetch' } }), ['Read', 'WebFetch']);
  });

  it('follows tools that messages offer, withdraw and define', () => {
    const tools = [tool('Read'), deferred('WebFetch')];
    const define = { kind: 'define', path: 'x', definition: tool('New') } as const;
    const [offer, withdraw] = [{ kind: 'offer', name: 'Read' } as const, { kind: 'withdraw', name: 'Read' } as const];
    assert.deepEqual(namesOf({ tools }, [withdraw]), undefined);
    assert.deepEqual(namesOf({ tools }, [withdraw, offer, define]), ['Read', 'New']);
    assert.deepEqual(namesOf({ tools }, [{ kind: 'offer', name: 'Unknown' }]), ['Read']);
  });

  it('leaves out server tools beside other tools, and rejects them alone', () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };
    assert.deepEqual(namesOf({ tools: [search, tool('Read')] }), ['Read']);
    rejects(
      { tools: [search] },
      /^tools\[0\]: the backend cannot run this tool\. Remove it, or offer a tool of your own\.$/,
    );
    rejects({ tools: [search, tool('Read')], tool_choice: { type: 'tool', name: 'web_search' } }, /^tool_choice\.name/);
  });

  it('offers all deferred tools in place of a server tool that searches them', () => {
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    assert.deepEqual(namesOf({ tools: [search, deferred('WebFetch')] }), ['WebFetch']);
  });

  it('rejects what it cannot translate', () => {
    for (const [request, message] of [
      [
        { tools: [{ type: 'bash_20250124', name: 'bash' }] },
        /^tools\[0\]\.type: tools of type "bash_20250124" are not supported\. Define the tool yourself, with an input_schema\.$/,
      ],
      [{ tools: [{ type: 'mcp_toolset' }] }, /^tools\[0\]\.type: tools of type "mcp_toolset"/],
      [{ tools: [{ name: 'Read' }] }, /^tools\[0\]\.input_schema: must be an object\.$/],
      [{ tools: [{ input_schema: {} }] }, /^tools\[0\]\.name: must be a string\.$/],
      [{ tools: [tool('Read'), tool('Read')] }, /^tools\[1\]\.name: another tool has the same name\.$/],
      [
        { tools: [tool('Read', { input_schema: { a: nested(300) } })] },
        /^tools\[0\]\.input_schema: must not be nested/,
      ],
      [{ tools: 5 }, /^tools: must be an array\.$/],
      [{ tool_choice: { type: 'any' } }, /^tool_choice: requires a tool, but the request has none\.$/],
      [
        { tools: [tool('Read')], tool_choice: { type: 'tool', name: 'Bash' } },
        /^tool_choice\.name: must be the name of a tool/,
      ],
      [
        { tools: [tool('Read')], tool_choice: { type: 'best' } },
        /^tool_choice\.type: must be "auto", "any", "tool" or "none"/,
      ],
    ] as const) {
      rejects(request, message);
    }
  });
});
