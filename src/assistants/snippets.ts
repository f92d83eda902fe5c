// What a person copies for the assistants and libraries whose configuration is not ours to write. Pure.
import type { AssistantEndpoint, ModelChoice } from './types.ts';

/** `powershell` is Windows' own; every other shell quotes as POSIX says. */
export type Shell = 'posix' | 'powershell';

export type Language = 'shell' | 'json' | 'javascript' | 'python';

export interface Snippet {
  readonly kind: 'snippet';
  readonly id: string;
  readonly name: string;
  readonly needsModel: boolean;
  readonly language: Language;
  /** Where it belongs, in a sentence. */
  readonly hint: string;
  /** To be copied as it is. The key is in it. */
  write(connection: SnippetValues, shell: Shell): string;
}

/** Why there is none, in a sentence. */
export interface UnsupportedAssistant {
  readonly kind: 'impossible';
  readonly id: string;
  readonly name: string;
  readonly message: string;
}

export type SnippetValues = Pick<AssistantEndpoint, 'baseUrl' | 'key' | 'model'>;

/** For a program that says nothing of its own: the least that today's models have. */
const CONTEXT_WINDOW = 32_768;
const RUN = 'Run it in a terminal.';
const INSTEAD = 'Use it in your program.';

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
      OPENAI_HOST: origin, // without the path, which is a variable of its own
      OPENAI_BASE_PATH: `${pathname.replace(/^\/|\/$/g, '')}/chat/completions`,
      OPENAI_API_KEY: key,
    };
    return command(shell, variables, 'goose', 'session');
  }),
  snippet('zed', 'Zed', 'json', "Put it into Zed's settings.json.", ({ baseUrl, key, model }) => {
    const entry = {
      name: model.id,
      display_name: model.id,
      max_tokens: model.contextWindow ?? CONTEXT_WINDOW,
      ...(model.maxOutput === undefined ? {} : { max_output_tokens: model.maxOutput }),
    };
    const provider = { api_url: baseUrl, available_models: [entry] };
    const settings = { language_models: { openai_compatible: { 'Sealed Proxy': provider } } };
    return `// Zed asks for the key in its agent panel: ${key}\n${JSON.stringify(settings, null, 2)}`;
  }),
  snippet('llm', 'llm', 'shell', RUN, ({ baseUrl, key, model }, shell) =>
    command(shell, {}, 'llm', 'openai', 'endpoint', baseUrl, '-m', model.id, '--key', key),
  ),
  snippet('openai-node', 'OpenAI SDK (Node)', 'javascript', INSTEAD, ({ baseUrl, key, model }) =>
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
  snippet('openai-python', 'OpenAI SDK (Python)', 'python', INSTEAD, ({ baseUrl, key, model }) =>
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
  snippet('langchain', 'LangChain (Node)', 'javascript', INSTEAD, ({ baseUrl, key, model }) =>
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
  snippet('langchain-python', 'LangChain (Python)', 'python', INSTEAD, ({ baseUrl, key, model }) =>
    [
      'from langchain_openai import ChatOpenAI',
      '',
      `chat = ChatOpenAI(model=${literal(model.id)}, base_url=${literal(baseUrl)}, api_key=${literal(key)})`,
      'for chunk in chat.stream("Hello!"):',
      '    print(chunk.content, end="", flush=True)',
    ].join('\n'),
  ),
  snippet('vercel-ai-sdk', 'Vercel AI SDK', 'javascript', INSTEAD, ({ baseUrl, key, model }) =>
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
    // As an argument, older PowerShells would take its quotes away.
    if (shell === 'powershell') {
      const words = ['curl.exe', '-N', url, ...headers.flatMap((header) => ['-H', header]), '--data-binary', '@-'];
      return `${quote(ascii(body), shell)} | ${words.map((each) => word(each, shell)).join(' ')}`;
    }
    return command(shell, {}, 'curl', '-N', url, ...headers.flatMap((header) => ['-H', header]), '-d', body);
  }),
  {
    kind: 'impossible',
    id: 'codex',
    name: 'Codex CLI',
    message:
      'Codex cannot be connected: it speaks only the Responses API (/v1/responses), which the backend does not offer; ' +
      'Sealed Proxy passes requests on as they are and does not translate one API into another.',
  },
];

function snippet(id: string, name: string, language: Language, hint: string, write: Snippet['write']): Snippet {
  return { kind: 'snippet', id, name, needsModel: true, language, hint, write };
}

/** `copilot help providers`; for a model that it does not know it would guess. */
function copilotLimits({ contextWindow, maxOutput }: ModelChoice): Readonly<Record<string, string>> {
  if (contextWindow === undefined || maxOutput === undefined) return {};
  return {
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(contextWindow - maxOutput),
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(maxOutput),
  };
}

/** A command with variables for itself alone; in PowerShell, for the terminal in which it runs. */
function command(shell: Shell, variables: Readonly<Record<string, string>>, ...words: readonly string[]): string {
  const run = words.map((each) => word(each, shell)).join(' ');
  const settings = Object.entries(variables);
  if (shell === 'powershell') {
    return [...settings.map(([name, value]) => `$env:${name} = ${quote(value, shell)}`), run].join('\n');
  }
  return [...settings.map(([name, value]) => `${name}=${word(value, shell)}`), run].join(' \\\n  ');
}

/** As it is where no shell sees anything in it. */
function word(text: string, shell: Shell): string {
  return /^[A-Za-z0-9_./:-]+$/.test(text) ? text : quote(text, shell);
}

/** Between single quotes nothing is special but the quote; PowerShell takes the curly ones for quotes as well. */
function quote(text: string, shell: Shell): string {
  if (shell === 'powershell') return `'${text.replace(/['‘’‚‛]/g, '$&$&')}'`;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A string of JSON is one of JavaScript and of Python. */
function literal(text: string): string {
  return JSON.stringify(text);
}

/** The same JSON, whatever encoding a pipe has. */
function ascii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
