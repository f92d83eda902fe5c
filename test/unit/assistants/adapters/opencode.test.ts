import assert from 'node:assert/strict';
import { kilo, opencode } from '../../../../src/assistants/adapters/opencode.ts';
import { KEY, MODEL, OTHER_KEY, URL } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

describe('opencode and kilo', () => {
  const home = perTestHome();

  for (const [assistant, first, second] of [
    [opencode, '.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
    [kilo, '.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
  ] as const) {
    it(`is written to the file that ${assistant.name} reads`, async () => {
      assert.equal((await home().plan(assistant)).path, home().pathOf(first));
      home().write(second, '{}');
      assert.equal((await home().plan(assistant)).path, home().pathOf(second));
      home().write(first, '{}');
      assert.equal((await home().plan(assistant)).path, home().pathOf(first), 'which takes precedence over the other');
    });

    it(`contains the limits of a model if they are known, for ${assistant.name}`, async () => {
      const model = { id: MODEL, limits: { contextWindow: 131_072, maxOutput: 8192 } };
      const { after } = await home().plan(assistant, { ...home().endpoint, model });
      const { provider } = JSON.parse(after) as { provider: Record<string, { models: unknown }> };
      const limit = { context: 131_072, output: 8192 };
      assert.deepEqual(provider['sealed-proxy']?.models, { [MODEL]: { name: MODEL, limit } });
    });

    it(`keeps what the user has added to it, for ${assistant.name}`, async () => {
      const entry = (key: string) =>
        `{"provider": {"sealed-proxy": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "${URL}", "apiKey": "${key}", "timeout": false}, "models": {"${MODEL}": {"name": "Mine"}}}}, "model": "sealed-proxy/${MODEL}"}`;
      home().write(second, entry(OTHER_KEY));
      assert.equal((await home().plan(assistant)).after, entry(KEY));
    });
  }
});
