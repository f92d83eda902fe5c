import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import { ChatReader } from '../../../../src/dialects/chatReader.ts';
import type { ChatUsage } from '../../../../src/dialects/chatReader.ts';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { createReply } from '../../../../src/dialects/messages/reply.ts';
import { SPEECH, speechEvents, splitBytes, translateStream } from '../../../support/modelSpeech.ts';
import type { Utterance } from '../../../support/modelSpeech.ts';

const IDENTITY = { id: '0123456789abcdef0123456789abcdef', createdAt: 0 };
const USAGE: ChatUsage = { input: 100, cached: 60, output: 40, reasoning: 7 };
const PARAMS = { model: 'glm-5-2', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] };
const newReply = (stream: boolean) =>
  createReply({ model: 'glm-5-2', stream, hidesThinking: false, inputEstimate: 0 }, IDENTITY);

/** The official client, which receives these chunks as the body of every response. */
function clientOf(type: string, ...chunks: readonly (string | Uint8Array)[]): Anthropic {
  return new Anthropic({
    apiKey: 'sealed-x',
    maxRetries: 0,
    fetch: () => {
      const body = ReadableStream.from(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
      return Promise.resolve(new Response(body, { headers: { 'content-type': type } }));
    },
  });
}

function streamOf(speech: readonly Utterance[], reason: string, places: readonly number[]): string {
  const text = speechEvents(speech, reason, USAGE).map((data) => `data: ${data}\n\n`);
  return translateStream(newReply(true), splitBytes(Buffer.from(text.join('')), places));
}

type SpokenBlock = Readonly<Record<string, unknown>>;

/** The blocks for what was said: neighbours of the same kind are one block. */
function expectedBlocks(speech: readonly Utterance[]): SpokenBlock[] {
  const blocks: Record<string, unknown>[] = [];
  for (const utterance of speech) {
    if (utterance.kind === 'calls') {
      blocks.push(...utterance.calls.map((call) => ({ type: 'tool_use', ...call })));
      continue;
    }
    const [type, field] = utterance.kind === 'text' ? ['text', 'text'] : ['thinking', 'thinking'];
    const last = blocks.at(-1);
    if (last?.['type'] === type) last[field] = String(last[field]) + utterance.text;
    else blocks.push({ type, [field]: utterance.text });
  }
  return blocks;
}

function spokenBlocks(message: Anthropic.Message): SpokenBlock[] {
  return message.content.map((block): SpokenBlock => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    if (block.type === 'thinking') {
      assert.equal(block.signature, 'dW5zaWduZWQ=');
      return { type: 'thinking', thinking: block.thinking };
    }
    assert.equal(block.type, 'tool_use');
    const { id, name, input } = block;
    return { type: 'tool_use', id, name, input };
  });
}

function checkMessage(message: Anthropic.Message, speech: readonly Utterance[]): void {
  assert.deepEqual(
    JSON.parse(JSON.stringify(spokenBlocks(message))),
    JSON.parse(JSON.stringify(expectedBlocks(speech))),
  );
  assert.equal(message.id, `msg_${IDENTITY.id}`);
  assert.equal(message.model, 'glm-5-2');
  assert.equal(message.stop_reason, speech.some(({ kind }) => kind === 'calls') ? 'tool_use' : 'end_turn');
  assert.equal(message.usage.input_tokens, 40);
  assert.equal(message.usage.cache_read_input_tokens, 60);
  assert.equal(message.usage.output_tokens, 40);
  assert.equal(message.usage.output_tokens_details?.thinking_tokens, 7);
}

describe('createReply() read by the official SDK', () => {
  it('yields exactly what the model said when it is streamed, wherever the backend splits its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(SPEECH, fc.array(fc.nat(), { maxLength: 20 }), async (speech, places) => {
        const client = clientOf('text/event-stream', streamOf(speech, 'stop', places));
        checkMessage(await client.messages.stream(PARAMS).finalMessage(), speech);
      }),
      { numRuns: 150 },
    );
  });

  it('yields exactly what the model said when it is not streamed', async () => {
    await fc.assert(
      fc.asyncProperty(SPEECH, async (speech) => {
        const reply = newReply(false);
        const reader = new ChatReader((index) => `call_${index}`);
        let streamed = '';
        reply.begin();
        for (const data of speechEvents(speech, 'stop', USAGE)) {
          for (const delta of reader.read(data)) streamed += reply.delta(delta);
        }
        assert.equal(streamed, '');
        assert.ok(reader.outcome);
        const client = clientOf('application/json', reply.body(reader.outcome));
        checkMessage(await client.messages.create(PARAMS), speech);
      }),
      { numRuns: 100 },
    );
  });

  it('makes the same events wherever the backend splits its bytes', () => {
    fc.assert(
      fc.property(SPEECH, fc.array(fc.nat(), { maxLength: 20 }), (speech, places) => {
        assert.equal(streamOf(speech, 'stop', places), streamOf(speech, 'stop', []));
      }),
    );
  });

  it('also works with the beta interface', async () => {
    const speech: readonly Utterance[] = [
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'calls', calls: [{ id: 'call_0', name: 'Read', input: { path: 'a' } }], order: [] },
    ];
    const client = clientOf('text/event-stream', streamOf(speech, 'tool_calls', []));
    const message = await client.beta.messages.stream(PARAMS).finalMessage();
    assert.deepEqual(
      message.content.map(({ type }) => type),
      ['thinking', 'tool_use'],
    );
    assert.equal(message.stop_reason, 'tool_use');
  });

  it('raises an error for a stream that broke off', async () => {
    const reply = newReply(true);
    const text = reply.begin() + reply.delta({ kind: 'text', text: 'Hal' });
    const error = new DialectError('The backend closed the connection. Try again.', { status: 502 });
    const client = clientOf('text/event-stream', text, reply.ping(), reply.fail(error));
    await assert.rejects(client.messages.stream(PARAMS).finalMessage(), (raised: unknown) => {
      assert.ok(raised instanceof Anthropic.APIError);
      assert.equal(raised.type, 'api_error');
      assert.match(raised.message, /The backend closed the connection/);
      return true;
    });
  });
});
