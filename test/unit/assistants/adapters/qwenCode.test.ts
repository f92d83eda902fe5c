import assert from 'node:assert/strict';
import { qwenCode } from '../../../../src/assistants/adapters/qwenCode.ts';
import { KEY, MODEL, OTHER_KEY, URL } from '../../../support/assistantFiles.ts';
import { perTestHome } from '../../../support/assistantHome.ts';

const FILE = '.qwen/settings.json';

describe('qwenCode', () => {
  const home = perTestHome();

  const withModel = (id: string, contextWindow: number) => ({
    ...home().endpoint,
    model: { id, limits: { contextWindow, maxOutput: 8192 } },
  });

  it('contains the limits of a model if they are known', async () => {
    const { after } = await home().plan(qwenCode, withModel(MODEL, 131_072));
    const { modelProviders } = JSON.parse(after) as {
      modelProviders: { openai: { generationConfig: unknown }[] };
    };
    const generationConfig = { contextWindowSize: 131_072, samplingParams: { max_tokens: 8192 } };
    assert.deepEqual(modelProviders.openai[0]?.generationConfig, generationConfig);
  });

  it('keeps limits that the user has set, until the model changes', async () => {
    const { after } = await home().plan(qwenCode, withModel(MODEL, 131_072));
    home().write(FILE, after.replace('131072', '4096'));
    const again = await home().plan(qwenCode, { ...withModel(MODEL, 131_072), key: OTHER_KEY });
    assert.match(again.after, /"contextWindowSize": 4096\b/);
    const other = await home().plan(qwenCode, withModel('other', 32_768));
    assert.match(other.after, /"contextWindowSize": 32768\b/);
  });

  it('keeps what the user has added to its entry', async () => {
    const entry = (baseUrl: string) =>
      JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        env: { SEALED_PROXY_KEY: KEY },
        modelProviders: { openai: [{ id: MODEL, name: MODEL, envKey: 'SEALED_PROXY_KEY', baseUrl, extra: [1] }] },
        model: { name: MODEL, other: 1 },
      });
    home().write(FILE, entry('http://127.0.0.1:1/v1'));
    assert.deepEqual(JSON.parse((await home().plan(qwenCode)).after), {
      ...(JSON.parse(entry(URL)) as object),
      env: { SEALED_PROXY_KEY: KEY, NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' },
    });
  });
});
