// Where the prompts of Cline go. Checked in the program of version 3.0.65.
import { join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { readJson } from '../files/jsonEdit.ts';
import type { Route } from '../judgement.ts';
import type { Layer } from '../judging/configReader.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import { CHAT, elsewhere, inFile, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { overlay, parseDotEnv, startVariables, withFile } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';

const PROVIDER = 'openai-compatible';
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

export async function clineRoutes({ expected, surroundings, reader, own }: RouteContext): Promise<readonly Route[]> {
  const [layer] = await reader.layers([own], (text) => asObject(readJson(text, 'json')));
  const { lastUsedProvider: selected = 'cline', modes } = fieldsOf(layer?.value);
  const chat =
    selected === PROVIDER
      ? sealed(CHAT)
      : elsewhere(CHAT, String(selected), inFile(own, 'lastUsedProvider'), { kind: 'connect' });
  const routes = [chat];
  const invalid = layer && invalidPart(layer.value);
  if (invalid !== undefined) routes.push(unknown('All prompts', inFile(own, invalid)));
  for (const [mode, value] of Object.entries(fieldsOf(modes))) {
    const { providerId: provider } = fieldsOf(value);
    if (typeof provider !== 'string') continue; // of an earlier version, and ignored
    const prompts = `The mode ${JSON.stringify(mode)}`;
    const route = elsewhere(prompts, provider, inFile(own, `modes.${mode}`), { kind: 'connect' });
    routes.push(provider === PROVIDER ? sealed(prompts) : route);
  }
  // It is built with Bun, which reads these files of the current folder; the shell takes precedence over them.
  const routesIn = async (folder: string | undefined) => {
    let written: Variables = new Map();
    for (const name of folder === undefined ? [] : DOT_ENV) {
      const path = join(folder ?? '', name);
      const text = await reader.text(path);
      if (text !== undefined) written = withFile(written, parseDotEnv(text), path, '');
    }
    return startVariables(surroundings).flatMap((start) => {
      const variables = overlay(written, start);
      const sandbox = variables.get(SANDBOX);
      if (sandbox?.value.trim() === '1') return [unknown('All prompts', sandbox.source)];
      return through(proxiedRoute(variables, PROXIES, expected.baseUrl), routes);
    });
  };
  const { folders } = surroundings;
  return (await Promise.all((folders.length === 0 ? [undefined] : folders).map(routesIn))).flat();
}
