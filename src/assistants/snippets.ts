// Text to copy for assistants and libraries that Sealed Proxy does not configure itself. Pure.
import type { DialectName } from '../dialects/dialect.ts';
import type { AssistantEndpoint } from './adapters/assistant.ts';
import { toDialectUrl } from './adapters/dialectUrl.ts';
import {
  ANTHROPIC_NODE,
  ANTHROPIC_PYTHON,
  CLAUDE_AGENT,
  LANGCHAIN_NODE,
  LANGCHAIN_PYTHON,
  OPENAI_AGENTS,
  OPENAI_NODE,
  OPENAI_PYTHON,
  RESPONSES_NODE,
  RESPONSES_PYTHON,
  VERCEL,
} from './programs.ts';
import { quote, word } from './shell.ts';
import type { Shell } from './shell.ts';

export type Language = 'shell' | 'json' | 'javascript' | 'python';

export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  /** For the user, in a sentence: where to use it. */
  readonly hint: string;
  /** The API that it speaks, if it is not Chat Completions. */
  readonly dialect?: DialectName | undefined;
  /** The text to copy. It contains the key. */
  render(values: SnippetValues, shell: Shell): string;
}

export type SnippetValues = Pick<AssistantEndpoint, 'baseUrl' | 'key' | 'model'>;

/** In tokens, for a model whose context window is unknown: small enough for all current models. */
const CONTEXT_WINDOW = 32_768;
const RUN = 'Run it in a terminal.';

export const SNIPPETS: readonly Snippet[] = [
  snippet('copilot-cli', 'Copilot CLI', 'shell', RUN, ({ baseUrl, key, model: { id, limits } }, shell) => {
    const variables = {
      COPILOT_PROVIDER_BASE_URL: baseUrl,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: id,
      // See `copilot help providers`. Without limits, Copilot guesses those of an unknown model.
      ...(limits && {
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(limits.contextWindow - limits.maxOutput),
        COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(limits.maxOutput),
      }),
      COPILOT_OFFLINE: 'true',
    };
    return command(shell, variables, 'copilot');
  }),
  snippet('aider', 'Aider', 'shell', RUN, ({ baseUrl, key, model }, shell) =>
    command(shell, { OPENAI_API_BASE: baseUrl, OPENAI_API_KEY: key }, 'aider', '--model', `openai/${model.id}`),
  ),
  snippet('goose', 'Goose', 'shell', RUN, ({ baseUrl, key, model }, shell) => {
    const { origin, pathname } = new URL(baseUrl);
    const variables = {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: model.id,
      OPENAI_HOST: origin, // the path has a variable of its own
      OPENAI_BASE_PATH: `${pathname.replace(/^\/|\/$/g, '')}/chat/completions`,
      OPENAI_API_KEY: key,
    };
    return command(shell, variables, 'goose', 'session');
  }),
  snippet('zed', 'Zed', 'json', "Add it to Zed's settings.json.", ({ baseUrl, key, model }) => {
    const entry = {
      name: model.id,
      display_name: model.id,
      max_tokens: model.limits?.contextWindow ?? CONTEXT_WINDOW,
      max_output_tokens: model.limits?.maxOutput, // left out of the JSON if undefined
    };
    const provider = { api_url: baseUrl, available_models: [entry] };
    const settings = { language_models: { openai_compatible: { 'Sealed Proxy': provider } } };
    return `// When Zed asks for the API key in its agent panel, enter ${key}\n${JSON.stringify(settings, null, 2)}`;
  }),
  snippet('llm', 'llm', 'shell', RUN, ({ baseUrl, key, model }, shell) =>
    command(shell, {}, 'llm', 'openai', 'endpoint', baseUrl, '-m', model.id, '--key', key),
  ),
  program('openai-node', 'OpenAI SDK (Node)', 'javascript', OPENAI_NODE),
  program('openai-python', 'OpenAI SDK (Python)', 'python', OPENAI_PYTHON),
  program('responses-node', 'OpenAI SDK with Responses (Node)', 'javascript', RESPONSES_NODE, 'responses'),
  program('responses-python', 'OpenAI SDK with Responses (Python)', 'python', RESPONSES_PYTHON, 'responses'),
  program('openai-agents', 'OpenAI Agents SDK (Node)', 'javascript', OPENAI_AGENTS, 'responses'),
  program('anthropic-node', 'Anthropic SDK (Node)', 'javascript', ANTHROPIC_NODE, 'messages'),
  program('anthropic-python', 'Anthropic SDK (Python)', 'python', ANTHROPIC_PYTHON, 'messages'),
  program('claude-agent-sdk', 'Claude Agent SDK (Node)', 'javascript', CLAUDE_AGENT, 'messages'),
  program('langchain', 'LangChain (Node)', 'javascript', LANGCHAIN_NODE),
  program('langchain-python', 'LangChain (Python)', 'python', LANGCHAIN_PYTHON),
  program('vercel-ai-sdk', 'Vercel AI SDK', 'javascript', VERCEL),
  snippet('curl', 'curl', 'shell', RUN, ({ baseUrl, key, model }, shell) => {
    const body = JSON.stringify({ model: model.id, messages: [{ role: 'user', content: 'Hello!' }], stream: true });
    const url = `${baseUrl}/chat/completions`;
    const headers = ['-H', `Authorization: Bearer ${key}`, '-H', 'Content-Type: application/json'];
    if (shell === 'posix') return command(shell, {}, 'curl', '-N', url, ...headers, '-d', body);
    // From standard input: older versions of PowerShell remove quotes from arguments.
    const run = command(shell, {}, 'curl.exe', '-N', url, ...headers, '--data-binary', '@-');
    return `${quote(ascii(body), shell)} | ${run}`;
  }),
];

function snippet(id: string, name: string, language: Language, hint: string, render: Snippet['render']): Snippet {
  return { id, name, language, hint, render };
}

function program(id: string, name: string, language: Language, template: string, dialect?: DialectName): Snippet {
  const render = ({ baseUrl, key, model }: SnippetValues) => {
    const url = dialect === undefined ? baseUrl : toDialectUrl(baseUrl, dialect);
    return template.replace(/\$(URL|KEY|MODEL)/g, (_match, value: 'URL' | 'KEY' | 'MODEL') =>
      JSON.stringify({ URL: url, KEY: key, MODEL: model.id }[value]),
    );
  };
  return { ...snippet(id, name, language, 'Use it in your program.', render), dialect };
}

/** A command with variables, which are set for this command only; in PowerShell, for the rest of the session. */
function command(shell: Shell, variables: Readonly<Record<string, string>>, ...words: readonly string[]): string {
  const run = words.map((each) => word(each, shell)).join(' ');
  const settings = Object.entries(variables);
  if (shell === 'powershell') {
    return [...settings.map(([name, value]) => `$env:${name} = ${quote(value, shell)}`), run].join('\n');
  }
  return [...settings.map(([name, value]) => `${name}=${word(value, shell)}`), run].join(' \\\n  ');
}

/** The same JSON in ASCII, which every encoding of a pipe preserves. */
function ascii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
