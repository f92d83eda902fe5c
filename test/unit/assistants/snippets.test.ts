import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { toDialectUrl } from '../../../src/assistants/adapters/dialectUrl.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import { SNIPPETS } from '../../../src/assistants/snippets.ts';
import type { Snippet, SnippetValues } from '../../../src/assistants/snippets.ts';
import { URL as BASE_URL, KEY, MODEL } from '../../support/assistantFiles.ts';

const VALUES: SnippetValues = { baseUrl: BASE_URL, key: KEY, model: { id: MODEL } };
const ODD = [
  `it's`,
  `"quoted"`,
  '$HOME `id` $(id)',
  'back\\slash\\',
  '!bang',
  'two words',
  '-x; rm',
  'ümläut‘s ’🦙',
  '${x} %PATH% #{y}',
  "'''",
];

const inLanguage = (language: Snippet['language']) => SNIPPETS.filter((each) => each.language === language);
const of = (id: string, values = VALUES, shell: 'posix' | 'powershell' = 'posix') => {
  const found = SNIPPETS.find((each) => each.id === id);
  assert.ok(found !== undefined, id);
  return found.render(values, shell);
};
const withModel = (id: string): SnippetValues => ({ ...VALUES, model: { id } });

describe('SNIPPETS', () => {
  it('has a unique ID for every assistant', () => {
    const ids = [...SNIPPETS, ...FILE_ASSISTANTS].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids, [
      ...['copilot-cli', 'aider', 'goose', 'zed', 'llm', 'openai-node', 'openai-python'],
      ...['responses-node', 'responses-python', 'openai-agents', 'anthropic-node', 'anthropic-python'],
      ...['claude-agent-sdk', 'langchain', 'langchain-python', 'vercel-ai-sdk', 'curl'],
      ...['claude-code', 'codex', 'continue', 'cline', 'kilo', 'opencode', 'qwen-code'],
    ]);
  });

  for (const snippet of SNIPPETS) {
    it(`contains address, key and model for ${snippet.name}`, () => {
      for (const shell of ['posix', 'powershell'] as const) {
        const text = snippet.render(VALUES, shell);
        assert.ok(text.includes(new URL(BASE_URL).origin), text);
        const url = snippet.dialect === undefined ? BASE_URL : toDialectUrl(BASE_URL, snippet.dialect);
        if (snippet.id !== 'goose') assert.ok(text.includes(url), text);
        assert.ok(text.includes(KEY), text);
        assert.ok(text.includes(MODEL), text);
        assert.doesNotMatch(text, /undefined|\bMODEL\b|\bKEY\b/);
      }
    });
  }

  it('renders readable commands', () => {
    assert.equal(
      of('aider'),
      `OPENAI_API_BASE=${BASE_URL} \\\n  OPENAI_API_KEY=${KEY} \\\n  aider --model openai/${MODEL}`,
    );
    assert.equal(
      of('aider', VALUES, 'powershell'),
      `$env:OPENAI_API_BASE = '${BASE_URL}'\n$env:OPENAI_API_KEY = '${KEY}'\naider --model openai/${MODEL}`,
    );
    const known = { ...VALUES, model: { id: MODEL, limits: { contextWindow: 1000, maxOutput: 100 } } };
    const limits = /MAX_PROMPT_TOKENS=900 .*MAX_OUTPUT_TOKENS=100 /s;
    assert.match(of('copilot-cli', known), limits);
    assert.doesNotMatch(of('copilot-cli'), /TOKENS/);
    assert.equal(of('llm'), `llm openai endpoint ${BASE_URL} -m ${MODEL} --key ${KEY}`);
    assert.match(of('goose'), /OPENAI_HOST=http:\/\/127\.0\.0\.1:8123 .*OPENAI_BASE_PATH=v1\/chat\/completions /s);
  });

  it('quotes every model name for a POSIX shell', function () {
    if (process.platform === 'win32') this.skip();
    // Each command is a function that prints its arguments and variables.
    const show = 'printf "%s\\0" "$@"; env -0';
    const functions = ['copilot', 'aider', 'goose', 'llm', 'curl'].map((name) => `${name}() { ${show}; }`);
    for (const id of ODD) {
      const texts = inLanguage('shell').map((snippet) => snippet.render(withModel(id), 'posix'));
      const script = [...functions, ...texts].join('\n');
      const { stdout, stderr, status } = spawnSync('sh', ['-c', script], {
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin' },
      });
      assert.equal(status, 0, stderr);
      const words = stdout.split('\0');
      for (const word of [`COPILOT_MODEL=${id}`, `openai/${id}`, `GOOSE_MODEL=${id}`, id]) {
        assert.ok(words.includes(word), `${word} in ${stdout}`);
      }
      const body = words.find((each) => each.startsWith('{')) ?? '';
      assert.equal((JSON.parse(body) as { model: string }).model, id);
    }
  });

  it('quotes every model name for PowerShell', () => {
    const at = (id: string) => of('llm', withModel(id), 'powershell');
    assert.ok(at(`it's`).includes(` -m 'it''s' `));
    assert.ok(at('a‘b’c‚d‛').includes(` -m 'a‘‘b’’c‚‚d‛‛' `));
    assert.ok(at('$env:X "y" `z').includes(' -m \'$env:X "y" `z\' '));
    const curl = of('curl', withModel(`ü's 🦙`), 'powershell');
    const [, body = ''] = /^'(.*)' \| curl\.exe -N /.exec(curl) ?? [];
    assert.match(curl, /--data-binary '@-'$/);
    assert.equal((JSON.parse(body.replaceAll("''", "'")) as { model: string }).model, `ü's 🦙`);
    assert.match(body, /^[ -~]*$/);
  });

  it('renders valid JavaScript for every model name', () => {
    for (const id of ODD) {
      for (const snippet of inLanguage('javascript')) {
        const text = snippet.render(withModel(id), 'posix');
        const { status, stderr } = spawnSync(process.execPath, ['--check', '--input-type=module'], { input: text });
        assert.equal(status, 0, stderr.toString());
        assert.ok(text.includes(JSON.stringify(id)));
      }
    }
  });

  it('renders Python with every model name as a literal', () => {
    for (const id of ODD) {
      for (const snippet of inLanguage('python')) {
        assert.ok(snippet.render(withModel(id), 'posix').includes(`=${JSON.stringify(id)},`));
      }
    }
  });

  it('renders valid JSON with what is known of the model', () => {
    const zed = (values: SnippetValues) => {
      const [first = '', ...rest] = of('zed', values).split('\n');
      assert.ok(first.startsWith('// ') && first.endsWith(KEY));
      const { language_models } = JSON.parse(rest.join('\n')) as {
        language_models: { openai_compatible: Record<string, { api_url: string; available_models: unknown[] }> };
      };
      return language_models.openai_compatible['Sealed Proxy'];
    };
    for (const id of ODD) {
      const model = { name: id, display_name: id, max_tokens: 32_768 };
      assert.deepEqual(zed(withModel(id)), { api_url: BASE_URL, available_models: [model] });
    }
    const known = { ...VALUES, model: { id: MODEL, limits: { contextWindow: 1000, maxOutput: 100 } } };
    assert.deepEqual(zed(known)?.available_models, [
      { name: MODEL, display_name: MODEL, max_tokens: 1000, max_output_tokens: 100 },
    ]);
  });
});
