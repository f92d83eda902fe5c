import assert from 'node:assert/strict';
import { createModel } from '../../../../src/devEnclave/model/model.ts';
import type { HandlerAnswer } from '../../../support/devEnclave/apiClient.ts';
import { CHAT_PATH, apiRequest, ask, events } from '../../../support/devEnclave/apiClient.ts';

interface Message {
  readonly content?: string | null;
  readonly reasoning?: string;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function: { readonly name?: string; readonly arguments: string };
  }[];
}

interface Completion {
  readonly object: string;
  readonly model: string;
  readonly choices: readonly {
    readonly delta?: Message;
    readonly message?: Message;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, number>>;
}

const PLAIN = 'llama3-3-70b';
const THINKING = 'glm-5-2';
const SEEING = 'gemma4-31b';
const PIXEL = `data:image/png;base64,${Buffer.alloc(70).toString('base64')}`;
const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'kelvin'] },
        days: { type: 'integer' },
        exact: { type: 'boolean' },
        note: { type: 'string' },
      },
      required: ['city', 'unit', 'days', 'exact'],
    },
  },
};
const CLOCK = { type: 'function', function: { name: 'get_time' } };

const model = createModel({ paceMs: 0 });

function user(content: unknown): { role: string; content: unknown }[] {
  return [{ role: 'user', content }];
}

function complete(fields: object): Promise<HandlerAnswer> {
  return ask(model, apiRequest(CHAT_PATH, { model: PLAIN, ...fields }));
}

async function completed(
  fields: object,
): Promise<{ message: Message; finish: string | null; usage: Completion['usage'] }> {
  const answer = await complete(fields);
  assert.equal(answer.status, 200, answer.body.toString());
  const { choices, usage } = answer.json() as Completion;
  return { message: choices[0]?.message ?? {}, finish: choices[0]?.finish_reason ?? null, usage };
}

async function streamed(
  fields: object,
): Promise<{ deltas: Message[]; finish: string[]; usage: Completion['usage'][] }> {
  const answer = await complete({ stream: true, ...fields });
  assert.equal(answer.status, 200, answer.body.toString());
  assert.deepEqual(answer.header('content-type'), ['text/event-stream']);
  const all = events(answer.body.toString());
  assert.equal(all.pop(), '[DONE]');
  const chunks = all as Completion[];
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    deltas: choices.map(({ delta }) => delta ?? {}),
    finish: choices.flatMap(({ finish_reason: reason }) => reason ?? []),
    usage: chunks.filter((chunk) => chunk.usage !== undefined).map((chunk) => chunk.usage),
  };
}

describe('createModel(): chat completions', () => {
  it("repeat the user's last message", async () => {
    const messages = [...user('first'), { role: 'assistant', content: 'x' }, ...user('two\n words ')];
    const { message, finish, usage } = await completed({ messages });
    assert.deepEqual(message, { role: 'assistant', content: 'You said: two\n words ' });
    assert.equal(finish, 'stop');
    assert.deepEqual(usage, { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 });
  });

  it('stream the same text, one chunk per word', async () => {
    const { deltas, finish, usage } = await streamed({ messages: user('two\n words ') });
    assert.deepEqual(deltas, [
      { role: 'assistant', content: '' },
      { content: 'You ' },
      { content: 'said: ' },
      { content: 'two\n ' },
      { content: 'words ' },
      {},
    ]);
    assert.deepEqual(finish, ['stop']);
    assert.deepEqual(usage, []);
  });

  it('write each chunk of a stream separately', async () => {
    const { chunks } = await complete({ stream: true, messages: user('a b') });
    assert.equal(chunks.length, 6); // the role, four words, the end
    for (const chunk of chunks) assert.match(chunk, /^data: \{[^]*\n\n$/);
  });

  it('are the same for the same request', async () => {
    const fields = { stream: true, messages: user('again') };
    assert.deepEqual((await complete(fields)).body, (await complete(fields)).body);
    assert.notDeepEqual((await complete(fields)).body, (await complete({ ...fields, n: 1 })).body);
  });

  it('report usage in the last but one event of a stream if asked to', async () => {
    const { usage } = await streamed({ messages: user('a'), stream_options: { include_usage: true } });
    assert.deepEqual(usage, [{ prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 }]);
  });

  it('stop at max_tokens or max_completion_tokens', async () => {
    for (const limit of [{ max_tokens: 2 }, { max_completion_tokens: 2, max_tokens: 9 }]) {
      const { message, finish } = await completed({ messages: user('a b c'), ...limit });
      assert.equal(message.content, 'You said: ');
      assert.equal(finish, 'length');
      assert.deepEqual((await streamed({ messages: user('a b c'), ...limit })).finish, ['length']);
    }
    assert.equal((await completed({ messages: user('a'), max_tokens: 3 })).finish, 'stop');
  });

  it('include reasoning only for models that support it, according to reasoning_effort', async () => {
    assert.equal((await completed({ messages: user('a') })).message.reasoning, undefined);
    const lengths: number[] = [];
    for (const effort of ['none', 'low', undefined, 'high']) {
      const { message } = await completed({ model: THINKING, messages: user('a'), reasoning_effort: effort });
      lengths.push(message.reasoning?.length ?? 0);
      assert.equal(message.content, 'You said: a');
    }
    assert.equal(lengths[0], 0);
    assert.deepEqual(
      lengths,
      [...new Set(lengths)].sort((a, b) => a - b),
    );
  });

  it('stream the reasoning first, in delta.reasoning', async () => {
    const fields = { model: THINKING, messages: user('a b') };
    const { deltas } = await streamed(fields);
    const thought = deltas.map(({ reasoning }) => reasoning ?? '').join('');
    assert.equal(thought, (await completed(fields)).message.reasoning);
    const kinds = deltas.slice(1, -1).map((delta) => ('reasoning' in delta ? 'r' : 'c'));
    assert.match(kinds.join(''), /^r+c+$/);
  });

  it('accept images for models that support them', async () => {
    const content = [
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url: PIXEL } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    const { message } = await completed({ model: SEEING, messages: user(content) });
    assert.equal(
      message.content,
      'I see an image (image/png, 70 bytes). I see an image (image/*, not fetched). You said: what is this?',
    );
    assert.equal((await complete({ messages: user(content) })).status, 400);
  });
});

describe('createModel(): tool calls', () => {
  const tools = [WEATHER, CLOCK];

  it('are made when the user mentions a tool, with all required arguments', async () => {
    const { message, finish } = await completed({ model: SEEING, tools, messages: user('use get_weather now') });
    assert.equal(finish, 'tool_calls');
    assert.equal(message.content, null);
    assert.equal(message.tool_calls?.length, 1);
    const called = message.tool_calls[0]?.function;
    assert.equal(called?.name, 'get_weather');
    assert.deepEqual(JSON.parse(called.arguments), {
      city: 'use get_weather now',
      unit: 'celsius',
      days: 1,
      exact: true,
    });
  });

  it('are streamed by index, with their arguments in fragments', async () => {
    const fields = { model: SEEING, tools, messages: user('get_weather and get_time, päivää 🌞') };
    const { deltas, finish } = await streamed(fields);
    assert.deepEqual(finish, ['tool_calls']);
    const calls: { id: string; name: string; json: string; fragments: number }[] = [];
    for (const part of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
      const index = part.index ?? -1;
      if (part.id !== undefined) calls[index] = { id: part.id, name: part.function.name ?? '', json: '', fragments: 0 };
      const call = calls[index] ?? assert.fail('a fragment of a call that has not begun');
      call.json += part.function.arguments;
      call.fragments++;
    }
    const { message } = await completed(fields);
    assert.deepEqual(
      calls.map(({ name, json }) => ({ name, arguments: json })),
      message.tool_calls?.map((call) => call.function),
    );
    assert.ok((calls[0]?.fragments ?? 0) > 3);
    assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
  });

  it('follow tool_choice and parallel_tool_calls', async () => {
    const names = async (fields: object) => {
      const { message } = await completed({ model: SEEING, tools, messages: user('hello'), ...fields });
      return message.tool_calls?.map((call) => call.function.name);
    };
    const both = user('get_time get_weather');
    assert.deepEqual(await names({}), undefined);
    assert.deepEqual(await names({ tool_choice: 'required' }), ['get_weather']);
    assert.deepEqual(await names({ tool_choice: 'required', messages: user('get_time') }), ['get_time']);
    assert.deepEqual(await names({ tool_choice: { type: 'function', function: { name: 'get_time' } } }), ['get_time']);
    assert.deepEqual(await names({ messages: both }), ['get_weather', 'get_time']);
    assert.deepEqual(await names({ messages: both, parallel_tool_calls: false }), ['get_weather']);
    assert.deepEqual(await names({ messages: both, tool_choice: 'none' }), undefined);
  });

  it('are followed by a message with the results of the tools', async () => {
    const messages = [
      ...user('get_weather'),
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', tool_call_id: 'call_0', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'wind' }] },
    ];
    const { message, finish } = await completed({ model: SEEING, tools, tool_choice: 'required', messages });
    assert.equal(message.content, 'The tool answered: rain\nwind');
    assert.equal(finish, 'stop');
  });
});

describe('createModel(): an invalid chat completion request', () => {
  const wrong: [string, object, string][] = [
    ['an unknown model', { model: 'gpt-1' }, 'upstream_invalid_request'],
    ['a model that does not chat', { model: 'nomic-embed-text' }, 'upstream_invalid_request'],
    ['a missing model', { model: undefined }, 'upstream_invalid_request'],
    ['an empty list of messages', { messages: [] }, 'upstream_invalid_messages'],
    ['a message without a role', { messages: [{ content: 'a' }] }, 'upstream_invalid_messages'],
    ['content of unknown type', { messages: user([{ type: 'input_audio' }]) }, 'upstream_invalid_messages'],
    ['tools for a model without tool support', { tools: [CLOCK] }, 'upstream_unsupported_parameter'],
    [
      'the choice of an unknown tool',
      { model: SEEING, tool_choice: { function: { name: 'a' } } },
      'upstream_invalid_parameter',
    ],
    ['max_tokens of 0', { max_tokens: 0 }, 'upstream_invalid_parameter'],
    ['an unknown reasoning_effort', { reasoning_effort: 'much' }, 'upstream_invalid_parameter'],
  ];
  for (const [what, fields, code] of wrong) {
    it(`is rejected with ${what}, streamed or not`, async () => {
      for (const stream of [false, true]) {
        const answer = await complete({ messages: user('a'), stream, ...fields });
        assert.equal(answer.status, 400);
        assert.deepEqual(answer.header('x-opensecret-error-contract'), ['1']);
        assert.deepEqual(answer.header('x-opensecret-error-code'), [code]);
        const { error } = answer.json() as { error: Record<string, unknown> };
        assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code']);
      }
    });
  }

  it('is rejected if its body is not a JSON object', async () => {
    const notUtf8 = `{"model":"${PLAIN}","messages":[{"role":"user","content":"\xff"}]}`;
    for (const body of ['', '{', '[]', 'null', notUtf8]) {
      const request = apiRequest(CHAT_PATH, {}, { body: Buffer.from(body, 'latin1') });
      assert.equal((await ask(model, request)).status, 400, body);
    }
  });
});
