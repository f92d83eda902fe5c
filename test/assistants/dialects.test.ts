// Libraries that expect more of a dialect than their snippets show.
import assert from 'node:assert/strict';
import { toDialectUrl } from '../../src/assistants/adapters/dialectUrl.ts';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import { behaves } from '../support/assistants/behaves.ts';
import { openBench } from '../support/assistants/bench.ts';
import type { Bench } from '../support/assistants/bench.ts';
import { moduleIn, nameOf } from '../support/assistants/configuration.ts';
import { FAILING, IN_STEPS, WITH_SEARCH } from '../support/assistants/dialectPrograms.ts';
import { READ_FILE } from '../support/assistants/libraries.ts';
import { modulesOf } from '../support/assistants/releases.ts';
import { callOnce, sentenceWith } from '../support/assistants/script.ts';
import { note } from '../support/assistants/table.ts';
import { perTest } from '../support/e2e/scope.ts';

describe('Libraries that speak a dialect', () => {
  const scope = perTest();

  behaves('openai-agents', 'calls a tool that it loads by a search first', async () => {
    const bench = await openBench(scope, (path) => callOnce(READ_FILE, path));
    const results = (await outputOf(bench, 'openai-agents', WITH_SEARCH)) as { text: string; items: string[] }[];
    assert.equal(results.length, 2);
    for (const { text, items } of results) {
      assert.equal(text, sentenceWith(bench.word));
      assert.deepEqual(
        items.filter((type) => type !== 'reasoning_item'),
        [
          'tool_search_call_item',
          'tool_search_output_item',
          'tool_call_item',
          'tool_call_output_item',
          'message_output_item',
        ],
      );
    }
    note(nameOf('openai-agents'), 'did', 'loaded a deferred tool');
  });

  behaves('vercel-ai-sdk', 'works in several steps through both dialects, with the reasoning of each', async () => {
    const bench = await openBench(scope, (path) => callOnce(READ_FILE, path));
    const text = sentenceWith(bench.word);
    const expected = { text, errors: [], finish: 'stop' };
    assert.deepEqual(await outputOf(bench, 'vercel-ai-sdk', IN_STEPS), [expected, expected]);
    const reasoning = chatsOf(bench)
      .filter((messages) => messages.at(-1)?.['role'] === 'tool')
      .map((messages) => messages.find(({ role }) => role === 'assistant')?.['reasoning']);
    assert.deepEqual(reasoning, ['I should read it. ', 'I should read it. ']);
    note(nameOf('vercel-ai-sdk'), 'did', 'worked in steps through both dialects');
  });

  behaves('vercel-ai-sdk', 'reports a stream that fails once, through both dialects', async () => {
    const bench = await openBench(scope, (): ApiHandler => createModel({ paceMs: 0 }));
    const results = (await outputOf(bench, 'vercel-ai-sdk', FAILING)) as { errors: string[] }[];
    assert.equal(results.length, 2);
    for (const { errors, ...rest } of results) {
      assert.deepEqual(rest, { text: 'word word word ', finish: 'error' });
      assert.equal(errors.length, 1, errors.join('\n'));
    }
    note(nameOf('vercel-ai-sdk'), 'did', 'reported a failed stream once');
  });
});

/** What a program prints. */
async function outputOf(bench: Bench, id: string, program: string): Promise<unknown> {
  const { baseUrl, key, model } = bench.endpoint;
  const values = {
    ...{ KEY: key, MODEL: model.id },
    ...{ RESPONSES: toDialectUrl(baseUrl, 'responses'), MESSAGES: toDialectUrl(baseUrl, 'messages') },
  };
  const constants = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  const text = `${constants.join('\n')}\n${program}\n`;
  const running = bench.start({ file: process.execPath, args: [moduleIn(bench, 'program.mjs', text, modulesOf(id))] });
  const { code } = await running.exit();
  assert.equal(code, 0, [...running.stdout.items, ...running.stderr.items].join('\n'));
  return JSON.parse(running.stdout.items.at(-1) ?? '');
}

/** The messages of each Chat Completions request. */
function chatsOf({ answers }: Bench): Record<string, unknown>[][] {
  return answers
    .filter(({ request }) => request.target === '/v1/chat/completions')
    .map(({ request }) => {
      const { messages } = JSON.parse(Buffer.from(request.body ?? []).toString()) as {
        messages: Record<string, unknown>[];
      };
      return messages;
    });
}
