// Text to copy for assistants and libraries that Sealed Proxy does not configure itself. Pure.
import type { AssistantEndpoint, ModelChoice } from './types.ts';

/** How to quote: as in PowerShell on Windows, as in a POSIX shell elsewhere. */
export type Shell = 'posix' | 'powershell';

export type Language = 'shell' | 'json' | 'javascript' | 'python';

export interface Snippet {
  readonly kind: 'snippet';
  readonly id: string;
  readonly name: string;
  readonly language: Language;
  /** For the user, in a sentence: where to use it. */
  readonly hint: string;
  /** The text to copy. It contains the key. */
  render(values: SnippetValues, shell: Shell): string;
}

/** `message` is for the user, in sentences: why there is no snippet. */
export interface UnsupportedAssistant {
  readonly kind: 'unsupported';
  readonly id: string;
  readonly name: string;
  readonly message: string;
}

export type SnippetValues = Pick<AssistantEndpoint, 'baseUrl' | 'key' | 'model'>;

/** In tokens, for a model whose context window is unknown: small enough for all current models. */
const CONTEXT_WINDOW = 32_768;
const RUN = 'Run it in a terminal.';
const IN_PROGRAM = 'Use it in your program.';

export const SNIPPETS: readonly (Snippet | UnsupportedAssistant)[] = [
  snippet('copilot-cli', 'Copilot CLI', 'shell', RUN, ({ baseUrl, key, model }, shell) =>
    command(
      shell,
      {
        COPILOT_PROVIDER_BASE_URL: baseUrl,
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: model.id,
        ...copilotLimits(model),
        COPILOT_OFFLINE: 'true',
      },
      'copilot',
    ),
  ),
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
      max_tokens: model.contextWindow ?? CONTEXT_WINDOW,
      ...(model.maxOutput === undefined ? {} : { max_output_tokens: model.maxOutput }),
    };
    const provider = { api_url: baseUrl, available_models: [entry] };
    const settings = { language_models: { openai_compatible: { 'Sealed Proxy': provider } } };
    return `// When Zed asks for the API key in its agent panel, enter ${key}\n${JSON.stringify(settings, null, 2)}`;
  }),
  snippet('llm', 'llm', 'shell', RUN, ({ baseUrl, key, model }, shell) =>
    command(shell, {}, 'llm', 'openai', 'endpoint', baseUrl, '-m', model.id, '--key', key),
  ),
  snippet('openai-node', 'OpenAI SDK (Node)', 'javascript', IN_PROGRAM, ({ baseUrl, key, model }) =>
    [
      "import OpenAI from 'openai';",
      '',
      `const client = new OpenAI({ baseURL: ${literal(baseUrl)}, apiKey: ${literal(key)} });`,
      'const stream = await client.chat.completions.create({',
      `  model: ${literal(model.id)},`,
      "  messages: [{ role: 'user', content: 'Hello!' }],",
      '  stream: true,',
      '});',
      "for await (const { choices } of stream) process.stdout.write(choices[0]?.delta?.content ?? '');",
    ].join('\n'),
  ),
  snippet('openai-python', 'OpenAI SDK (Python)', 'python', IN_PROGRAM, ({ baseUrl, key, model }) =>
    [
      'from openai import OpenAI',
      '',
      `client = OpenAI(base_url=${literal(baseUrl)}, api_key=${literal(key)})`,
      'stream = client.chat.completions.create(',
      `    model=${literal(model.id)},`,
      '    messages=[{"role": "user", "content": "Hello!"}],',
      '    stream=True,',
      ')',
      'for chunk in stream:',
      '    if chunk.choices:',
      '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
    ].join('\n'),
  ),
  snippet('langchain', 'LangChain (Node)', 'javascript', IN_PROGRAM, ({ baseUrl, key, model }) =>
    [
      "import { ChatOpenAI } from '@langchain/openai';",
      '',
      'const chat = new ChatOpenAI({',
      `  model: ${literal(model.id)},`,
      `  apiKey: ${literal(key)},`,
      `  configuration: { baseURL: ${literal(baseUrl)} },`,
      '});',
      "for await (const { text } of await chat.stream('Hello!')) process.stdout.write(text);",
    ].join('\n'),
  ),
  snippet('langchain-python', 'LangChain (Python)', 'python', IN_PROGRAM, ({ baseUrl, key, model }) =>
    [
      'from langchain_openai import ChatOpenAI',
      '',
      `chat = ChatOpenAI(model=${literal(model.id)}, base_url=${literal(baseUrl)}, api_key=${literal(key)})`,
      'for chunk in chat.stream("Hello!"):',
      '    print(chunk.content, end="", flush=True)',
    ].join('\n'),
  ),
  snippet('vercel-ai-sdk', 'Vercel AI SDK', 'javascript', IN_PROGRAM, ({ baseUrl, key, model }) =>
    [
      "import { createOpenAICompatible } from '@ai-sdk/openai-compatible';",
      "import { streamText } from 'ai';",
      '',
      'const proxy = createOpenAICompatible({',
      "  name: 'sealed-proxy',",
      `  baseURL: ${literal(baseUrl)},`,
      `  apiKey: ${literal(key)},`,
      '});',
      `const { textStream } = streamText({ model: proxy(${literal(model.id)}), prompt: 'Hello!' });`,
      'for await (const text of textStream) process.stdout.write(text);',
    ].join('\n'),
  ),
  snippet('curl', 'curl', 'shell', RUN, ({ baseUrl, key, model }, shell) => {
    const body = JSON.stringify({ model: model.id, messages: [{ role: 'user', content: 'Hello!' }], stream: true });
    const url = `${baseUrl}/chat/completions`;
    const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
    // From standard input: older versions of PowerShell remove quotes from arguments.
    if (shell === 'powershell') {
      const words = ['curl.exe', '-N', url, ...headers.flatMap((header) => ['-H', header]), '--data-binary', '@-'];
      return `${quote(ascii(body), shell)} | ${words.map((each) => word(each, shell)).join(' ')}`;
    }
    return command(shell, {}, 'curl', '-N', url, ...headers.flatMap((header) => ['-H', header]), '-d', body);
  }),
  {
    kind: 'unsupported',
    id: 'codex',
    name: 'Codex CLI',
    message:
      'Codex cannot be connected. It supports only the Responses API (/v1/responses), which the backend does not ' +
      'offer, and Sealed Proxy does not translate between APIs.',
  },
];

function snippet(id: string, name: string, language: Language, hint: string, render: Snippet['render']): Snippet {
  return { kind: 'snippet', id, name, language, hint, render };
}

/** See `copilot help providers`. Without limits, Copilot guesses those of an unknown model. */
function copilotLimits({ contextWindow, maxOutput }: ModelChoice): Readonly<Record<string, string>> {
  if (contextWindow === undefined || maxOutput === undefined) return {};
  return {
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(contextWindow - maxOutput),
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(maxOutput),
  };
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

/** Unquoted if no shell treats any of its characters specially. */
function word(text: string, shell: Shell): string {
  return /^[A-Za-z0-9_./:-]+$/.test(text) ? text : quote(text, shell);
}

/** In single quotes only the quote itself is special. PowerShell also treats curly quotes as quotes. */
function quote(text: string, shell: Shell): string {
  if (shell === 'powershell') return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A JSON string, which is also a JavaScript and a Python string. */
function literal(text: string): string {
  return JSON.stringify(text);
}

/** The same JSON in ASCII, which every encoding of a pipe preserves. */
function ascii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
