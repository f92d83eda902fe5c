// Configuration files as users have them, before and after our entry was added with `URL`, `KEY` and `MODEL`.
import type { Assistant, AssistantEndpoint } from '../../src/assistants/adapters/assistant.ts';
import { claudeCode } from '../../src/assistants/adapters/claudeCode.ts';
import { cline } from '../../src/assistants/adapters/cline.ts';
import { codex } from '../../src/assistants/adapters/codex.ts';
import { continueDev } from '../../src/assistants/adapters/continue.ts';
import { kilo, opencode } from '../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../src/assistants/adapters/qwenCode.ts';

export const KEY = `sealed-${'k'.repeat(43)}`;
export const OTHER_KEY = `sealed-${'o'.repeat(43)}`;
export const THEIR_KEY = 'sk-their-own-key-1234567890';
export const URL = 'http://127.0.0.1:8123/v1';
export const MODEL = 'kimi-k2/thinking:latest';

export function endpointFor(home: string): AssistantEndpoint {
  return {
    home,
    baseUrl: URL,
    key: KEY,
    model: { id: MODEL },
    models: [{ id: MODEL }],
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
  };
}

export interface Example {
  readonly assistant: Assistant;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The address in the text; `URL` by default. */
  readonly url?: string;
  /** Texts that do not parse, or are not a configuration. */
  readonly broken: readonly string[];
  /** Texts that configure something else, and how it is named. */
  readonly others: readonly [text: string, what: string][];
}

const openCode = (model: string, ours: string) => `{
  // What I use at work.
  "$schema": "https://opencode.ai/config.json",
  "theme":   "gruvbox", /* not the light one */
  "model": "${model}",
  "provider": {
    "anthropic": { "options": { "apiKey": "${THEIR_KEY}" } }, // mine
    "local": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {"baseURL": "http://127.0.0.1:11434/v1"},
      "models": { "gemma": {} }
    }${ours} // ollama
    // lmstudio some day
  },
  "mcp": {"docs": {"type": "remote", "url": "https://example.com/mcp", "enabled": false}}
}
`;

/** A new member follows the comment on the previous line; the comma stays with the previous member. */
const openCodeAfter = openCode(`sealed-proxy/${MODEL}`, ',').replace(
  '// ollama',
  `// ollama
    "sealed-proxy": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Sealed Proxy",
      "options": {
        "baseURL": "${URL}",
        "apiKey": "${KEY}"
      },
      "models": {
        "${MODEL}": {
          "name": "${MODEL}"
        }
      }
    }`,
);

/** Nested too deeply for a parser. */
const DEEP = `{"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
const BROKEN_JSON = ['{', '{"model": }', '{"model": "x"', 'model: x', '{"a": 1} {"b": 2}', '[]', '"text"', '\0', DEEP];

const continueYaml = (ours: string) => `# My assistants
name:   Work        # shown in the list
version: 1.0.0
schema: v1

models:
${ours}    # the big one
    - name: "Claude"
      provider: anthropic
      model: 'claude-sonnet'
      apiKey: ${THEIR_KEY}
      roles: [chat,   edit]
    - name: Local
      provider: ollama
      model: gemma   # small

# rules of the house
rules:
- Be terse.
- |
  No "magic"
    numbers.
`;

const clineJson = (last: string, ours: string) => `{
  "version": 1,
  "lastUsedProvider": "${last}",
  "modes": {"plan": {"provider": "anthropic"}},
  "providers": {
    "anthropic": {"settings": {"provider": "anthropic", "apiKey": "${THEIR_KEY}"}, "updatedAt": "2025-05-05T05:05:05.005Z", "tokenSource": "manual"}${ours}
  }
}`;

const qwenJson = (model: string, env: string, ours: string) => `{
\t// sandbox stays on
\t"tools": { "sandbox": true },
\t"security": {
\t\t"auth": { "selectedType": "openai" }
\t},
\t"env": {
\t\t"OTHER_API_KEY": "${THEIR_KEY}"${env}
\t},
\t"modelProviders": {
\t\t"openai": [
\t\t\t{ "id": "qwen3-coder", "name": "Qwen", "envKey": "OTHER_API_KEY", "baseUrl": "https://example.com/v1" }${ours}
\t\t]
\t},
\t"model": { "name": "${model}" }
}
`;

export const MESSAGES_URL = 'http://127.0.0.1:8123/anthropic';
export const RESPONSES_URL = 'http://127.0.0.1:8123/responses/v1';

const claudeJson = (env: string, rest: string) => `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {"allow": ["Bash(npm test:*)"],   "deny": []},
  "env": {
    "DISABLE_COST_WARNINGS": "1",
${env}
    "MY_API_KEY": "${THEIR_KEY}",
    "MY_OTHER_VARIABLE": "x"${rest}
  },
  "model": "opus"
}
`;

const codexToml = (model: string, ours: string, entry: string) => `# My configuration
model =   "${model}"   # the big one
approval_policy = 'on-request'
notify = [
  "notify-send", # "quoted"
  "Codex",
]
${ours}
# at home
[model_providers.ollama]
name = "Ollama"
base_url="http://127.0.0.1:11434/v1"
http_headers = { "X-Api-Key" = "${THEIR_KEY}" }

[[hooks.Stop]]
command = '''
echo "[analytics]"
'''

[projects."/home/me/a = [b]"]
trust_level = "trusted"
${entry}`;

export const EXAMPLES: readonly Example[] = [
  {
    assistant: claudeCode,
    file: '.claude/settings.json',
    url: MESSAGES_URL,
    before: claudeJson('    "ANTHROPIC_MODEL": "claude-opus-5",', ''),
    after: claudeJson(
      `    "ANTHROPIC_MODEL": "${MODEL}",`,
      `,
    "ANTHROPIC_BASE_URL": "${MESSAGES_URL}",
    "ANTHROPIC_AUTH_TOKEN": "${KEY}",
    "ANTHROPIC_DEFAULT_FABLE_MODEL": "${MODEL}",
    "ANTHROPIC_DEFAULT_OPUS_MODEL": "${MODEL}",
    "ANTHROPIC_DEFAULT_SONNET_MODEL": "${MODEL}",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL": "${MODEL}",
    "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_USE_BEDROCK": "0",
    "CLAUDE_CODE_USE_VERTEX": "0",
    "CLAUDE_CODE_USE_FOUNDRY": "0",
    "CLAUDE_CODE_USE_MANTLE": "0",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": "0",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD": "0",
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost"`,
    ),
    broken: [...BROKEN_JSON, '{"env": []}', '{"env": "x"}', '{"env": {},}', '{ // no comments here\n}'],
    others: [
      ['{"model": "opus"}', 'opus'],
      ['{"env": {"ANTHROPIC_BASE_URL": "https://example.com", "ANTHROPIC_AUTH_TOKEN": "sk-x"}}', 'https://example.com'],
      ['{"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}', 'the provider of CLAUDE_CODE_USE_BEDROCK'],
    ],
  },
  {
    assistant: codex,
    file: '.codex/config.toml',
    url: RESPONSES_URL,
    before: codexToml('gpt-5.6', '', ''),
    after: codexToml(
      MODEL,
      'model_provider = "sealed-proxy"\n',
      `
[model_providers.sealed-proxy]
name = "Sealed Proxy"
base_url = "${RESPONSES_URL}"
wire_api = "responses"
experimental_bearer_token = "${KEY}"

[analytics]
enabled = false
`,
    ),
    broken: [
      'model = ',
      'model = x',
      'model = "a"\nmodel = "b"\n',
      '[model_providers.a]\nname = "A"\n[model_providers.a]\nname = "B"\n',
      'model_providers = "x"\n',
      '[[model_providers]]\nname = "x"\n',
      'model_providers = { }\n[model_providers.a]\nname = "A"\n',
      '[analytics\n',
      'analytics = false\n',
      '{}',
      '\0',
      `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ],
    others: [
      ['model_provider = "ollama"\n', 'ollama'],
      ['model = "gpt-5.6"\n', 'gpt-5.6'],
      [
        '[model_providers.sealed-proxy]\nbase_url = "https://example.com"\nexperimental_bearer_token = "sk-x"\n',
        'https://example.com',
      ],
    ],
  },
  ...[
    { assistant: opencode, file: '.config/opencode/opencode.jsonc' },
    { assistant: kilo, file: '.config/kilo/kilo.jsonc' },
  ].map((example) => ({
    ...example,
    before: openCode('anthropic/claude', ''),
    after: openCodeAfter,
    broken: [...BROKEN_JSON, '{"provider": []}', '{"provider": "x"}', '{"model": "x", "model": "y"}'],
    others: [['{"model": "anthropic/claude"}', 'anthropic/claude']] as [string, string][],
  })),
  {
    assistant: continueDev,
    file: '.continue/config.yaml',
    before: continueYaml(''),
    after: continueYaml(`    - name: Sealed Proxy
      provider: openai
      model: ${MODEL}
      apiBase: ${URL}
      apiKey: ${KEY}
      roles:
        - chat
        - edit
        - apply
        - summarize
      capabilities:
        - tool_use
      requestOptions:
        noProxy:
          - 127.0.0.1
          - localhost
`),
    broken: [
      'models: [',
      'models:\n\t- name: x\n',
      'a: 1\na: 2\n',
      '- a\n- b\n',
      'text',
      'models: x\n',
      'models: {a: 1}\n',
      'name: x\n---\nname: y\n',
      'all: &all [{name: x}]\nmodels: *all\n',
      'models:\n  - name: *nobody\n',
      `a: &a [${'x,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\nc: [${'*b,'.repeat(99)}]\n`,
      '{name: x}\n',
    ],
    others: [['models:\n  - name: Claude\n    provider: anthropic\n', 'Claude']],
  },
  {
    assistant: cline,
    file: '.cline/data/settings/providers.json',
    before: clineJson('anthropic', ''),
    after: clineJson(
      'openai-compatible',
      `,
    "openai-compatible": {
      "settings": {
        "provider": "openai-compatible",
        "apiKey": "${KEY}",
        "model": "${MODEL}",
        "baseUrl": "${URL}"
      },
      "updatedAt": "2026-01-02T03:04:05.000Z",
      "tokenSource": "manual"
    }`,
    ),
    broken: [...BROKEN_JSON, '{"version": 1, /* no comments here */ "providers": {}}', '{"version": 1,}'],
    others: [
      ['{"lastUsedProvider": "anthropic"}', 'anthropic'],
      [
        '{"providers": {"openai-compatible": {"settings": {"baseUrl": "https://example.com", "apiKey": "sk-x"}}}}',
        'https://example.com',
      ],
    ],
  },
  {
    assistant: qwenCode,
    file: '.qwen/settings.json',
    before: qwenJson('qwen3-coder', '', ''),
    after: qwenJson(
      MODEL,
      `,
\t\t"SEALED_PROXY_KEY": "${KEY}",
\t\t"NO_PROXY": "127.0.0.1,localhost",
\t\t"no_proxy": "127.0.0.1,localhost"`,
      `,
\t\t\t{
\t\t\t\t"id": "${MODEL}",
\t\t\t\t"name": "${MODEL}",
\t\t\t\t"envKey": "SEALED_PROXY_KEY",
\t\t\t\t"baseUrl": "${URL}"
\t\t\t}`,
    ),
    broken: [...BROKEN_JSON, '{"env": {},}', '{"env": "x"}', '{"modelProviders": []}'],
    others: [['{"model": {"name": "qwen3-coder"}}', 'qwen3-coder']],
  },
];
