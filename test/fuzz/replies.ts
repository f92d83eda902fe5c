// Replies of a dialect: whatever the backend streams, the client gets valid events that end once, or one valid body.
import assert from 'node:assert/strict';
import { ChatReader } from '../../src/dialects/chatReader.ts';
import type { Reply } from '../../src/dialects/dialect.ts';
import { DialectError } from '../../src/dialects/dialectError.ts';
import { EventStreamReader } from '../../src/dialects/eventStream.ts';
import { parseJson } from '../../src/shared/json.ts';
import { speechEvents } from '../support/modelSpeech.ts';
import { jsonOf, mutate, pick } from '../support/mutations.ts';
import { inChunks } from './split.ts';
import type { FuzzTarget, Random } from './target.ts';

export interface ReplyTarget {
  readonly createReply: (stream: boolean) => Reply;
  /** Checks a complete stream: the events, each once and in their order, up to the last one. */
  readonly checkStream: (stream: string) => void;
}

const USAGE = { input: 10, cached: 2, output: 5, reasoning: 1 };
const CALLS = [0, 1].map((index) => ({ id: `call_${index}`, name: 'Read', input: { path: '"}\\', input: 'x' } }));
const SPEECH = [
  { kind: 'reasoning', text: 'Hm. Hm.' },
  { kind: 'text', text: 'Some wörds.' },
  { kind: 'calls', calls: CALLS, order: [0, 1, 1, 0] },
] as const;

function streamOf(events: readonly string[]): string {
  return events.map((json) => `data: ${json}\n\n`).join('');
}

export function replyTarget({ createReply, checkStream }: ReplyTarget): FuzzTarget {
  const outcome = { finish: 'stop', usage: USAGE } as const;
  return {
    seeds: () => [
      streamOf(speechEvents(SPEECH, 'tool_calls', USAGE)),
      streamOf(speechEvents([{ kind: 'text', text: 'Hello' }], 'length', USAGE)),
      streamOf(['{"error":{"message":"No.","code":"rate_limited"}}']),
      streamOf(['{"choices":[{"message":{"content":"Hello","refusal":"No."},"finish_reason":"stop"}]}']),
      streamOf(['{"choices":[{"delta":{"refusal":"No.","reasoning_content":"a"},"finish_reason":"content_filter"}]}']),
    ],
    mutate: (input, random) => mutateStream(input, random),
    run: (input) => {
      const stream = play(createReply(true), [input], (reply, end) => reply.end({ ...outcome, ...end }));
      checkStream(stream);
      for (const chunks of inChunks(input)) {
        assert.equal(
          play(createReply(true), chunks, (reply, end) => reply.end({ ...outcome, ...end })),
          stream,
          'split',
        );
      }
      const body = play(createReply(false), [input], (reply, end) => reply.body({ ...outcome, ...end }), false);
      if (body !== undefined) assert.equal(typeof JSON.parse(body), 'object');
    },
  };
}

function mutateStream(input: Buffer, random: Random): string {
  const events = new EventStreamReader();
  const all = [...events.push(input), ...events.end()];
  const at = Math.floor(random() * all.length);
  const changed = jsonOf(mutate(parseJson(all[at] ?? ''), random));
  return streamOf(
    all.flatMap((json, index) => (index === at ? pick(random, [[changed], [json, changed], []]) : [json])),
  );
}

type End = (reply: Reply, outcome: NonNullable<ChatReader['outcome']>) => string;

/** All that is sent, as the proxy sends it; undefined: an error in place of a body. */
function play(reply: Reply, chunks: readonly Uint8Array[], end: End): string;
function play(reply: Reply, chunks: readonly Uint8Array[], end: End, isStream: false): string | undefined;
function play(reply: Reply, chunks: readonly Uint8Array[], end: End, isStream = true): string | undefined {
  const events = new EventStreamReader();
  const chat = new ChatReader((index) => `call_made_${index}`);
  let text = reply.begin();
  const read = (data: readonly string[]) => {
    for (const json of data) for (const delta of chat.read(json)) text += reply.delta(delta);
  };
  try {
    for (const chunk of chunks) read(events.push(chunk));
    read(events.end());
    if (chat.outcome === undefined) throw new DialectError('The response is incomplete.', { status: 502 });
    return text + end(reply, chat.outcome);
  } catch (error) {
    assert.ok(error instanceof DialectError, error instanceof Error ? (error.stack ?? '') : String(error));
    return isStream ? text + reply.fail(error) : undefined;
  }
}
