// opencode, and Kilo Code, which has the same format: https://opencode.ai/docs/config and /docs/providers
import { basename, dirname, isAbsolute, join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { valueAt } from '../formats/format.ts';
import type { Path, Setting } from '../formats/format.ts';
import { json, jsonc } from '../formats/json.ts';
import { foldersUpTo, lastWith } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { BUN, proxiedRoute } from '../judging/httpProxy.ts';
import type { Route } from '../judging/judgement.ts';
import { CHAT, addressOf, elsewhere, inFile, sealed, systemFolder, through, unknown } from '../judging/routes.ts';
import type { Place, RouteContext } from '../judging/routes.ts';
import type { Variables } from '../judging/variables.ts';
import type { Assistant } from './assistant.ts';
import { fileAssistant } from './fileAssistant.ts';
import type { Definition } from './fileAssistant.ts';

const PROVIDER = 'sealed-proxy';
const ENTRY = ['provider', PROVIDER];
const SIDE_MODELS = ['small_model', 'subagent_model'];
const MODEL_GROUPS = ['agent', 'mode', 'command'];

/** What both programs have in common. */
const COMMON: Pick<Definition, 'moves' | 'format' | 'read' | 'managed' | 'settings'> = {
  // https://specifications.freedesktop.org/basedir-spec
  moves: [{ variable: 'XDG_CONFIG_HOME', folder: '.config', place: 'configHome' }],
  format: jsonc,
  read: (value) => {
    const { model } = fieldsOf(value);
    const ours = asObject(valueAt(value, ENTRY));
    if (ours === undefined) return { selected: model };
    const { options, models } = ours;
    const { baseURL, apiKey } = fieldsOf(options);
    const chosen = isOurs(model) ? model.slice(`${PROVIDER}/`.length) : Object.keys(fieldsOf(models))[0];
    const entry = { baseUrl: baseURL, key: apiKey, model: chosen };
    return { entry, selected: model };
  },
  managed: (value) => [
    ENTRY,
    ...modelPaths(value).filter((path) => isOurs(valueAt(value, path))),
    ['share'],
    ['autoshare'],
  ],
  settings: (value, { baseUrl, key, model: { id, limits } }) => {
    const ours = asObject(valueAt(value, ENTRY));
    // The limits tell the assistant when a conversation is too long.
    const limit = limits && { limit: { context: limits.contextWindow, output: limits.maxOutput } };
    const entry = {
      npm: '@ai-sdk/openai-compatible',
      ...(ours === undefined && { name: 'Sealed Proxy' }),
      options: { baseURL: baseUrl, apiKey: key },
      models: valueAt(ours, ['models', id]) === undefined ? { [id]: { name: id, ...limit } } : {},
    };
    return [
      { path: ENTRY, value: entry },
      { path: ['model'], value: `${PROVIDER}/${id}` },
      ...otherModels(value).map((path) => ({ path, value: `${PROVIDER}/${id}` })),
      ...sharing(value),
    ];
  },
};

/** If both files exist, the first one takes precedence. */
export const opencode: Assistant = fileAssistant({
  id: 'opencode',
  name: 'opencode',
  next: 'Restart opencode to use it.',
  routes: (context) => opencodeRoutes(OPENCODE, context),
  command: 'opencode',
  folders: ['.config/opencode', '.opencode', '.local/share/opencode'],
  files: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
  ...COMMON,
});

/** The extension and the command line share one file. */
export const kilo: Assistant = fileAssistant({
  id: 'kilo',
  name: 'Kilo Code',
  next: 'Reload the window, or restart Kilo Code on the command line, to use it.',
  extension: 'kilocode.Kilo-Code',
  routes: (context) => opencodeRoutes(KILO, context),
  command: 'kilocode',
  folders: ['.config/kilo', '.local/share/kilo'],
  files: ['.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
  ...COMMON,
});

/** Where a model can be selected. */
function modelPaths(value: unknown): readonly Path[] {
  const groups = MODEL_GROUPS.flatMap((group) =>
    Object.keys(fieldsOf(fieldsOf(value)[group])).map((name) => [group, name, 'model']),
  );
  return [['model'], ...SIDE_MODELS.map((name) => [name]), ...groups];
}

/** The models of single tasks, agents, modes and commands that belong to another provider. */
function otherModels(value: unknown): readonly Path[] {
  return modelPaths(value).filter((path) => {
    const model = valueAt(value, path);
    return path[0] !== 'model' && typeof model === 'string' && !isOurs(model);
  });
}

/** Shared sessions are sent to a web site, with all prompts and replies. */
function sharing(value: unknown): readonly Setting[] {
  const { share, autoshare } = fieldsOf(value);
  return [
    ...(share === 'auto' ? [{ path: ['share'], value: 'manual' }] : []),
    ...(autoshare === true ? [{ path: ['autoshare'], value: false }] : []),
  ];
}

/** A selected model has its provider as a prefix. */
function isOurs(model: unknown): model is string {
  return typeof model === 'string' && model.startsWith(`${PROVIDER}/`);
}

/** What differs between the two programs. */
interface Program {
  /** The names of the files, in the order in which they are read. */
  readonly files: readonly string[];
  /** The names of the folders of a project. */
  readonly folders: readonly string[];
  /** How its variables begin. */
  readonly variables: string;
  /** Below `~/.local/share` and `~/.local/state`. */
  readonly data: string;
  readonly managed: Readonly<Record<'darwin' | 'win32' | 'other', string>>;
}

const OPENCODE: Program = {
  files: ['opencode.json', 'opencode.jsonc'],
  folders: ['.opencode'],
  variables: 'OPENCODE',
  data: 'opencode',
  managed: { darwin: 'Library/Application Support/opencode', win32: 'ProgramData/opencode', other: 'etc/opencode' },
};

const KILO: Program = {
  files: ['opencode.json', 'opencode.jsonc', 'kilo.json', 'kilo.jsonc'],
  folders: ['.kilocode', '.kilo', '.opencode'],
  variables: 'KILO',
  data: 'kilo',
  managed: { darwin: 'Library/Application Support/kilo', win32: 'ProgramData/kilo', other: 'etc/kilo' },
};

/** The names of a model, and which prompts go to it. */
const MODELS = [
  ['model', CHAT],
  ['small_model', 'Titles and summaries'],
  ['subagent_model', 'Subagents'],
] as const;
/** The objects whose members may have a model of their own. */
const GROUPS = [
  ['agent', 'The agent'],
  ['mode', 'The mode'],
  ['command', 'The command'],
] as const;
/** The folders of the same, with a Markdown file for each. */
const FOLDERS = GROUPS.flatMap(([group, kind]) => [[group, kind] as const, [`${group}s`, kind] as const]);

/** The provider of a model such as `anthropic/claude`. */
function providerOf(model: unknown): string {
  return String(model).split('/', 1)[0] ?? '';
}

/** Where their prompts go. Checked in opencode 1.18.33 and Kilo Code 7.7.7. */
async function opencodeRoutes(program: Program, context: RouteContext): Promise<readonly Route[]> {
  const routes: Route[] = [];
  for (const start of context.starts) {
    for (const project of context.projects) {
      const { layers, markdown } = await readAll(program, context, start, project);
      const all = [
        ...layerRoutes(layers, context),
        ...relativeRoutes(program, start),
        ...telemetryRoutes(layers, start),
        ...markdown,
        ...(await accountRoutes(program, context, start)),
      ];
      routes.push(...through(proxiedRoute(start, BUN, context.expected.baseUrl), all));
    }
  }
  return routes;
}

/** All files in the order in which they are read: the last one takes precedence. */
async function readAll(
  { files, folders, variables, managed }: Program,
  { reader, surroundings, own, userPath }: RouteContext,
  start: Variables,
  project: string | undefined,
) {
  const variable = (name: string) => start.get(`${variables}_${name}`)?.value ?? '';
  const outer = project === undefined || isSet(variable('DISABLE_PROJECT_CONFIG')) ? [] : await foldersUpTo(project);
  const user = dirname(own);
  const dotted = [...outer, userPath('')].flatMap((folder) => folders.map((name) => join(folder, name)));
  const more = variable('CONFIG_DIR') === '' ? [] : [variable('CONFIG_DIR')];
  const within = (folder: string) => files.map((name) => join(folder, name));
  const paths = [
    join(user, 'config.json'),
    ...within(user),
    ...(variable('CONFIG') === '' ? [] : [variable('CONFIG')]),
    ...outer.flatMap(within),
    ...[...dotted, ...more].flatMap(within),
  ];
  const inline = variable('CONFIG_CONTENT');
  const content: Layer[] =
    inline === '' ? [] : [{ path: `${variables}_CONFIG_CONTENT`, value: fieldsOf(jsonc.read(inline)) }];
  const layers = [
    ...(await reader.layers(paths, jsonc)),
    ...content,
    ...(await reader.layers(within(systemFolder(surroundings, managed)), jsonc)),
  ];
  const markdown: Route[] = [];
  // A file of an early version, whose model takes precedence over all others once.
  const legacy = join(user, 'config');
  if ((await reader.text(legacy)) !== undefined) markdown.push(unknown(CHAT, inFile(legacy, '')));
  for (const folder of [user, ...dotted, ...more])
    for (const [name, kind] of FOLDERS)
      for (const { path, value } of await reader.heads(await reader.list(join(folder, name), '.md'))) {
        const { model } = value;
        if (model !== undefined && model !== null)
          markdown.push(routeOf(`${kind} "${basename(path, '.md')}"`, model, inFile(path, 'model', own)));
      }
  return { layers, markdown };
}

function layerRoutes(layers: readonly Layer[], { own, expected: { baseUrl } }: RouteContext): readonly Route[] {
  const routes: Route[] = [];
  const last = (...path: readonly string[]) => lastWith(layers, path);
  for (const [name, prompts] of MODELS) {
    const model = last(name);
    // Without a small model, a small model of the same provider is used, or else the model itself.
    if (model !== undefined) routes.push(routeOf(prompts, model.value, inFile(model.path, name, own)));
    else if (name === 'model') routes.push(elsewhere(prompts, 'another provider', inFile(own, name, own)));
  }
  for (const [group, kind] of GROUPS) {
    const names = new Set(layers.flatMap(({ value }) => Object.keys(fieldsOf(value[group]))));
    for (const name of names) {
      const model = last(group, name, 'model');
      const isUsed = model !== undefined && model.value !== null && last(group, name, 'disable')?.value !== true;
      const place = inFile(model?.path ?? '', `${group}.${name}.model`, own);
      if (isUsed) routes.push(routeOf(`${kind} "${name}"`, model.value, place));
    }
  }
  const address = ['provider', PROVIDER, 'options', 'baseURL'];
  const url = last(...address);
  if (url !== undefined && url.value !== baseUrl)
    routes.push(elsewhere(CHAT, addressOf(url.value), inFile(url.path, address.join('.'), own)));
  const others = layers.find(
    ({ path, value }) => path !== own && path !== url?.path && valueAt(value, ENTRY) !== undefined,
  );
  if (others !== undefined) routes.push(unknown(CHAT, inFile(others.path, `provider.${PROVIDER}`)));
  for (const { path, value } of layers) {
    const { disabled_providers: disabled, enabled_providers: enabled } = value;
    if (Array.isArray(disabled) && disabled.includes(PROVIDER))
      routes.push(unknown(CHAT, inFile(path, 'disabled_providers')));
    if (Array.isArray(enabled) && !enabled.includes(PROVIDER))
      routes.push(unknown(CHAT, inFile(path, 'enabled_providers')));
  }
  const share = last('share');
  const autoshare = last('autoshare');
  if (share?.value === 'auto') routes.push(shared(inFile(share.path, 'share')));
  else if (share === undefined && autoshare?.value === true) routes.push(shared(inFile(autoshare.path, 'autoshare')));
  const indexing = last('indexing', 'enabled');
  if (indexing?.value === true)
    routes.push(unknown('The index of your code', inFile(indexing.path, 'indexing.enabled')));
  return routes;
}

/** Its file depends on the folder in which it is started. */
function relativeRoutes({ variables }: Program, start: Variables): readonly Route[] {
  return [`${variables}_CONFIG`, `${variables}_CONFIG_DIR`].flatMap((name) => {
    const found = start.get(name);
    return found === undefined || found.value === '' || isAbsolute(found.value) ? [] : [unknown(CHAT, found)];
  });
}

/** Traces have prompts in them. They are only sent if a variable names a collector. */
function telemetryRoutes(layers: readonly Layer[], start: Variables): readonly Route[] {
  const path = ['experimental', 'openTelemetry'];
  const setting = lastWith(layers, path);
  const endpoint = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
    .map((name) => start.get(name)?.value ?? '')
    .find((value) => value !== '');
  if (setting?.value !== true || endpoint === undefined) return [];
  return [elsewhere('Prompts in telemetry', addressOf(endpoint), inFile(setting.path, path.join('.')))];
}

/** What depends on the user's accounts and on what was selected before. */
async function accountRoutes(
  { data, variables }: Program,
  { reader, userPath }: RouteContext,
  start: Variables,
): Promise<readonly Route[]> {
  const routes: Route[] = [];
  const folder = (name: string, variable: string) =>
    join(start.get(variable)?.value || userPath(`.local/${name}`), data);
  const [auth] = await reader.layers([join(folder('share', 'XDG_DATA_HOME'), 'auth.json')], json);
  for (const [name, value] of Object.entries(auth?.value ?? {}))
    if (fieldsOf(value)['type'] === 'wellknown') routes.push(unknown(CHAT, inFile(auth?.path ?? '', addressOf(name))));
  // Kilo Code sends the sessions of a signed-in user to its own service, and completes code with its own models.
  if (auth?.value['kilo'] !== undefined && variables === 'KILO')
    routes.push(unknown('Sessions and completions of your Kilo account', inFile(auth.path, 'kilo')));
  const [state] = await reader.layers([join(folder('state', 'XDG_STATE_HOME'), 'model.json')], json);
  for (const [agent, value] of Object.entries(fieldsOf(state?.value['model']))) {
    const { providerID } = fieldsOf(value);
    if (state !== undefined && typeof providerID === 'string' && providerID !== PROVIDER)
      routes.push(elsewhere(`The agent "${agent}"`, providerID, inFile(state.path, `model.${agent}`)));
  }
  const share = start.get(`${variables}_AUTO_SHARE`);
  if (share !== undefined && isSet(share.value)) routes.push(shared(share));
  return routes;
}

function routeOf(prompts: string, model: unknown, place: Place): Route {
  return isOurs(model) ? sealed(prompts) : elsewhere(prompts, providerOf(model), place);
}

function shared({ source }: Place): Route {
  return elsewhere('Shared sessions', 'its own web site', { source });
}

function isSet(value: string): boolean {
  return /^(?:1|true)$/i.test(value);
}
