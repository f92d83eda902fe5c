// Helpers of the official Anthropic SDK that run loops of their own, unmodified.
import assert from 'node:assert/strict';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type { BetaMessage } from '@anthropic-ai/sdk/resources/beta';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import { play } from '../support/assistants/script.ts';
import type { Turn } from '../support/assistants/script.ts';
import { MODEL } from '../support/e2e/chat.ts';
import { anthropicClient } from '../support/e2e/dialects.ts';
import { perTest } from '../support/e2e/scope.ts';
import type { ServerProcess } from '../support/e2e/scope.ts';

const NEVER = /^\b$/;

describe('The tool runner of the Anthropic SDK', () => {
  const scope = perTest();

  for (const stream of [false, true]) {
    it(`runs tools until the model has answered, ${stream ? 'with' : 'without'} streams`, async () => {
      const turns: Turn[] = [
        [
          { name: 'read_file', arguments: { path: 'a.txt' } },
          { name: 'read_file', arguments: { path: 'b.txt' } },
        ],
        [{ name: 'read_file', arguments: { path: 'c.txt' } }],
        'Three files.',
      ];
      const { proxy, enclave } = await start(turns);
      const paths: string[] = [];
      const message = await runTools(proxy, stream, (path) => {
        paths.push(path);
        return `content of ${path}`;
      });
      assert.deepEqual(paths, ['a.txt', 'b.txt', 'c.txt']);
      assert.deepEqual(textOf(message), ['Three files.']);
      const chats = enclave.journal.requests.filter(({ target }) => target === '/v1/chat/completions');
      assert.equal(chats.length, 3);
    });
  }

  async function start(turns: readonly Turn[]): Promise<{ proxy: ServerProcess; enclave: RunningEnclave }> {
    const enclave = await scope.enclave({ handler: play('read_file', turns, NEVER, '') });
    return { enclave, proxy: await scope.proxy(enclave) };
  }
});

function runTools(proxy: ServerProcess, stream: boolean, run: (path: string) => string): Promise<BetaMessage> {
  const tool = betaTool({
    name: 'read_file',
    description: 'Reads a file',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    run: ({ path }) => run(path),
  });
  const messages = [{ role: 'user' as const, content: 'How many files are there?' }];
  return anthropicClient(proxy)
    .beta.messages.toolRunner({
      ...{ model: MODEL, max_tokens: 1000, messages, tools: [tool], stream },
    })
    .runUntilDone();
}

function textOf({ content }: BetaMessage): string[] {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}
