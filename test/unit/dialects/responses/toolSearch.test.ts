import assert from 'node:assert/strict';
import type { ChatDelta } from '../../../../src/dialects/chatReader.ts';
import { bodyOf, eventsOf, rejection, streamOf, translate } from '../../../support/responsesDialect.ts';

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };
const WEATHER = {
  ...{ type: 'function', name: 'weather', description: 'The weather.', defer_loading: true },
  ...{ parameters: PARAMETERS, strict: true },
};
const ORDERS = { type: 'function', name: 'orders', parameters: PARAMETERS, defer_loading: true };
const CRM = { type: 'namespace', name: 'crm', description: 'Customers.', tools: [ORDERS] };
const PLAIN = { type: 'function', name: 'plain' };
const SERVER = { type: 'tool_search' };
const CLIENT = { type: 'tool_search', execution: 'client', description: 'Loads tools.' };

const calls = (...names: readonly string[]): ChatDelta[] =>
  names.flatMap((name, index): ChatDelta[] => [
    { kind: 'toolCall', index, id: `call_${index}`, name },
    { kind: 'arguments', index, json: '{}' },
  ]);
const namesOf = ({ chat }: ReturnType<typeof translate>) => (chat.tools ?? []).map((tool) => tool.function.name);
/** What a client knows of an item. */
const known = (item: object) => {
  const { type, name, namespace } = item as { readonly type: string; name?: string; namespace?: string };
  return [type, ...(name === undefined ? [] : [`${namespace ?? ''}.${name}`])].join(' ');
};

describe('searchTools(), for a search of the server', () => {
  const tools = [WEATHER, CRM, PLAIN, SERVER];

  it('offers all tools from the start', () => {
    assert.deepEqual(namesOf(translate({ tools })), ['weather', 'crm__orders', 'plain']);
  });

  it('is reported before the first call of each deferred tool, with the tool that it loaded', () => {
    const { plan } = translate({ tools });
    const { output } = bodyOf(plan, calls('weather', 'crm__orders', 'plain', 'weather'));
    assert.deepEqual(output.map(known), [
      'tool_search_call',
      'tool_search_output',
      'function_call weather.weather',
      'tool_search_call',
      'tool_search_output',
      'function_call crm.orders',
      'function_call .plain',
      'function_call weather.weather',
    ]);
    const searched = output.flatMap((item) => (item.type === 'tool_search_call' ? [item] : []));
    const found = output.flatMap((item) => (item.type === 'tool_search_output' ? [item] : []));
    for (const item of [...searched, ...found]) {
      assert.deepEqual([item.execution, item.call_id, item.status], ['server', null, 'completed']);
    }
    assert.deepEqual(
      searched.map((item) => item.arguments),
      [{ paths: ['weather'] }, { paths: ['crm'] }],
    );
    assert.deepEqual(
      found.map((item) => item.tools),
      [[WEATHER], [CRM]],
    );
    assert.equal(new Set(output.map((item) => item.id)).size, output.length);
  });

  it('streams each of its items as added and done, in the order of the output', () => {
    const { plan } = translate({ tools, stream: true });
    const events = eventsOf(streamOf(plan, [{ kind: 'reasoning', text: 'Hm.' }, ...calls('weather', 'crm__orders')]));
    const of = (type: string) =>
      events.flatMap((event) =>
        event.type === type && 'item' in event ? [`${event.output_index} ${event.item.type}`] : [],
      );
    const expected = [
      ...['0 reasoning', '1 tool_search_call', '2 tool_search_output', '3 function_call'],
      ...['4 tool_search_call', '5 tool_search_output', '6 function_call'],
    ];
    assert.deepEqual(of('response.output_item.added'), expected);
    assert.deepEqual(of('response.output_item.done'), expected);
    const last = events.at(-1);
    assert.ok(last?.type === 'response.completed');
    assert.deepEqual(
      last.response.output.map(({ type }, index) => `${index} ${type}`),
      expected,
    );
  });

  it('is not repeated for a tool that an earlier one has loaded', () => {
    const input = [
      { role: 'user', content: 'a' },
      { type: 'tool_search_call', execution: 'server', arguments: { paths: ['weather'] } },
      { type: 'tool_search_output', execution: 'server', tools: [WEATHER, CRM] },
      { type: 'function_call', call_id: '1', name: 'weather', namespace: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: '1', output: 'Rain.' },
    ];
    const translated = translate({ tools, input });
    assert.deepEqual(namesOf(translated), ['weather', 'crm__orders', 'plain']);
    assert.deepEqual(translated.chat.messages[1], {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    });
    assert.deepEqual(bodyOf(translated.plan, calls('weather', 'crm__orders')).output.map(known), [
      'function_call weather.weather',
      'function_call crm.orders',
    ]);
  });

  it('does not take the call of a tool in a namespace of the same name for one outside', () => {
    const same = { type: 'namespace', name: 'plain', description: '', tools: [{ type: 'function', name: 'plain' }] };
    const input = [
      { type: 'function_call', call_id: '1', name: 'plain', namespace: 'plain', arguments: '{}' },
      { type: 'function_call_output', call_id: '1', output: '' },
    ];
    const { chat } = translate({ tools: [PLAIN, same], input });
    assert.match(JSON.stringify(chat.messages), /"name":"plain__plain"/);
  });

  it('states the description of a namespace once, however many tools it has', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ ...ORDERS, name: `orders${index}` }));
    const description = 'd'.repeat(10_000);
    const { plan } = translate({ tools: [{ ...CRM, description, tools: many }, SERVER] });
    assert.ok(JSON.stringify(plan.deferred).length < 100_000);
  });
});

describe('searchTools(), for a search of the client', () => {
  const tools = [WEATHER, CRM, PLAIN, CLIENT];

  it('does not offer deferred tools, and says what can be loaded', () => {
    const { chat } = translate({ tools });
    assert.deepEqual(
      chat.tools?.map(({ function: { name, description } }) => [name, description]),
      [
        ['plain', undefined],
        ['tool_search', 'Loads tools.\n\nThese tools can be loaded:\n- weather: The weather.\n- crm: Customers.'],
      ],
    );
  });

  it('offers them once they were found, and reports no search of its own', () => {
    const input = [
      { role: 'user', content: 'a' },
      { type: 'tool_search_call', call_id: '1', execution: 'client', arguments: { paths: ['weather'] } },
      { type: 'tool_search_output', call_id: '1', execution: 'client', tools: [WEATHER] },
    ];
    const translated = translate({ tools, input });
    assert.deepEqual(namesOf(translated), ['plain', 'tool_search', 'weather']);
    assert.deepEqual(bodyOf(translated.plan, calls('weather')).output.map(known), ['function_call .weather']);
  });
});

describe('searchTools(), without a search', () => {
  it('takes deferred tools for tools like others', () => {
    const translated = translate({ tools: [WEATHER, CRM] });
    assert.deepEqual(namesOf(translated), ['weather', 'crm__orders']);
    assert.deepEqual(bodyOf(translated.plan, calls('weather')).output.map(known), ['function_call .weather']);
  });

  it('rejects a deferred tool without a name', () => {
    assert.equal(rejection({ tools: [{ type: 'function', defer_loading: true }, SERVER] }).param, 'tools[0].name');
  });
});
