import assert from 'node:assert/strict';
import { cline } from '../../../../src/assistants/adapters/cline.ts';
import { MODEL, OTHER_KEY, URL } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

const FILE = '.cline/data/settings/providers.json';

describe('cline', () => {
  const home = perTestHome();

  const withModel = (id: string, contextWindow: number) => ({
    ...home().endpoint,
    model: { id, limits: { contextWindow, maxOutput: 8192 } },
  });

  it('contains the context window of a model if it is known', async () => {
    assert.match((await home().plan(cline, withModel(MODEL, 131_072))).after, /"contextWindow": 131072\n/);
  });

  it('keeps a context window that the user has set, until the model changes', async () => {
    const { after } = await home().plan(cline, withModel(MODEL, 131_072));
    home().write(FILE, after.replace('131072', '4096'));
    const again = await home().plan(cline, { ...withModel(MODEL, 131_072), key: OTHER_KEY });
    assert.match(again.after, /"contextWindow": 4096\n/);
    const other = await home().plan(cline, withModel('other', 32_768));
    assert.match(other.after, /"contextWindow": 32768\n/);
  });

  it('replaces the entry of another server, and the preview shows which', async () => {
    const settings = { provider: 'openai-compatible', apiKey: 'abc', model: 'gpt', baseUrl: 'https://example.com/v1' };
    home().write(FILE, JSON.stringify({ version: 1, providers: { 'openai-compatible': { settings } } }));
    const { preview } = await home().plan(cline);
    assert.ok(preview.changes.some((line) => line.includes('"https://example.com/v1"') && line.includes(`"${URL}"`)));
    assert.ok(!JSON.stringify(preview).includes('abc'));
  });
});
