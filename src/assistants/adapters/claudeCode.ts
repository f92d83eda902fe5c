// Claude Code: https://code.claude.com/docs/en/settings and /env-vars. Its command line and its VS Code extension share one
// file. What was checked in the program itself was checked in version 2.1.330.
import { dirname, join } from 'node:path';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf } from '../../shared/json.ts';
import type { Path } from '../formats/format.ts';
import { valueAt } from '../formats/format.ts';
import { json } from '../formats/json.ts';
import { foldersUpTo } from '../judging/configReader.ts';
import { hookRoutes, markdownHookRoutes } from '../judging/hooks.ts';
import { proxiedRoute, withExceptions } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import type { Route } from '../judging/judgement.ts';
import { CHAT, addressOf, elsewhere, inFile, sealed, systemFolder, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import type { Surroundings } from '../judging/surroundings.ts';
import { overlay, withFile } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';
import type { Assistant, AssistantEndpoint, ModelChoice } from './assistant.ts';
import { fromDialectUrl, toDialectUrl } from './dialectUrl.ts';
import { fileAssistant } from './fileAssistant.ts';

const URL_NAME = 'ANTHROPIC_BASE_URL';
const KEY_NAME = 'ANTHROPIC_AUTH_TOKEN';
const MODEL_NAME = 'ANTHROPIC_MODEL';
const SMALL_NAME = 'ANTHROPIC_DEFAULT_HAIKU_MODEL';
/** The model that each of its aliases stands for. Subagents ask for them. */
const LARGE_NAMES = [
  'ANTHROPIC_DEFAULT_FABLE_MODEL',
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
] as const;
/** In tokens. For a model that it does not know, it assumes 1,000,000 and 32,000. */
const WINDOW_NAME = 'CLAUDE_CODE_MAX_CONTEXT_TOKENS';
const OUTPUT_NAME = 'CLAUDE_CODE_MAX_OUTPUT_TOKENS';
const FIXED = {
  // A line that changes with each request would stand at the beginning of the prompt, so no backend could cache it.
  CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
  // Statistics, error reports and feedback, which may contain the conversation, would be sent to Anthropic. With it, Claude
  // Code does not update itself either.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};
/** They take precedence over the variables above if the user has set them, so they get the same values. */
const LARGE_OVERRIDE = 'CLAUDE_CODE_SUBAGENT_MODEL';
const SMALL_OVERRIDE = 'ANTHROPIC_SMALL_FAST_MODEL';
/** Written as `0`, so that a variable of the shell does not select another provider. */
const SWITCHES = ['BEDROCK', 'VERTEX', 'FOUNDRY', 'MANTLE', 'ANTHROPIC_AWS', 'ANTHROPIC_GOOGLE_CLOUD'].map(
  (provider) => `CLAUDE_CODE_USE_${provider}`,
);
const OFF = '0';
/** If both are set, the second one wins. They also take precedence over those of the shell. */
const NO_PROXY = ['NO_PROXY', 'no_proxy'] as const;
const MANAGED = [
  ...[URL_NAME, KEY_NAME, MODEL_NAME, ...LARGE_NAMES, SMALL_NAME, WINDOW_NAME, OUTPUT_NAME],
  ...[...Object.keys(FIXED), LARGE_OVERRIDE, SMALL_OVERRIDE, ...NO_PROXY],
];

export const claudeCode: Assistant = fileAssistant({
  id: 'claude-code',
  name: 'Claude Code',
  dialect: 'messages',
  needsSmallModel: true,
  next: 'Restart Claude Code, or reload the window if you use its extension. Both read the same file.',
  extension: 'anthropic.claude-code',
  command: 'claude',
  folders: ['.claude'],
  files: ['.claude/settings.json'],
  moves: [{ variable: 'CLAUDE_CONFIG_DIR', folder: '.claude', place: 'claudeHome' }],
  routes: claudeCodeRoutes,
  format: json,
  read: (value) => {
    const env = envOf(value);
    const { [URL_NAME]: url, [KEY_NAME]: key, [MODEL_NAME]: model } = env;
    const [provider] = providersIn(env);
    const other = provider && `the provider of ${provider}`;
    if (url === undefined && key === undefined) return { selected: other ?? fieldsOf(value)['model'] };
    const entry = { baseUrl: fromDialectUrl(url, 'messages'), key, model };
    return { entry, selected: other };
  },
  managed: (value) => {
    const env = envOf(value);
    if (!isSealed(env)) return [];
    const switches = Object.keys(env).filter((name) => PROVIDER_SWITCH.test(name) && env[name] === OFF);
    return [...MANAGED, ...switches].map((name): Path => ['env', name]);
  },
  settings: (value, endpoint) =>
    Object.entries(variables(envOf(value), endpoint)).map(([name, text]) => ({ path: ['env', name], value: text })),
});

/** The variables to set. Undefined removes one. */
function variables(
  env: Env,
  { baseUrl, key, model, smallModel, environment = {} }: AssistantEndpoint,
): Record<string, string | undefined> {
  const url = toDialectUrl(baseUrl, 'messages');
  const kept = typeof env[SMALL_NAME] === 'string' && isSealed(env) ? env[SMALL_NAME] : undefined;
  const small = smallModel?.id ?? kept ?? model.id;
  const isNew = !isSealed(env) || env[MODEL_NAME] !== model.id || env[SMALL_NAME] !== small;
  return {
    [URL_NAME]: url,
    [KEY_NAME]: key,
    [MODEL_NAME]: model.id,
    ...Object.fromEntries(LARGE_NAMES.map((name) => [name, model.id])),
    [SMALL_NAME]: small,
    ...(isNew && sizes(model, small === model.id ? model : smallModel)),
    ...FIXED,
    ...(env[LARGE_OVERRIDE] !== undefined && { [LARGE_OVERRIDE]: model.id }),
    ...(env[SMALL_OVERRIDE] !== undefined && { [SMALL_OVERRIDE]: small }),
    ...Object.fromEntries([...SWITCHES, ...providersIn(env)].map((name) => [name, OFF])),
    ...noProxy(env, environment),
  };
}

/** The user's exceptions and our address. */
function noProxy(env: Env, shell: Env): Record<string, string> {
  const known = [env, shell].flatMap((each) => [each['no_proxy'], each['NO_PROXY']]).find(isText) ?? '';
  return Object.fromEntries(
    NO_PROXY.map((name) => [name, withExceptions([env[name], shell[name]].find(isText) ?? known)]),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** It compacts a conversation before its window is full. There is one variable for both models. */
function sizes({ limits }: ModelChoice, small: ModelChoice | undefined): Record<string, string | undefined> {
  const outputs = [limits, small?.limits].flatMap((each) => (each === undefined ? [] : [each.maxOutput]));
  return {
    [WINDOW_NAME]: limits && String(limits.contextWindow),
    [OUTPUT_NAME]: limits && String(Math.min(...outputs)),
  };
}

type Env = Readonly<Record<string, unknown>>;

function envOf(value: unknown): Env {
  return fieldsOf(fieldsOf(value)['env']);
}

function isSealed(env: Env): boolean {
  return isAccessKey(env[KEY_NAME]);
}

/** The switches of other providers that are on. */
function providersIn(env: Env): readonly string[] {
  return Object.keys(env).filter((name) => PROVIDER_SWITCH.test(name) && isOn(env[name]));
}

/** It uses the variable for HTTPS for our address, too. */
const PROXIES: ProxyRule = {
  used: ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'],
  doubtful: [],
  wildcard: true,
  preferred: 'no_proxy',
};
/** Each selects a provider with an address of its own, and the base URL is ignored. */
const PROVIDER_SWITCH =
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

function isOn(value: unknown): boolean {
  return /^(?:1|true|yes|on)$/i.test(String(value).trim());
}

/** Where its prompts go. */
async function claudeCodeRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, starts, projects, reader, own, userPath } = context;
  const read = (paths: readonly string[]) => reader.layers(paths, json);
  const [user, managed] = [await read([own]), await read(await managedPaths(context))];
  // Its own state, in which an earlier version kept variables. It moves with the folder.
  const state = await read([userPath('.claude.json'), join(dirname(own), '.claude.json')]);
  const routes: Route[] = user.flatMap(({ path, value }) => ignoredRoutes(path, value));
  for (const folder of projects) {
    const files = folder === undefined ? [] : ['settings.json', 'settings.local.json'];
    const project = await read(files.map((name) => join(folder ?? '', '.claude', name)));
    for (const start of starts) {
      const variables = [...state, ...user, ...project, ...managed].reduce(
        (outer, { path, value }) => withFile(outer, value['env'], path, 'env.', own),
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
    const best = source.kind === 'file' ? remedy : ({ kind: 'connect' } as const);
    return [elsewhere(PROMPTS, `the provider of ${name}`, { source, remedy: best })];
  }
  const routes: Route[] = [];
  const address = variables.get('ANTHROPIC_BASE_URL');
  const token = variables.get('ANTHROPIC_AUTH_TOKEN');
  if (address === undefined) return [unknown(PROMPTS, inFile(own, 'env.ANTHROPIC_BASE_URL'))];
  if (address.value !== url) routes.push(elsewhere(PROMPTS, addressOf(address.value), address));
  else if (token?.value !== key) routes.push(unknown(PROMPTS, token ?? { source: address.source }));
  else routes.push(sealed(CHAT), sealed('Small tasks'), sealed('Subagents'));
  for (const name of DOUBTFUL) {
    const found = variables.get(name);
    if (found !== undefined && found.value !== '') routes.push(unknown(PROMPTS, found));
  }
  const logged = LOGGED.find((name) => isOn(variables.get(name)?.value ?? ''));
  const telemetry = variables.get(TELEMETRY);
  if (logged !== undefined && telemetry !== undefined && isOn(telemetry.value)) {
    const endpoint = variables.get('OTEL_EXPORTER_OTLP_ENDPOINT')?.value;
    const recipient = endpoint === undefined ? 'the collector of its telemetry' : addressOf(endpoint);
    routes.push(elsewhere('Prompts in telemetry', recipient, variables.get(logged) ?? telemetry));
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
  const [installed] = await reader.layers([list], json);
  for (const entry of Object.values(fieldsOf(installed?.value['plugins'])).flat()) {
    const { installPath } = fieldsOf(entry);
    if (typeof installPath === 'string') found.push(...names.map((name) => join(installPath, name)));
  }
  return found;
}

/** The settings of an organization, in their order. */
async function managedPaths({ surroundings, reader }: RouteContext): Promise<readonly string[]> {
  const root = systemFolder(surroundings, {
    darwin: 'Library/Application Support/ClaudeCode',
    win32: 'Program Files/ClaudeCode',
    other: 'etc/claude-code',
  });
  return [join(root, 'managed-settings.json'), ...(await reader.list(join(root, 'managed-settings.d'), '.json', 0))];
}
