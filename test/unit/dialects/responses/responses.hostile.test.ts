import assert from 'node:assert/strict';
import { ChatReader } from '../../../../src/dialects/chatReader.ts';
import { DialectError } from '../../../../src/dialects/dialectError.ts';
import { responses } from '../../../../src/dialects/responses/responses.ts';
import { inProportion } from '../../../support/inProportion.ts';
import { jsonOf, mutate, mutateText, seededRandom } from '../../../support/mutations.ts';
import { CODEX_REQUEST, CONTEXT, IDENTITY, STOPPED, eventsOf, translate } from '../../../support/responsesDialect.ts';

const CALL = { index: 0, id: 'call_1', type: 'function', function: { name: 'patch', arguments: '{"input":"a' } };
const EVENTS = [
  { id: 'x', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { reasoning: 'Hm.' } }] },
  { choices: [{ index: 0, delta: { content: 'Hello' } }] },
  { choices: [{ index: 0, delta: { refusal: 'No.' } }] },
  { choices: [{ index: 0, delta: { tool_calls: [CALL] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '\\nb"}' } }] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ ...CALL, index: 1, id: 'call_2' }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 1 } } },
];

/** Checks that it is an error for the client, and that its body is valid. */
function checkError(error: unknown): void {
  assert.ok(error instanceof DialectError, error instanceof Error ? error.stack : String(error));
  assert.ok(error.status >= 400 && error.status < 600);
  const { error: body } = JSON.parse(responses.errorBody(error, '')) as { error: Record<string, unknown> };
  assert.deepEqual(Object.keys(body), ['message', 'type', 'param', 'code']);
  assert.ok(typeof body['message'] === 'string' && body['message'] !== '');
  assert.equal(typeof body['type'], 'string');
  assert.ok(body['param'] === null || typeof body['param'] === 'string');
  assert.ok(body['code'] === null || typeof body['code'] === 'string');
}

describe('responses, given 10,000 mutated requests', () => {
  it('translates each or rejects it in its format', function () {
    const random = seededRandom(11);
    let translated = 0;
    for (let count = 0; count < 10_000; count++) {
      const request = mutate(CODEX_REQUEST, random);
      try {
        const { chat, plan } = responses.translateRequest(request, CONTEXT);
        JSON.stringify(chat);
        const reply = responses.createReply(structuredClone(plan), IDENTITY);
        eventsOf(reply.begin() + reply.delta({ kind: 'text', text: 'x' }) + reply.end(STOPPED));
        translated++;
      } catch (error) {
        checkError(error);
      }
    }
    assert.ok(translated > 1000 && translated < 9000, `${translated} were translated`);
  });
});

describe('responses, given 10,000 mutated events of the backend', () => {
  it('passes each on or fails in its format', function () {
    const random = seededRandom(12);
    const { plan } = translate({ ...CODEX_REQUEST });
    let completed = 0;
    for (let count = 0; count < 10_000 / EVENTS.length; count++) {
      const reader = new ChatReader((index) => `call_${index}`);
      const reply = responses.createReply(plan, IDENTITY);
      let stream = reply.begin();
      try {
        for (const event of EVENTS) {
          const json = jsonOf(count % 2 === 0 ? event : mutate(event, random));
          const text = count % 7 === 0 ? mutateText(json, random) : json;
          for (const delta of reader.read(text)) stream += reply.delta(delta);
        }
        stream += reader.outcome === undefined ? '' : reply.end(reader.outcome);
        completed++;
      } catch (error) {
        checkError(error);
        stream += reply.fail(error as DialectError);
      }
      eventsOf(stream).forEach((event, index) => {
        assert.equal(event.sequence_number, index);
      });
    }
    assert.ok(completed > 100, `${completed} were completed`);
  });
});

describe('responses, given very large requests', () => {
  const accepts = (fields: object) => {
    try {
      responses.createReply(translate({ ...fields, stream: true }).plan, IDENTITY).begin();
    } catch (error) {
      checkError(error);
    }
  };
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

  it('bounds how deeply a field may nest', () => {
    const deep = nested(1_000_000);
    accepts({ input: deep });
    accepts({ input: [{ role: 'user', content: deep }] });
    accepts({ tools: [{ type: 'function', name: 'f', parameters: { deep } }] });
    accepts({ tools: deep });
    accepts({ tools: [{ type: 'web_search', deep }] });
    accepts({ tool_choice: { type: 'function', name: 'f', deep }, tools: [{ type: 'function', name: 'f' }] });
    accepts({ metadata: { deep } });
    accepts({ text: { format: { type: 'json_schema', name: 'n', schema: { deep } } } });
    accepts({ reasoning: deep, include: deep });
    accepts({ something: deep });
  });

  it('translates many lists of tools', () => {
    const lists = Array.from({ length: 300_000 }, () => ({ type: 'additional_tools', tools: [] }));
    assert.equal(translate({ input: [...lists, { role: 'user', content: 'x' }] }).chat.messages.length, 1);
  });

  it('translates many long names, in time that is proportional to their number', () => {
    const name = (index: number) => 'a'.repeat(60) + index.toString(36).padStart(4, '0');
    const turns = Array.from({ length: 40_000 }, (_, index) => [
      { type: 'function_call', call_id: `f${index}`, name: name(index), arguments: '{}' },
      { type: 'custom_tool_call', call_id: `c${index}`, name: name(index), input: 'x' },
      { type: 'function_call_output', call_id: `f${index}`, output: 'x' },
      { type: 'custom_tool_call_output', call_id: `c${index}`, output: 'x' },
    ]).flat();
    const [first] = inProportion(() => translate({ input: turns })).chat.messages;
    assert.ok(first?.role === 'assistant');
  });

  it('reads a file with a very long media type, in time that is proportional to its length', () => {
    const file = { type: 'input_file', file_data: `data:text/${'a'.repeat(16 * 1024 * 1024)}` };
    inProportion(() => {
      assert.throws(() => translate({ input: [{ role: 'user', content: [file] }] }), /only text files/);
    });
  });

  it('translates many items and parts', () => {
    const turns = Array.from({ length: 20_000 }, (_, index) => [
      { type: 'function_call', call_id: `${index}`, name: `f${index}`, namespace: 'n', arguments: '{}' },
      { type: 'function_call_output', call_id: `${index}`, output: 'x' },
    ]).flat();
    assert.equal(translate({ input: turns }).chat.messages.length, 40_000);
    const parts = Array.from({ length: 100_000 }, () => ({ type: 'input_text', text: 'x' }));
    assert.equal(translate({ input: [{ role: 'user', content: parts }] }).chat.messages.length, 1);
    const reasoning = Array.from({ length: 50_000 }, () => ({ type: 'reasoning', summary: [{ text: 'x' }] }));
    assert.equal(translate({ input: [...reasoning, { role: 'assistant', content: 'x' }] }).chat.messages.length, 1);
  });
});
