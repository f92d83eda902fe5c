import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChatMessage } from '../../../../src/dialects/chatCompletions.ts';
import { translateRequest } from '../../../../src/dialects/messages/request.ts';
import { MODEL_LIST } from '../../../support/messagesRequests.ts';

/** What a conversation says, in the order in which the model must see it. */
type Fact = readonly [kind: string, ...values: string[]];

interface Turn {
  readonly messages: readonly object[];
  readonly facts: readonly Fact[];
}

const WORDS = fc.string({ unit: 'grapheme', maxLength: 12 }).map((words) => words.replaceAll(/[«»]/g, ''));
const DATA = fc.base64String({ minLength: 4, maxLength: 16 });
const INPUT = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

/** Blocks of text, and images. Each text begins with a mark, by which it is found again. */
const BLOCK = fc.oneof(
  WORDS.map((words) => ({ block: { type: 'text', text: `«${words}»` }, fact: ['text', `«${words}»`] as Fact })),
  DATA.map((data) => ({
    block: { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    fact: ['image', `data:image/png;base64,${data}`] as Fact,
  })),
);
const TEXT_BLOCK = WORDS.map((words) => ({ type: 'text', text: `«${words}»` }));

const USER = fc.array(BLOCK, { minLength: 1, maxLength: 4 }).map((blocks): Turn => ({
  messages: [{ role: 'user', content: blocks.map(({ block }) => block) }],
  facts: blocks.map(({ fact }) => fact),
}));

const SYSTEM = fc
  .record({ role: fc.constantFrom('system', 'developer'), block: TEXT_BLOCK })
  .map(({ role, block }): Turn => ({ messages: [{ role, content: [block] }], facts: [['text', block.text]] }));

const CALL = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom('Read', 'Bash'),
  input: INPUT,
  result: fc.array(BLOCK, { maxLength: 3 }),
});

/** An assistant that thinks, says something and calls tools; a system message that may come between; and the results. */
const ASSISTANT = fc
  .record({
    thinking: WORDS,
    said: TEXT_BLOCK,
    calls: fc.uniqueArray(CALL, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
    between: fc.option(TEXT_BLOCK),
    after: fc.array(BLOCK, { maxLength: 2 }),
    resultsLast: fc.boolean(),
    backwards: fc.boolean(),
  })
  .map(({ thinking, said, calls, between, after, resultsLast, backwards }): Turn => {
    const results = calls.map(({ id, result }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: result.map(({ block }) => block),
    }));
    if (backwards) results.reverse();
    const others = after.map(({ block }) => block);
    return {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking, signature: '' },
            said,
            ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
          ],
        },
        ...(between === null ? [] : [{ role: 'system', content: between.text }]),
        { role: 'user', content: resultsLast ? [...others, ...results] : [...results, ...others] },
      ],
      facts: [
        ...(thinking === '' ? [] : [['reasoning', thinking] as Fact]),
        ['text', said.text],
        ...calls.map(({ id, name, input }): Fact => ['call', id, name, JSON.stringify(input)]),
        ...calls.flatMap(({ id, result }): Fact[] => [
          ['result', id],
          ...result.map(({ fact }) => fact).filter(([kind]) => kind === 'text'),
        ]),
        ...(between === null ? [] : [['text', between.text] as Fact]),
        ...calls.flatMap(({ result }) => result.map(({ fact }) => fact).filter(([kind]) => kind === 'image')),
        ...after.map(({ fact }) => fact),
      ],
    };
  });

const CONVERSATION = fc
  .tuple(fc.array(fc.oneof(USER, SYSTEM, ASSISTANT), { maxLength: 8 }), USER)
  .map(([turns, last]): Turn => ({
    messages: [...turns, last].flatMap(({ messages }) => messages),
    facts: [...turns, last].flatMap(({ facts }) => facts),
  }));

function factsOf(message: ChatMessage): Fact[] {
  const facts: Fact[] = [];
  if (message.role === 'tool') facts.push(['result', message.tool_call_id]);
  if (message.role === 'assistant' && message.reasoning !== undefined) facts.push(['reasoning', message.reasoning]);
  const content = message.content ?? [];
  for (const part of typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content) {
    if (part.type === 'text') facts.push(...markedTexts(part.text));
    if (part.type === 'image_url') facts.push(['image', part.image_url.url]);
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  for (const call of calls) {
    if (call.type === 'function') facts.push(['call', call.id, call.function.name, call.function.arguments]);
  }
  return facts;
}

function markedTexts(text: string): Fact[] {
  const [, ...rest] = text.split('«');
  return rest.map((words) => ['text', `«${words.slice(0, words.indexOf('»') + 1)}`]);
}

describe('translateRequest() of any conversation', () => {
  it('keeps the order, ids, texts, images and arguments', () => {
    fc.assert(
      fc.property(CONVERSATION, ({ messages, facts }) => {
        const request = { model: 'kimi-k2-6', max_tokens: 10, messages };
        const { chat } = translateRequest(request, { modelList: MODEL_LIST, replacementModel: undefined });
        assert.deepEqual(chat.messages.flatMap(factsOf), facts);
      }),
      { numRuns: 500 },
    );
  });

  it('lets every result follow its call, with only other results between them', () => {
    fc.assert(
      fc.property(CONVERSATION, ({ messages }) => {
        const request = { model: 'kimi-k2-6', max_tokens: 10, messages };
        const { chat } = translateRequest(request, { modelList: MODEL_LIST, replacementModel: undefined });
        let open: string[] = [];
        for (const message of chat.messages) {
          if (message.role === 'tool') {
            assert.ok(open.includes(message.tool_call_id));
            open = open.filter((id) => id !== message.tool_call_id);
          } else {
            assert.deepEqual(open, []);
            open = message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
          }
        }
      }),
    );
  });
});
