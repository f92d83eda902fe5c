import assert from 'node:assert/strict';
import { ToolNames } from '../../../../src/dialects/responses/toolNames.ts';
import {
  CUSTOM_INPUT,
  chooseTools,
  describeFound,
  joinTools,
  readFoundTools,
  readTools,
} from '../../../../src/dialects/responses/tools.ts';
import { rejection, translate } from '../../../support/responsesDialect.ts';

const read = (...tools: readonly object[]) => readTools(tools, new ToolNames());
const chatTools = (...tools: readonly object[]) => read(...tools).map(({ chat }) => chat.function);
const rejects = (run: () => unknown, param: string) => {
  assert.throws(run, { name: 'DialectError', status: 400, param });
};
const RUN = { type: 'function', name: 'run' };
const PATCH = { type: 'custom', name: 'patch' };
const AGENTS = { type: 'namespace', name: 'agents', description: 'Agents.', tools: [RUN, { ...RUN, name: 'stop' }] };

const SEARCH = { type: 'tool_search', execution: 'client' };
const MAIL = {
  type: 'namespace',
  name: 'mail',
  description: '',
  tools: [{ type: 'function', name: 'send', description: 'Sends.', defer_loading: true }],
};
const CALL = { type: 'tool_search_call', call_id: '1', execution: 'client', arguments: { query: 'mail' } };
const FOUND = { type: 'tool_search_output', call_id: '1', execution: 'client', status: 'completed', tools: [MAIL] };

describe('readTools()', () => {
  it('translates functions with all of their fields', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } } };
    assert.deepEqual(chatTools({ ...RUN, description: 'Runs.', parameters, strict: true }, { ...RUN, name: 'b' }), [
      { name: 'run', description: 'Runs.', parameters, strict: true },
      { name: 'b' },
    ]);
    assert.deepEqual(chatTools({ ...RUN, description: null, parameters: null, strict: null }), [{ name: 'run' }]);
  });

  it('offers the tools of a namespace after those outside keep their names', () => {
    const tools = chatTools(AGENTS, { ...RUN, name: 'agents__run', description: 'Own.' });
    assert.deepEqual(tools, [
      { name: 'agents__run_2' },
      { name: 'agents__stop' },
      { name: 'agents__run', description: 'Own.' },
    ]);
  });

  it('limits the name of a namespace, which each of its tools gets', () => {
    assert.equal(read({ ...AGENTS, name: 'n'.repeat(256) }).length, 2);
    rejects(() => read({ ...AGENTS, name: 'n'.repeat(257) }), 'tools[0].name');
  });

  it('counts the tools before it reads them', () => {
    const namespace = (length: number) => ({ ...AGENTS, tools: Array.from({ length }) });
    rejects(() => read(namespace(1025)), 'tools');
    rejects(() => read(namespace(1000), RUN, namespace(24)), 'tools');
  });

  it('offers a custom tool as a function with one text, and describes its grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
    const [tool] = chatTools({ ...PATCH, description: 'Patches.', format });
    assert.equal(tool?.name, 'patch');
    assert.equal(tool.description, 'Patches.\n\nThe argument `input` must follow this grammar (Lark):\n\nstart: "x"');
    assert.deepEqual(tool.parameters?.['required'], [CUSTOM_INPUT]);
    assert.deepEqual(Object.keys(tool.parameters['properties'] as object), [CUSTOM_INPUT]);
    assert.ok(!('description' in (chatTools({ ...PATCH, format: { type: 'text' } })[0] ?? {})));
  });

  it('leaves out the tools of servers that a model may do without', () => {
    for (const type of ['web_search', 'web_search_preview', 'web_search_2025_08_26', 'image_generation']) {
      assert.deepEqual(chatTools(RUN, { type }), [{ name: 'run' }]);
    }
  });

  it("offers the client's search for tools, and leaves out that of a server", () => {
    const parameters = { type: 'object' };
    const search = { type: 'tool_search', description: 'Searches.', parameters };
    assert.deepEqual(chatTools({ ...search, execution: 'client' }), [
      { name: 'tool_search', description: 'Searches.', parameters },
    ]);
    assert.deepEqual(chatTools(RUN, search, { ...search, execution: 'server' }), [{ name: 'run' }]);
  });

  it('rejects a request that has only tools which would be left out', () => {
    rejects(() => read({ type: 'web_search' }), 'tools');
    assert.deepEqual(read(), []);
    assert.deepEqual(read({ ...AGENTS, tools: [] }), []);
  });

  it('rejects the tools of servers that the client relies on', () => {
    for (const type of [
      'file_search',
      'mcp',
      'code_interpreter',
      'computer_use_preview',
      'local_shell',
      'shell',
      'x',
    ]) {
      rejects(() => read(RUN, { type }), 'tools[1].type');
    }
  });

  it('rejects invalid tools, and names the field', () => {
    rejects(() => read({ type: 'function' }), 'tools[0].name');
    rejects(() => read({ ...RUN, parameters: 'x' }), 'tools[0].parameters');
    rejects(() => read({ ...RUN, strict: 1 }), 'tools[0].strict');
    rejects(() => read({ ...PATCH, format: { type: 'grammar' } }), 'tools[0].format.syntax');
    rejects(() => read({ ...AGENTS, tools: [{ type: 'namespace' }] }), 'tools[0].tools[0].type');
    rejects(() => read({ type: 'namespace', name: 'x' }), 'tools[0].tools');
    rejects(() => readTools({}, new ToolNames()), 'tools');
    rejects(() => readTools([7], new ToolNames()), 'tools[0]');
    const many = Array.from({ length: 1025 }, (_, index) => ({ ...RUN, name: `t${index}` }));
    rejects(() => read(...many), 'tools');
  });
});

describe('readFoundTools()', () => {
  it("offers what the client's search found, and tells the model", () => {
    const { chat, plan } = translate({ tools: [SEARCH], input: [{ role: 'user', content: 'a' }, CALL, FOUND] });
    assert.deepEqual(
      chat.tools?.map((tool) => tool.function.name),
      ['tool_search', 'mail__send'],
    );
    assert.deepEqual(plan.tools['mail__send'], { kind: 'function', name: 'send', namespace: 'mail' });
    assert.deepEqual(chat.messages.slice(1), [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'tool_search', arguments: '{"query":"mail"}' } }],
      },
      {
        role: 'tool',
        tool_call_id: '1',
        content: 'These tools were found. You can call them now:\n- mail__send: Sends.',
      },
    ]);
  });

  it('offers the tools that an item adds', () => {
    const { chat } = translate({
      input: [
        { type: 'additional_tools', role: 'developer', tools: [MAIL] },
        { role: 'user', content: 'a' },
      ],
    });
    assert.equal(chat.tools?.length, 1);
    assert.equal(chat.messages.length, 1);
  });

  it('offers what another server found, without its search', () => {
    const server = { call_id: null, execution: 'server' };
    const { chat } = translate({
      input: [
        { ...CALL, ...server },
        { ...FOUND, ...server },
        { role: 'user', content: 'a' },
      ],
    });
    assert.equal(chat.tools?.length, 1);
    assert.equal(chat.messages.length, 1);
  });

  it('rejects invalid searches, and names the field', () => {
    assert.equal(rejection({ input: [CALL, { ...FOUND, tools: [7] }] }).param, 'input[1].tools[0]');
    assert.equal(rejection({ input: [{ ...CALL, arguments: 'x' }, FOUND] }).param, 'input[0].arguments');
    assert.equal(rejection({ input: [FOUND] }).param, 'input[0].call_id');
  });

  it('finds nothing in anything else', () => {
    for (const input of [undefined, 'x', {}, [null, 7, {}]])
      assert.deepEqual(readFoundTools(input, new ToolNames()), []);
  });
});

describe('describeFound()', () => {
  it('says if nothing was found', () => {
    assert.equal(describeFound([]), 'No tools were found.');
  });
});

describe('joinTools()', () => {
  it('offers a tool that is in several lists once', () => {
    const names = new ToolNames();
    const lists = [[RUN, RUN], [PATCH], [RUN, { ...AGENTS, description: 'Later.' }]].map((list) =>
      readTools(list, names),
    );
    assert.deepEqual(
      joinTools(lists).map(({ chat }) => chat.function.name),
      ['run', 'patch', 'agents__run', 'agents__stop'],
    );
  });

  it('limits the tools of all lists', () => {
    const names = new ToolNames();
    const lists = [0, 1].map((list) =>
      readTools(
        Array.from({ length: 600 }, (_, index) => ({ ...RUN, name: `t${list}_${index}` })),
        names,
      ),
    );
    rejects(() => joinTools(lists), 'tools');
  });
});

describe('chooseTools()', () => {
  const offered = read({ ...AGENTS, description: '' }, RUN, PATCH);
  const all = offered.map(({ chat }) => chat);
  const namesOf = (value: unknown) => chooseTools(value, offered).tools?.map((tool) => tool.function.name);

  it('passes on the simple choices', () => {
    assert.deepEqual(chooseTools(undefined, offered), { tools: all });
    for (const choice of ['auto', 'none', 'required']) {
      assert.deepEqual(chooseTools(choice, offered), { tools: all, tool_choice: choice });
    }
  });

  it('names the function that the model must call', () => {
    for (const [choice, name] of [
      [RUN, 'run'],
      [PATCH, 'patch'],
      [{ ...RUN, namespace: 'agents' }, 'agents__run'],
      [{ type: 'function', name: 'stop' }, 'agents__stop'],
    ] as const) {
      const expected = { tools: all, tool_choice: { type: 'function', function: { name } } };
      assert.deepEqual(chooseTools(choice, offered), expected);
    }
  });

  it('offers only the allowed tools', () => {
    const allow = (...tools: readonly object[]) => ({ type: 'allowed_tools', mode: 'required', tools });
    assert.deepEqual(namesOf(allow(PATCH)), ['patch']);
    assert.deepEqual(namesOf(allow({ type: 'namespace', name: 'agents' }, { type: 'web_search' })), [
      'agents__run',
      'agents__stop',
    ]);
    assert.equal(chooseTools(allow(PATCH), offered).tool_choice, 'required');
  });

  it('states once what a namespace is for, in the first of its tools that is offered', () => {
    const stop = { ...RUN, name: 'stop', description: 'Stops.' };
    const tools = read({ ...AGENTS, tools: [RUN, stop] }, { ...AGENTS, name: 'other', tools: [stop, RUN] }, PATCH);
    const describe = (value: unknown) =>
      chooseTools(value, tools)
        .tools?.slice(0, 4)
        .map(({ function: { name, description } }) => [name, description]);
    assert.deepEqual(describe('auto'), [
      ['agents__run', 'The tools of agents: Agents.'],
      ['agents__stop', 'Stops.'],
      ['other__stop', 'The tools of other: Agents.\n\nStops.'],
      ['other__run', undefined],
    ]);
    const allowed = [{ ...stop, namespace: 'agents' }];
    assert.deepEqual(describe({ type: 'allowed_tools', mode: 'auto', tools: allowed }), [
      ['agents__stop', 'The tools of agents: Agents.\n\nStops.'],
    ]);
  });

  it('chooses nothing if there are no tools', () => {
    assert.deepEqual(chooseTools('auto', []), {});
    assert.deepEqual(chooseTools('none', []), {});
    rejects(() => chooseTools('required', []), 'tool_choice');
  });

  it('rejects tools that are not offered, and unknown choices', () => {
    rejects(() => chooseTools({ type: 'function', name: 'other' }, offered), 'tool_choice');
    rejects(() => chooseTools({ type: 'custom', name: 'run' }, offered), 'tool_choice');
    rejects(() => chooseTools({ type: 'web_search_preview' }, offered), 'tool_choice');
    rejects(() => chooseTools('sometimes', offered), 'tool_choice');
    rejects(() => chooseTools({ type: 'allowed_tools', mode: 'none', tools: [] }, offered), 'tool_choice.mode');
    rejects(
      () => chooseTools({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'x' }] }, offered),
      'tool_choice.tools[0]',
    );
  });
});
