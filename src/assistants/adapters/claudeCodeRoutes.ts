// Where the prompts of Claude Code go: https://code.claude.com/docs/en/settings and /env-vars. Checked in version 2.1.330.
import { dirname, join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { toDialectUrl } from '../dialectUrl.ts';
import { readJson, valueAt } from '../files/jsonEdit.ts';
import type { Route } from '../judgement.ts';
import { foldersUpTo } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { hookRoutes, markdownHookRoutes } from '../judging/hooks.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import { CHAT, addressOf, elsewhere, inFile, remedyIn, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import type { Surroundings } from '../judging/surroundings.ts';
import { overlay, startVariables, withFile } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';

/** It uses the variable for HTTPS for our address, too. */
const PROXIES: ProxyRule = {
  used: ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'],
  doubtful: [],
  wildcard: true,
  preferred: 'no_proxy',
};
/** Each selects a provider with an address of its own, and the base URL is ignored. */
export const PROVIDER_SWITCH =
  /^CLAUDE_CODE_USE_(?:BEDROCK|VERTEX|FOUNDRY|MANTLE|GATEWAY|ANTHROPIC_AWS|ANTHROPIC_GOOGLE_CLOUD)$/;
/** Each changes where requests go, in a way that cannot be told from outside. */
const DOUBTFUL = ['ANTHROPIC_UNIX_SOCKET', 'CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST', 'CLAUDE_CODE_HOST_AUTH_ENV_VAR'];
/** Telemetry has prompts in it with one of these. */
const TELEMETRY = 'CLAUDE_CODE_ENABLE_TELEMETRY';
const LOGGED = [
  'OTEL_LOG_USER_PROMPTS',
  'OTEL_LOG_RAW_API_BODIES',
  'OTEL_LOG_ASSISTANT_RESPONSES',
  'OTEL_LOG_TOOL_CONTENT',
  'OTEL_LOG_TOOL_DETAILS',
];
const PROMPTS = 'All prompts';
/**
 * It ignores a complete file, with our entry, if one of its settings has another type. These are some that users write by
 * hand; its schema has more.
 */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  string: ['model', 'outputStyle', 'language', 'apiKeyHelper', 'agent', 'permissions.defaultMode'],
  boolean: [
    ...['includeCoAuthoredBy', 'alwaysThinkingEnabled', 'enableAllProjectMcpServers', 'includeGitInstructions'],
    ...['respectGitignore', 'disableAllHooks', 'spinnerTipsEnabled', 'verbose', 'fastMode', 'autoMemoryEnabled'],
    ...['autoCompactEnabled', 'sandbox.enabled'],
  ],
  number: ['cleanupPeriodDays'],
  object: ['permissions', 'sandbox', 'statusLine', 'enabledPlugins'],
  list: [
    ...['permissions.allow', 'permissions.deny', 'permissions.ask', 'permissions.additionalDirectories'],
    ...['enabledMcpjsonServers', 'disabledMcpjsonServers'],
  ],
};

export function isOn(value: unknown): boolean {
  return /^(?:1|true|yes|on)$/i.test(String(value).trim());
}

export async function claudeCodeRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, reader, own, userPath } = context;
  const read = (paths: readonly string[]) => reader.layers(paths, (text) => asObject(readJson(text, 'json')));
  const [user, managed] = [await read([own]), await read(await managedPaths(context))];
  // Its own state, in which an earlier version kept variables. It moves with the folder.
  const state = await read([userPath('.claude.json'), join(dirname(own), '.claude.json')]);
  const projects = surroundings.folders.length === 0 ? [undefined] : surroundings.folders;
  const routes: Route[] = user.flatMap(({ path, value }) => ignoredRoutes(path, value));
  for (const folder of projects) {
    const files = folder === undefined ? [] : ['settings.json', 'settings.local.json'];
    const project = await read(files.map((name) => join(folder ?? '', '.claude', name)));
    for (const start of startVariables(surroundings)) {
      const variables = [...state, ...user, ...project, ...managed].reduce(
        (outer, layer) => withLayer(outer, layer, own),
        withExtension(start, surroundings),
      );
      routes.push(...routesWith(variables, context));
    }
    const outer = folder === undefined ? [] : await foldersUpTo(folder);
    const folders = [dirname(own), ...outer.map((each) => join(each, '.claude'))];
    const plugins = await read(await pluginPaths(context, folders));
    const hooks = hookRoutes([...user, ...project, ...managed, ...plugins]);
    routes.push(...hooks, ...(await markdownHookRoutes(reader, folders)));
  }
  return routes;
}

function ignoredRoutes(path: string, value: unknown): readonly Route[] {
  return Object.entries(TYPES).flatMap(([type, names]) =>
    names.flatMap((name) => {
      const found = valueAt(value, name.split('.'));
      return found === undefined || typeOf(found) === type ? [] : [unknown(PROMPTS, inFile(path, name))];
    }),
  );
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

function withLayer(variables: Variables, { path, value }: Layer, own: string): Variables {
  return withFile(variables, value['env'], path, 'env.', remedyIn(path, own));
}

/** Its extension adds the variables of a setting. */
function withExtension(variables: Variables, { setting }: Surroundings): Variables {
  const key = 'claudeCode.environmentVariables';
  const list = setting(key);
  const set = (Array.isArray(list) ? list : []).flatMap((item) => {
    const { name, value } = fieldsOf(item);
    const isText = typeof name === 'string' && typeof value === 'string';
    return isText ? [[name, { value, source: { kind: 'setting', key } as const }] as const] : [];
  });
  return overlay(variables, set);
}

function routesWith(variables: Variables, { expected: { baseUrl, key }, own }: RouteContext): readonly Route[] {
  const url = toDialectUrl(baseUrl, 'messages');
  const chosen = [...variables].find(([name, { value }]) => PROVIDER_SWITCH.test(name) && isOn(value));
  if (chosen !== undefined) {
    const [name, { source, remedy }] = chosen;
    const fromShell = source.kind === 'file' ? remedy : ({ kind: 'connect' } as const);
    return [elsewhere(PROMPTS, `the provider of ${name}`, source, fromShell)];
  }
  const routes: Route[] = [];
  const address = variables.get('ANTHROPIC_BASE_URL');
  const token = variables.get('ANTHROPIC_AUTH_TOKEN');
  if (address === undefined) return [unknown(PROMPTS, { kind: 'file', path: own, name: 'env.ANTHROPIC_BASE_URL' })];
  if (address.value !== url) routes.push(elsewhere(PROMPTS, addressOf(address.value), address.source, address.remedy));
  else if (token?.value !== key) routes.push(unknown(PROMPTS, token?.source ?? address.source, token?.remedy));
  else routes.push(sealed(CHAT), sealed('Small tasks'), sealed('Subagents'));
  for (const name of DOUBTFUL) {
    const found = variables.get(name);
    if (found !== undefined && found.value !== '') routes.push(unknown(PROMPTS, found.source, found.remedy));
  }
  const logged = LOGGED.find((name) => isOn(variables.get(name)?.value ?? ''));
  const telemetry = variables.get(TELEMETRY);
  if (logged !== undefined && telemetry !== undefined && isOn(telemetry.value)) {
    const { source, remedy } = variables.get(logged) ?? telemetry;
    const endpoint = variables.get('OTEL_EXPORTER_OTLP_ENDPOINT')?.value;
    const recipient = endpoint === undefined ? 'the collector of its telemetry' : addressOf(endpoint);
    routes.push(elsewhere('Prompts in telemetry', recipient, source, remedy));
  }
  return through(proxiedRoute(variables, PROXIES, baseUrl, { kind: 'connect' }), routes);
}

/** The files of plugins that may have hooks: those beside skills, and those that are installed. */
async function pluginPaths({ reader, own }: RouteContext, folders: readonly string[]): Promise<readonly string[]> {
  const names = [join('hooks', 'hooks.json'), join('.claude-plugin', 'plugin.json')];
  const found: string[] = [];
  for (const folder of new Set(folders)) {
    const paths = await reader.list(join(folder, 'skills'), '.json', 2);
    found.push(...paths.filter((path) => names.some((name) => path.endsWith(name))));
  }
  const list = join(dirname(own), 'plugins/installed_plugins.json');
  const [installed] = await reader.layers([list], (text) => asObject(readJson(text, 'json')));
  for (const entry of Object.values(fieldsOf(installed?.value['plugins'])).flat()) {
    const { installPath } = fieldsOf(entry);
    if (typeof installPath === 'string') found.push(...names.map((name) => join(installPath, name)));
  }
  return found;
}

/** The settings of an organization, in their order. */
async function managedPaths({ surroundings: { platform, system }, reader }: RouteContext): Promise<readonly string[]> {
  const folder =
    platform === 'darwin'
      ? 'Library/Application Support/ClaudeCode'
      : platform === 'win32'
        ? 'Program Files/ClaudeCode'
        : 'etc/claude-code';
  const root = join(system, folder);
  return [join(root, 'managed-settings.json'), ...(await reader.list(join(root, 'managed-settings.d'), '.json', 0))];
}
