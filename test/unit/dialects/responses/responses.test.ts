import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Response as ModelResponse } from 'openai/resources/responses/responses';
import { ChatReader } from '../../../../src/dialects/chatReader.ts';
import type { ChatDelta } from '../../../../src/dialects/chatReader.ts';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { EventStreamReader } from '../../../../src/dialects/eventStream.ts';
import { responses } from '../../../../src/dialects/responses/responses.ts';
import {
  CONTEXT,
  IDENTITY,
  STOPPED,
  accumulate,
  bodyOf,
  clientOf,
  streamOf,
  translate,
} from '../../../support/responsesDialect.ts';

const TOOLS = [
  { type: 'function', name: 'run' },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'agents', description: '', tools: [{ type: 'function', name: 'run' }] },
];
const { plan } = translate({ stream: true, tools: TOOLS });
const summarizing = translate({ stream: true, tools: TOOLS, reasoning: { summary: 'auto' } }).plan;

/** What the model says: a list of chunks, each of which becomes one event of the backend. */
type Speech = readonly (
  | { readonly kind: 'content' | 'reasoning' | 'refusal'; readonly text: string }
  | { readonly kind: 'call'; readonly name: 'run' | 'patch' | 'agents__run'; readonly value: string }
)[];

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const speech: fc.Arbitrary<Speech> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('content' as const, 'reasoning' as const, 'refusal' as const), text: words }),
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constantFrom('run' as const, 'patch' as const, 'agents__run' as const),
      value: words,
    }),
  ),
  { maxLength: 12 },
);

const argumentsOf = (name: string, value: string) => JSON.stringify(name === 'patch' ? { input: value } : { value });

/** The backend's event stream of Chat Completions. The arguments of each call come in two chunks. */
function upstream(chunks: Speech): string {
  let calls = 0;
  const deltas = chunks.flatMap((chunk): object[] => {
    if (chunk.kind !== 'call') return [{ [chunk.kind]: chunk.text }];
    const index = calls++;
    const json = argumentsOf(chunk.name, chunk.value);
    const half = Math.floor(json.length / 2);
    return [
      { tool_calls: [{ index, id: `call_${index}`, function: { name: chunk.name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(half) } }] },
    ];
  });
  const events = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: calls > 0 ? 'tool_calls' : 'stop' }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } },
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

/** The dialect's event stream for the backend's, which arrives in these chunks. */
function reply(chunks: readonly Uint8Array[], own = plan): string {
  const events = new EventStreamReader();
  const reader = new ChatReader((index) => `call_${index}`);
  const answer = responses.createReply(own, IDENTITY);
  const write = (data: readonly string[]) =>
    data
      .flatMap((json) => reader.read(json))
      .map((delta) => answer.delta(delta))
      .join('');
  const body = chunks.map((chunk) => write(events.push(chunk))).join('') + write(events.end());
  return answer.begin() + body + answer.end(reader.outcome ?? STOPPED);
}

/** What an output says, in the order of its items. Neighbouring chunks of the same kind are one text. */
function said({ output }: Pick<ModelResponse, 'output'>): unknown[] {
  return output.flatMap((item): unknown[] => {
    if (item.type === 'message') {
      return item.content.map((part) =>
        part.type === 'refusal' ? { kind: 'refusal', text: part.refusal } : { kind: 'content', text: part.text },
      );
    }
    if (item.type === 'reasoning') {
      return [{ kind: 'reasoning', text: [...(item.content ?? []), ...item.summary].map(({ text }) => text).join() }];
    }
    if (item.type === 'function_call') {
      return [{ name: item.name, namespace: item.namespace, id: item.call_id, value: item.arguments }];
    }
    assert.ok(item.type === 'custom_tool_call', item.type);
    return [{ name: item.name, id: item.call_id, value: item.input }];
  });
}

function meant(chunks: Speech): unknown[] {
  let calls = 0;
  const found: { kind: string; text: string }[] = [];
  for (const chunk of chunks) {
    if (chunk.kind === 'call') {
      const id = `call_${calls++}`;
      const value = argumentsOf(chunk.name, chunk.value);
      const entry =
        chunk.name === 'patch'
          ? { name: 'patch', id, value: chunk.value }
          : { name: 'run', namespace: chunk.name === 'run' ? undefined : 'agents', id, value };
      found.push(entry as never);
    } else if (found.at(-1)?.kind === chunk.kind) (found.at(-1) as { text: string }).text += chunk.text;
    else found.push({ kind: chunk.kind, text: chunk.text });
  }
  return found;
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const positions = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return positions.slice(1).map((end, index) => bytes.subarray(positions[index], end));
}

describe('responses, read by the official library', () => {
  it('gives exactly what the model said', async () => {
    await fc.assert(
      fc.asyncProperty(speech, fc.boolean(), async (chunks, isSummary) => {
        const stream = reply([Buffer.from(upstream(chunks))], isSummary ? summarizing : plan);
        const response = await accumulate(stream);
        assert.deepEqual(said(response), meant(chunks));
        assert.equal(response.status, 'completed');
        assert.equal(response.usage?.total_tokens, 8);
        const text = chunks.map((chunk) => (chunk.kind === 'content' ? chunk.text : '')).join('');
        assert.equal(response.output_text, text);
      }),
      { numRuns: 150 },
    );
  });

  it('passes the deltas on one by one', async () => {
    const deltas: ChatDelta[] = ['a', 'b', 'c'].map((text) => ({ kind: 'text', text }));
    const stream = await clientOf(streamOf(plan, deltas)).responses.create({
      model: 'thinker',
      input: 'Hello',
      stream: true,
    });
    const received: string[] = [];
    for await (const event of stream) if (event.type === 'response.output_text.delta') received.push(event.delta);
    assert.deepEqual(received, ['a', 'b', 'c']);
  });

  it('fails if the response breaks off', async () => {
    const answer = responses.createReply(plan, IDENTITY);
    const error = new DialectError('The connection broke.', { status: 502 });
    const text = answer.begin() + answer.delta({ kind: 'text', text: 'a' }) + answer.fail(error);
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text));
      },
      pull(controller) {
        controller.error(new Error('socket closed'));
      },
    });
    await assert.rejects(accumulate(broken), /socket closed/);
  });

  it('reads the error of a failed response', async () => {
    const answer = responses.createReply(plan, IDENTITY);
    const failed = await accumulate(answer.begin() + answer.fail(new DialectError('It broke.', { status: 502 })));
    assert.equal(failed.status, 'failed');
    assert.deepEqual(failed.error, { code: 'server_error', message: 'It broke.' });
  });

  it('ignores pings', async () => {
    const answer = responses.createReply(plan, IDENTITY);
    const parts = [answer.begin(), answer.ping(), answer.delta({ kind: 'text', text: 'a' }), answer.ping()];
    assert.equal((await accumulate(parts.join('') + answer.end(STOPPED))).output_text, 'a');
  });
});

describe('responses, from one turn to the next', () => {
  it('gives the model back what it said', () => {
    const turn = fc.record({
      reasoning: fc.option(words, { nil: undefined }),
      text: fc.option(words, { nil: undefined }),
      calls: fc.array(fc.record({ name: fc.constantFrom('run', 'patch', 'agents__run'), value: words }), {
        maxLength: 3,
      }),
      result: words,
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 5 }), fc.boolean(), (turns, isSummary) => {
        const own = isSummary ? summarizing : plan;
        const input: unknown[] = [{ role: 'user', content: 'Hello' }];
        const expected: unknown[] = [{ role: 'user', content: 'Hello' }];
        for (const { reasoning, text, calls, result } of turns) {
          if (text === undefined && calls.length === 0) continue;
          const json = calls.map(({ name, value }) => argumentsOf(name, value));
          const { output } = bodyOf(own, [
            ...(reasoning === undefined ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
            ...(text === undefined ? [] : [{ kind: 'text' as const, text }]),
            ...calls.flatMap(({ name }, index): ChatDelta[] => [
              { kind: 'toolCall', index, id: `c${index}`, name },
              { kind: 'arguments', index, json: json[index] ?? '' },
            ]),
          ]);
          const outputs = calls.map(({ name }, index) => ({
            type: name === 'patch' ? 'custom_tool_call_output' : 'function_call_output',
            call_id: `c${index}`,
            output: result,
          }));
          input.push(...output, ...outputs, { role: 'user', content: result });
          expected.push(
            {
              role: 'assistant',
              content: text ?? null,
              ...(reasoning !== undefined && { reasoning }),
              ...(calls.length > 0 && {
                tool_calls: calls.map(({ name }, index) => ({
                  id: `c${index}`,
                  type: 'function',
                  function: { name, arguments: json[index] },
                })),
              }),
            },
            ...calls.map((_, index) => ({ role: 'tool', tool_call_id: `c${index}`, content: result })),
            { role: 'user', content: result },
          );
        }
        assert.deepEqual(translate({ input, tools: TOOLS }).chat.messages, expected);
      }),
    );
  });
});

describe('responses, for a stream that is split anywhere', () => {
  it('gives the same events', () => {
    fc.assert(
      fc.property(speech, fc.array(fc.nat(), { maxLength: 30 }), (chunks, cuts) => {
        const bytes = Buffer.from(upstream(chunks));
        const expected = reply([bytes]);
        assert.equal(reply(split(bytes, cuts)), expected);
        assert.equal(reply([...bytes].map((byte) => Uint8Array.of(byte))), expected);
      }),
      { numRuns: 50 },
    );
  });
});

describe('responses', () => {
  it('reports an estimate as a token count', () => {
    assert.deepEqual(JSON.parse(responses.tokenCount(42)), { object: 'response.input_tokens', input_tokens: 42 });
  });

  it('is complete as a dialect', () => {
    assert.match(responses.listModels(CONTEXT.modelList), /thinker.*talker/);
    assert.match(responses.describeModel(CONTEXT.modelList, 'talker'), /talker/);
    assert.match(responses.errorBody(new DialectError('No.', { status: 400 }), ''), /^\{"error":\{"message":"No\."/);
  });
});
