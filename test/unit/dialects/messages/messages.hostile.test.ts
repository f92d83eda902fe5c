import assert from 'node:assert/strict';
import { ChatReader } from '../../../../src/dialects/chatReader.ts';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { messages } from '../../../../src/dialects/messages/messages.ts';
import { estimateTokens } from '../../../../src/dialects/tokenEstimate.ts';
import { inProportion } from '../../../support/inProportion.ts';
import { CLAUDE_CODE_REQUEST, MODEL_LIST } from '../../../support/messagesRequests.ts';
import { speechEvents } from '../../../support/modelSpeech.ts';
import { jsonOf, mutate, nested, pick, seededRandom } from '../../../support/mutations.ts';

const COUNT = 10_000;
const CONTEXT = { modelList: MODEL_LIST, replacementModel: 'glm-5-2' };
const IDENTITY = { id: '0123456789abcdef0123456789abcdef', createdAt: 0 };
const ERROR_TYPES = ['invalid_request_error', 'not_found_error', 'api_error'];

/** The error of a call that may fail, in no other way. */
function errorOf(run: () => void): DialectError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof DialectError) return error;
    throw error;
  }
}

function checkErrorBody(error: DialectError): void {
  const body = JSON.parse(messages.errorBody(error, '')) as { type: string; error: { type: string; message: string } };
  assert.equal(body.type, 'error');
  assert.ok(ERROR_TYPES.includes(body.error.type), body.error.type);
  assert.ok(body.error.message.endsWith('.'), body.error.message);
}

describe('messages, given hostile input', () => {
  it(`translates or rejects ${COUNT} mutated requests, in the API's format`, () => {
    const random = seededRandom(11);
    let rejected = 0;
    for (let index = 0; index < COUNT; index++) {
      const request = mutate(CLAUDE_CODE_REQUEST, random);
      const error = errorOf(() => {
        const { chat, plan } = messages.translateRequest(request, CONTEXT);
        JSON.stringify(chat);
        structuredClone(plan);
        if (index % 20 === 0) assert.ok(estimateTokens(chat) > 0);
      });
      if (error === undefined) continue;
      rejected++;
      assert.ok(error.status === 400 || error.status === 404);
      checkErrorBody(error);
    }
    assert.ok(rejected > COUNT / 10 && rejected < COUNT, String(rejected));
  });

  it(`survives ${COUNT} mutated events of the backend`, () => {
    const random = seededRandom(12);
    const usage = { input: 10, cached: 2, output: 5, reasoning: 1 };
    const calls = [0, 1].map((index) => ({ id: `call_${index}`, name: 'Read', input: { path: '"}\\' } }));
    const speech = [
      { kind: 'reasoning', text: 'Hm. Hm.' },
      { kind: 'text', text: 'Some words.' },
      { kind: 'calls', calls, order: [0, 1, 1, 0] },
    ] as const;
    const events = speechEvents(speech, 'tool_calls', usage);
    let mutated = 0;
    while (mutated < COUNT) {
      const stream = random() < 0.5;
      const reader = new ChatReader((index) => `call_made_${index}`);
      const reply = messages.createReply({ model: 'm', stream, hidesThinking: false, inputEstimate: 0 }, IDENTITY);
      const error = errorOf(() => {
        let text = reply.begin();
        for (const json of events) {
          for (const delta of reader.read(mutateEvent(json))) text += reply.delta(delta);
        }
        if (reader.outcome === undefined) return;
        if (stream) checkBlocks(text + reply.end(reader.outcome));
        else JSON.parse(reply.body(reader.outcome));
      });
      if (error !== undefined) checkErrorBody(error);
    }

    function mutateEvent(json: string): string {
      if (random() < 0.7 || json === '[DONE]') return json;
      mutated++;
      if (random() < 0.2) return pick(random, [json.slice(0, 9), '', '5', 'null', '[]', '{"error":{"message":"No."}}']);
      return jsonOf(mutate(JSON.parse(json), random));
    }
  });

  it('translates very many blocks and messages, in time that is proportional to their number', () => {
    const count = 200_000;
    const blocks = Array.from({ length: count }, () => ({ type: 'text', text: 'a' }));
    const calls = blocks.map((_, index) => ({ type: 'tool_use', id: `${index}`, name: 'a', input: {} }));
    const others = calls.slice(0, 50_000).map((call) => ({ ...call, id: `other ${call.id}` }));
    const results = [...calls, ...others].map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }));
    const request = {
      model: 'kimi-k2-6',
      max_tokens: 9,
      messages: [
        { role: 'user', content: blocks },
        { role: 'assistant', content: calls },
        ...others.map((call) => ({ role: 'assistant', content: [call] })),
        { role: 'system', content: blocks },
        { role: 'user', content: results },
        ...blocks.slice(0, 50_000).map((block) => ({ role: 'system', content: [block] })),
        { role: 'user', content: 'x' },
      ],
    };
    const { chat } = inProportion(() => messages.translateRequest(request, CONTEXT));
    assert.equal(chat.messages.length, 300_004);
  });

  it('rejects values that are nested too deeply', () => {
    const deep = { a: nested(100_000) };
    const tool = { name: 'a', input_schema: deep };
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'a', input: deep }] };
    for (const fields of [
      { tools: [tool] },
      { messages: [call, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] },
      { output_config: { format: { type: 'json_schema', schema: deep } } },
    ]) {
      const request = { model: 'kimi-k2-6', max_tokens: 9, messages: [{ role: 'user', content: 'a' }], ...fields };
      assert.throws(
        () => messages.translateRequest(request, CONTEXT),
        /must not be nested more than 200 levels deep\.$/,
      );
    }
  });
});

/** Blocks are numbered, start and stop in turn, and contain all deltas. */
function checkBlocks(stream: string): void {
  let next = 0;
  let open: number | undefined;
  for (const [, json = ''] of stream.matchAll(/^data: (.*)$/gm)) {
    const { type, index } = JSON.parse(json) as { type: string; index?: number };
    if (type === 'content_block_start') {
      assert.equal(open, undefined);
      assert.equal(index, next++);
      open = index;
    } else if (type === 'content_block_delta' || type === 'content_block_stop') {
      assert.equal(index, open);
      if (type === 'content_block_stop') open = undefined;
    } else if (type === 'message_stop') {
      assert.equal(open, undefined);
    }
  }
}
