import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChatMessage } from '../../../../src/dialects/chatCompletions.ts';
import { readInput } from '../../../../src/dialects/responses/input.ts';
import { ToolNames } from '../../../../src/dialects/responses/toolNames.ts';

type Part =
  { readonly type: 'input_text'; readonly text: string } | { readonly type: 'input_image'; image_url: string };

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('input_text' as const), text: words }),
  fc.record({ type: fc.constant('input_image' as const), image_url: words.map((text) => `data:${text}`) }),
);
const call = fc.record({
  isCustom: fc.boolean(),
  name: fc.constantFrom('run', 'stop'),
  namespace: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  text: words,
  output: fc.array(part, { maxLength: 3 }),
});
const step = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'assistant'), content: words }),
  fc.record({ role: fc.constant('user'), content: fc.array(part, { minLength: 1, maxLength: 4 }) }),
  fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }), question: words, isShuffled: fc.boolean() }),
);

/** All that a conversation says, in its order, as one list of short texts. */
function saidIn(messages: readonly ChatMessage[], names: ToolNames): string[] {
  return messages.flatMap((message) => {
    const content = typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : [];
    const parts = Array.isArray(message.content) ? message.content : content;
    const prefix = message.role === 'tool' ? `tool ${message.tool_call_id}` : message.role;
    const texts = parts.flatMap((each) => {
      if (each.type === 'text') return [`${prefix}: ${each.text}`];
      return each.type === 'image_url' ? [`${prefix} shows ${each.image_url.url}`] : [];
    });
    const calls = 'tool_calls' in message ? (message.tool_calls ?? []) : [];
    const called = calls.flatMap((each) => {
      if (each.type !== 'function') return [];
      const { kind, namespace, name } = names.tools[each.function.name] ?? {};
      const json = JSON.parse(each.function.arguments) as { input: string };
      return [`call ${each.id} ${kind} ${namespace} ${name} ${json.input}`];
    });
    return [...texts, ...called];
  });
}

describe('readInput(), for any conversation', () => {
  it('keeps the order, the ids, the texts, the images and the arguments', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const input: object[] = [];
        const expected: string[] = [];
        let count = 0;
        for (const each of steps) {
          if ('content' in each) {
            input.push({ type: 'message', ...each });
            const role = each.role === 'developer' ? 'system' : each.role;
            const parts =
              typeof each.content === 'string' ? [{ type: 'input_text', text: each.content }] : each.content;
            for (const item of parts) {
              expected.push(
                'text' in item ? `${role}: ${item.text}` : `${role} shows ${(item as { image_url: string }).image_url}`,
              );
            }
            continue;
          }
          const calls = each.calls.map((fields) => ({ ...fields, id: `call_${count++}` }));
          input.push(
            { role: 'user', content: each.question },
            ...calls.map(({ isCustom, name, namespace, text, id }) => ({
              type: isCustom ? 'custom_tool_call' : 'function_call',
              call_id: id,
              name,
              ...(namespace !== undefined && { namespace }),
              ...(isCustom ? { input: text } : { arguments: JSON.stringify({ input: text }) }),
            })),
          );
          const outputs = calls.map(({ isCustom, output, id }) => ({
            type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
            call_id: id,
            output,
          }));
          input.push(...(each.isShuffled ? outputs.reverse() : outputs));
          expected.push(
            `user: ${each.question}`,
            ...calls.map((fields) => {
              const kind = fields.isCustom ? 'custom' : 'function';
              return `call ${fields.id} ${kind} ${fields.namespace} ${fields.name} ${fields.text}`;
            }),
            ...calls.map(({ output, id }) => {
              const texts = output.flatMap((item) => (item.type === 'input_text' ? [item.text] : []));
              const isImage = texts.length === 0 && output.length > 0;
              return `tool ${id}: ${isImage ? 'The result is an image. It follows the results of the tools.' : texts.join('\n')}`;
            }),
            ...calls.flatMap(({ output, id }) => {
              const urls = output.flatMap((item) =>
                item.type === 'input_image' ? [`user shows ${item.image_url}`] : [],
              );
              return urls.length === 0 ? [] : [`user: Images in the result of the tool call ${id}:`, ...urls];
            }),
          );
        }
        const names = new ToolNames();
        assert.deepEqual(
          saidIn(readInput({ instructions: undefined, input, seesImages: true }, names), names),
          expected,
        );
      }),
      { numRuns: 300 },
    );
  });
});
