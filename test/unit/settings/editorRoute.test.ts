import assert from 'node:assert/strict';
import { findEditorRoute } from '../../../src/settings/editorRoute.ts';

const BACKEND = 'https://enclave.example/';

describe('findEditorRoute()', () => {
  /** An editor that answers each question with these fields, and the questions. */
  const editorWith = (answer: object) => {
    const questions: string[] = [];
    const resolveProxyByURL = (url: string) => {
      questions.push(url);
      return Promise.resolve(answer);
    };
    return { questions, agent: { resolveProxyByURL } };
  };

  for (const [answer, route] of [
    [
      { url: 'http://pac.example:3128', type: 'PROXY', source: 'system' },
      { url: 'http://pac.example:3128', source: 'system' },
    ],
    [
      { url: 'socks://pac.example:1080', type: 'SOCKS5', source: 'system_cached' },
      { url: 'socks://pac.example:1080', source: 'system' },
    ],
    [
      { url: undefined, type: 'DIRECT', source: 'system' },
      { url: '', source: 'system' },
    ],
    [
      { url: 'http://set:1', type: 'PROXY', source: 'setting' },
      { url: 'http://set:1', source: 'setting' },
    ],
    [
      { url: 'http://env:1', type: 'PROXY', source: 'env' },
      { url: 'http://env:1', source: 'environment' },
    ],
    [
      { url: undefined, type: 'DIRECT', source: 'noProxyConfig' },
      { url: '', source: 'exception' },
    ],
    [
      { url: undefined, type: 'DIRECT', source: 'noProxyEnv' },
      { url: '', source: 'exception' },
    ],
    [
      { url: undefined, type: 'DIRECT', source: 'remote' },
      { url: '', source: 'none' },
    ],
    [
      { url: undefined, type: 'DIRECT', source: 'a source of a newer editor' },
      { url: '', source: 'system' },
    ],
  ] as const) {
    it(`understands the answer ${answer.source}: ${answer.url ?? 'direct'}`, async () => {
      assert.deepEqual(await findEditorRoute(BACKEND, {}, {}, editorWith(answer).agent), route);
    });
  }

  it('asks the editor again for each question, although it caches its answers', async () => {
    const { agent, questions } = editorWith({ url: undefined, source: 'system' });
    for (let count = 0; count < 3; count++) await findEditorRoute(BACKEND, {}, {}, agent);
    assert.equal(new Set(questions).size, 3);
    for (const question of questions) assert.match(question, /^https:\/\/[\da-f-]{36}@enclave\.example\/$/);
  });

  it('asks nothing when proxies are turned off', async () => {
    const { agent, questions } = editorWith({ url: 'http://pac.example:1', source: 'system' });
    assert.deepEqual(await findEditorRoute(BACKEND, { httpsProxy: '' }, {}, agent), { url: '', source: 'off' });
    assert.deepEqual(questions, []);
  });

  it('names the source itself for an editor that does not', async () => {
    const older = (answer: string | undefined) => ({ resolveProxyURL: () => Promise.resolve(answer) });
    const environment = { HTTPS_PROXY: 'http://env:1' };
    for (const [network, variables, answer, route] of [
      [{}, {}, 'http://pac:1', { url: 'http://pac:1', source: 'system' }],
      [{}, {}, undefined, { url: '', source: 'system' }],
      [{ httpsProxy: 'http://set:1' }, {}, 'http://set:1', { url: 'http://set:1', source: 'setting' }],
      [{}, environment, 'http://env:1', { url: 'http://env:1', source: 'environment' }],
      [{ noProxy: 'example' }, environment, undefined, { url: '', source: 'exception' }],
    ] as const) {
      assert.deepEqual(await findEditorRoute(BACKEND, network, variables, older(answer)), route);
    }
  });

  it('goes by the settings and the environment in an editor without such a module, or without an answer', async () => {
    const failing = { resolveProxyByURL: () => Promise.reject(new Error('no answer')) };
    for (const agent of [undefined, {}, { resolveProxyURL: 'x' }, failing]) {
      assert.deepEqual(await findEditorRoute(BACKEND, { httpsProxy: 'http://set:1' }, {}, agent), {
        url: 'http://set:1',
        source: 'setting',
      });
      assert.deepEqual(await findEditorRoute(BACKEND, {}, {}, agent), { url: '', source: 'none' });
    }
  });
});
