import { join } from 'node:path';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { valueAt } from '../formats/format.ts';
import { json } from '../formats/json.ts';
import type { Layer } from '../judging/configReader.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import type { Route } from '../judging/judgement.ts';
import { CHAT, elsewhere, inFile, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { overlay } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';
import type { Assistant } from './assistant.ts';
import { fileAssistant } from './fileAssistant.ts';

/** Cline has a single entry for OpenAI-compatible servers, so an entry for another server is replaced. */
const PROVIDER = 'openai-compatible';
const ENTRY = ['providers', PROVIDER];

export const cline: Assistant = fileAssistant({
  id: 'cline',
  name: 'Cline',
  next: 'Reload the window, or restart Cline on the command line, to use it.',
  extension: 'saoudrizwan.claude-dev',
  command: 'cline',
  folders: ['.cline'],
  files: ['.cline/data/settings/providers.json'],
  moves: [
    { variable: 'CLINE_DIR', folder: '.cline' },
    { variable: 'CLINE_DATA_DIR', folder: '.cline/data' },
    { variable: 'CLINE_PROVIDER_SETTINGS_PATH', folder: '.cline/data/settings/providers.json' },
  ],
  routes: clineRoutes,
  format: json,
  read: (value) => {
    const { lastUsedProvider: selected } = fieldsOf(value);
    const settings = settingsOf(value);
    const { baseUrl, apiKey, model } = fieldsOf(settings);
    const entry = settings === undefined ? undefined : { baseUrl, key: apiKey, model };
    return { entry, selected };
  },
  managed: (value) => {
    if (!isAccessKey(fieldsOf(settingsOf(value))['apiKey'])) return [];
    return [ENTRY, ...(fieldsOf(value)['lastUsedProvider'] === PROVIDER ? [['lastUsedProvider']] : [])];
  },
  settings: (value, { baseUrl, key, model: { id, limits }, now }) => {
    const { version = 1, modes = {} } = fieldsOf(value);
    const before = fieldsOf(settingsOf(value));
    // Without it, Cline assumes 128,000 tokens for every model, and derives its `max_tokens` from that.
    const window = before['model'] === id ? undefined : limits && { contextWindow: limits.contextWindow };
    const settings = { provider: PROVIDER, apiKey: key, model: id, baseUrl, ...window };
    const isSame = Object.entries(settings).every(([name, wanted]) => before[name] === wanted);
    const entry = { settings, updatedAt: new Date(now).toISOString(), tokenSource: 'manual' };
    return [
      { path: ['version'], value: version },
      { path: ['lastUsedProvider'], value: PROVIDER },
      { path: ['modes'], value: modes },
      ...otherModes(modes).map((name) => ({ path: ['modes', name], value: undefined })),
      { path: ENTRY, value: isSame ? {} : entry },
    ];
  },
});

/** Those with a provider of their own, such as the one for dictation: ours has no such model. */
function otherModes(modes: unknown): readonly string[] {
  const entries = Object.entries(fieldsOf(modes));
  return entries.flatMap(([name, mode]) =>
    providerOf(mode) === undefined || providerOf(mode) === PROVIDER ? [] : [name],
  );
}

function providerOf(mode: unknown): unknown {
  return fieldsOf(mode)['providerId'];
}

function settingsOf(value: unknown): unknown {
  return valueAt(value, [...ENTRY, 'settings']);
}

const PROXIES: ProxyRule = {
  used: ['HTTP_PROXY'],
  doubtful: ['HTTPS_PROXY', 'ALL_PROXY'],
  wildcard: true,
  preferred: 'no_proxy',
};

const TOKEN_SOURCES: readonly unknown[] = ['manual', 'oauth', 'migration'];
/** With it, Cline reads its providers from another folder. */
const SANDBOX = 'CLINE_SANDBOX';
/** The last one takes precedence. */
const DOT_ENV = ['.env', '.env.production', '.env.local', '.env.production.local'];

/** Its schema has more. It takes a file with such a part for an empty one, and sends prompts to its own service. */
function invalidPart(file: Layer['value']): string | undefined {
  const { version, modes = {}, providers } = file;
  const { voiceInput } = fieldsOf(modes);
  if (version !== 1) return 'version';
  if (asObject(modes) === undefined) return 'modes';
  if (voiceInput !== undefined && !areTexts(voiceInput, ['providerId', 'modelId'])) return 'modes.voiceInput';
  const invalid = Object.entries(fieldsOf(providers)).find(([, entry]) => {
    const { settings, updatedAt, tokenSource = 'manual' } = fieldsOf(entry);
    const { apiKey = '', model = '', baseUrl = '', ...rest } = fieldsOf(settings);
    const isSettings = areTexts({ ...rest, apiKey, model, baseUrl }, ['provider', 'apiKey', 'model', 'baseUrl']);
    return !isSettings || !isTime(updatedAt) || !TOKEN_SOURCES.includes(tokenSource);
  });
  return invalid && `providers.${invalid[0]}`;
}

function areTexts(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof fieldsOf(value)[name] === 'string');
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z$/.test(value);
}

/** Where its prompts go. Checked in the program of version 3.0.65. */
async function clineRoutes({ expected, starts, projects, reader, own }: RouteContext): Promise<readonly Route[]> {
  const [layer] = await reader.layers([own], json);
  const { lastUsedProvider: selected = 'cline', modes } = fieldsOf(layer?.value);
  const routeOf = (prompts: string, provider: string, name: string) =>
    provider === PROVIDER ? sealed(prompts) : elsewhere(prompts, provider, inFile(own, name, own));
  const routes = [routeOf(CHAT, String(selected), 'lastUsedProvider')];
  const invalid = layer && invalidPart(layer.value);
  if (invalid !== undefined) routes.push(unknown('All prompts', inFile(own, invalid)));
  for (const [mode, value] of Object.entries(fieldsOf(modes))) {
    const provider = providerOf(value);
    if (typeof provider !== 'string') continue; // of an earlier version, and ignored
    routes.push(routeOf(`The mode ${JSON.stringify(mode)}`, provider, `modes.${mode}`));
  }
  // It is built with Bun, which reads these files of the current folder; the shell takes precedence over them.
  const routesIn = async (folder: string | undefined) => {
    let written: Variables = new Map();
    for (const name of folder === undefined ? [] : DOT_ENV)
      written = overlay(written, await reader.dotEnv(join(folder ?? '', name)));
    return starts.flatMap((start) => {
      const variables = overlay(written, start);
      const sandbox = variables.get(SANDBOX);
      if (sandbox?.value.trim() === '1') return [unknown('All prompts', sandbox)];
      return through(proxiedRoute(variables, PROXIES, expected.baseUrl), routes);
    });
  };
  return (await Promise.all(projects.map(routesIn))).flat();
}
