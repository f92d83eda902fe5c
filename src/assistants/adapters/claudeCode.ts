// Claude Code: https://code.claude.com/docs/en/settings and /env-vars. Its command line and its VS Code extension share one
// file. What was checked in the program itself was checked in version 2.1.330.
import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf } from '../../shared/json.ts';
import { fromDialectUrl, toDialectUrl } from '../dialectUrl.ts';
import { jsonFormat } from '../files/configFormat.ts';
import type { Path } from '../files/jsonEdit.ts';
import { withExceptions } from '../judging/httpProxy.ts';
import type { Assistant, AssistantEndpoint, ModelChoice } from '../types.ts';
import { PROVIDER_SWITCH, claudeCodeRoutes, isOn } from './claudeCodeRoutes.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';

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
  folders: ['.claude'],
  files: ['.claude/settings.json'],
  routes: claudeCodeRoutes,
  ...entryIn({
    format: jsonFormat('json'),
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
  }),
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
