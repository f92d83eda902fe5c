// What a model says, and the stream of a Chat Completions backend in which it says it.
import fc from 'fast-check';
import { ChatReader } from '../../src/dialects/chatReader.ts';
import type { ChatUsage } from '../../src/dialects/chatReader.ts';
import type { Reply } from '../../src/dialects/dialect.ts';
import { EventStreamReader } from '../../src/dialects/eventStream.ts';

export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Utterance =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  /** Parallel calls. `order`: which call goes on with its arguments. */
  | { readonly kind: 'calls'; readonly calls: readonly SpokenCall[]; readonly order: readonly number[] };

const TEXT = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
const INPUT = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });

/** Anything that a model can say. Ids of calls are unique. */
export const SPEECH: fc.Arbitrary<readonly Utterance[]> = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constantFrom('text' as const, 'reasoning' as const), text: TEXT }),
      fc.record({
        kind: fc.constant('calls' as const),
        calls: fc.array(fc.record({ id: fc.constant(''), name: fc.constantFrom('Read', 'Bash'), input: INPUT }), {
          minLength: 1,
          maxLength: 3,
        }),
        order: fc.array(fc.nat(2), { maxLength: 12 }),
      }),
    ),
    { maxLength: 6 },
  )
  .map((speech) => {
    let count = 0;
    return speech.map((utterance) =>
      utterance.kind === 'calls'
        ? { ...utterance, calls: utterance.calls.map((call) => ({ ...call, id: `call_${count++}` })) }
        : utterance,
    );
  });

/** The data of the backend's events. */
export function speechEvents(speech: readonly Utterance[], reason: string, usage: ChatUsage): string[] {
  const deltas: object[] = [{ role: 'assistant', content: '' }];
  let first = 0;
  for (const utterance of speech) {
    if (utterance.kind !== 'calls') {
      const name = utterance.kind === 'text' ? 'content' : 'reasoning';
      deltas.push(...fragmentsOf(utterance.text).map((text) => ({ [name]: text })));
      continue;
    }
    deltas.push(...callDeltas(utterance, first));
    first += utterance.calls.length;
  }
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
  const counts = {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
  return [...[...chunks, end, { choices: [], usage: counts }].map((chunk) => JSON.stringify(chunk)), '[DONE]'];
}

function callDeltas({ calls, order }: Extract<Utterance, { kind: 'calls' }>, first: number): object[] {
  const fragment = (index: number, more: object) => ({ tool_calls: [{ index: first + index, ...more }] });
  const rest = calls.map(({ input }) => fragmentsOf(JSON.stringify(input)));
  const next = (index: number) => {
    const json = rest[index]?.shift();
    return json === undefined ? [] : [fragment(index, { function: { arguments: json } })];
  };
  return [
    ...calls.map(({ id, name }, index) => fragment(index, { id, type: 'function', function: { name, arguments: '' } })),
    ...order.flatMap((index) => next(index % calls.length)),
    ...calls.flatMap((_, index) => Array.from({ length: rest[index]?.length ?? 0 }, () => next(index)).flat()),
  ];
}

/** Splits a text after every fourth character. */
function fragmentsOf(text: string): string[] {
  return text.match(/.{1,4}/gsu) ?? [];
}

/** What a reply makes of the backend's stream, which arrives in these chunks. */
export function translateStream(reply: Reply, chunks: readonly Uint8Array[]): string {
  const events = new EventStreamReader();
  const chat = new ChatReader((index) => `call_made_${index}`);
  let text = reply.begin();
  const read = (data: readonly string[]) => {
    for (const json of data) for (const delta of chat.read(json)) text += reply.delta(delta);
  };
  for (const chunk of chunks) read(events.push(chunk));
  read(events.end());
  return chat.outcome === undefined ? text : text + reply.end(chat.outcome);
}

/** Bytes in chunks that end at these places. */
export function splitBytes(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((one, other) => one - other)];
  return cuts.map((cut, index) => bytes.subarray(cut, cuts[index + 1] ?? bytes.length));
}
