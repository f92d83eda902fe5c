// Where the prompts of opencode and Kilo Code go. Checked in opencode 1.18.33 and Kilo Code 7.7.7.
import { basename, dirname, isAbsolute, join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { readJson } from '../files/jsonEdit.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Route } from '../judgement.ts';
import { foldersUpTo, frontMatter } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { BUN, proxiedRoute } from '../judging/httpProxy.ts';
import { CHAT, addressOf, elsewhere, inFile, remedyIn, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { startVariables } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';

const PROVIDER = 'sealed-proxy';
const PREFIX = `${PROVIDER}/`;

/** What differs between the two programs. */
export interface Program {
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

export const OPENCODE: Program = {
  files: ['opencode.json', 'opencode.jsonc'],
  folders: ['.opencode'],
  variables: 'OPENCODE',
  data: 'opencode',
  managed: { darwin: 'Library/Application Support/opencode', win32: 'ProgramData/opencode', other: 'etc/opencode' },
};

export const KILO: Program = {
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
const MARKDOWN = [
  ['agent', 'The agent'],
  ['agents', 'The agent'],
  ['mode', 'The mode'],
  ['modes', 'The mode'],
  ['command', 'The command'],
  ['commands', 'The command'],
] as const;

export function isOurModel(model: unknown): boolean {
  return typeof model === 'string' && model.startsWith(PREFIX);
}

/** The provider of a model such as `anthropic/claude`. */
function providerOf(model: unknown): string {
  return String(model).split('/', 1)[0] ?? '';
}

export async function opencodeRoutes(program: Program, context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, own } = context;
  const starts = startVariables(surroundings);
  const projects = surroundings.folders.length === 0 ? [undefined] : surroundings.folders;
  const routes: Route[] = [];
  for (const start of starts) {
    for (const project of projects) {
      const { layers, markdown } = await readAll(program, context, start, project);
      const all = [
        ...layerRoutes(layers, own, context),
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
  const { platform } = surroundings;
  const organization = join(
    surroundings.system,
    managed[platform === 'darwin' || platform === 'win32' ? platform : 'other'],
  );
  const within = (folder: string) => files.map((name) => join(folder, name));
  const parse = (text: string) => asObject(readJson(text, 'jsonc'));
  const paths = [
    join(user, 'config.json'),
    ...within(user),
    ...(variable('CONFIG') === '' ? [] : [variable('CONFIG')]),
    ...outer.flatMap(within),
    ...[...dotted, ...more].flatMap(within),
  ];
  const inline = variable('CONFIG_CONTENT');
  const content: Layer[] =
    inline === '' ? [] : [{ path: `${variables}_CONFIG_CONTENT`, value: fieldsOf(parse(inline)) }];
  const layers = [
    ...(await reader.layers(paths, parse)),
    ...content,
    ...(await reader.layers(within(organization), parse)),
  ];
  const markdown: Route[] = [];
  // A file of an early version, whose model takes precedence over all others once.
  const legacy = join(user, 'config');
  if ((await reader.text(legacy)) !== undefined) markdown.push(unknown(CHAT, inFile(legacy, '')));
  for (const folder of [user, ...dotted, ...more])
    for (const [name, kind] of MARKDOWN)
      for (const path of await reader.list(join(folder, name), '.md')) {
        const { model } = frontMatter((await reader.text(path)) ?? '');
        if (model !== undefined && model !== null)
          markdown.push(routeOf(`${kind} "${basename(path, '.md')}"`, model, path, 'model', own));
      }
  return { layers, markdown };
}

function layerRoutes(layers: readonly Layer[], own: string, { expected: { baseUrl } }: RouteContext): readonly Route[] {
  const routes: Route[] = [];
  const last = (path: readonly string[]) => layers.findLast(({ value }) => valueAt(value, path) !== undefined);
  for (const [name, prompts] of MODELS) {
    const layer = last([name]);
    // Without a small model, a small model of the same provider is used, or else the model itself.
    if (layer !== undefined) routes.push(routeOf(prompts, layer.value[name], layer.path, name, own));
    else if (name === 'model')
      routes.push(elsewhere(prompts, 'another provider', inFile(own, name), { kind: 'connect' }));
  }
  for (const [group, kind] of GROUPS) {
    const names = new Set(layers.flatMap(({ value }) => Object.keys(fieldsOf(value[group]))));
    for (const name of names) {
      const layer = last([group, name, 'model']);
      if (layer === undefined || valueAt(last([group, name, 'disable'])?.value, [group, name, 'disable']) === true)
        continue;
      const model = valueAt(layer.value, [group, name, 'model']);
      if (model !== null) routes.push(routeOf(`${kind} "${name}"`, model, layer.path, `${group}.${name}.model`, own));
    }
  }
  const address = ['provider', PROVIDER, 'options', 'baseURL'];
  const layer = last(address);
  const url = valueAt(layer?.value, address);
  if (layer !== undefined && url !== baseUrl)
    routes.push(elsewhere(CHAT, addressOf(url), inFile(layer.path, address.join('.')), remedyIn(layer.path, own)));
  const others = layers.find(
    ({ path, value }) => path !== own && path !== layer?.path && valueAt(value, ['provider', PROVIDER]) !== undefined,
  );
  if (others !== undefined) routes.push(unknown(CHAT, inFile(others.path, `provider.${PROVIDER}`)));
  for (const { path, value } of layers) {
    const { disabled_providers: disabled, enabled_providers: enabled } = value;
    if (Array.isArray(disabled) && disabled.includes(PROVIDER))
      routes.push(unknown(CHAT, inFile(path, 'disabled_providers')));
    if (Array.isArray(enabled) && !enabled.includes(PROVIDER))
      routes.push(unknown(CHAT, inFile(path, 'enabled_providers')));
  }
  const share = last(['share']);
  const autoshare = last(['autoshare']);
  if (share?.value['share'] === 'auto') routes.push(shared(inFile(share.path, 'share')));
  else if (share === undefined && autoshare?.value['autoshare'] === true)
    routes.push(shared(inFile(autoshare.path, 'autoshare')));
  const indexing = last(['indexing', 'enabled']);
  if (indexing !== undefined && valueAt(indexing.value, ['indexing', 'enabled']) === true)
    routes.push(unknown('The index of your code', inFile(indexing.path, 'indexing.enabled')));
  return routes;
}

/** Its file depends on the folder in which it is started. */
function relativeRoutes({ variables }: Program, start: Variables): readonly Route[] {
  return [`${variables}_CONFIG`, `${variables}_CONFIG_DIR`].flatMap((name) => {
    const found = start.get(name);
    return found === undefined || found.value === '' || isAbsolute(found.value) ? [] : [unknown(CHAT, found.source)];
  });
}

/** Traces have prompts in them. They are only sent if a variable names a collector. */
function telemetryRoutes(layers: readonly Layer[], start: Variables): readonly Route[] {
  const path = ['experimental', 'openTelemetry'];
  const layer = layers.findLast(({ value }) => valueAt(value, path) !== undefined);
  const endpoint = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
    .map((name) => start.get(name)?.value ?? '')
    .find((value) => value !== '');
  if (layer === undefined || valueAt(layer.value, path) !== true || endpoint === undefined) return [];
  return [elsewhere('Prompts in telemetry', addressOf(endpoint), inFile(layer.path, path.join('.')))];
}

/** What depends on the user's accounts and on what was selected before. */
async function accountRoutes(
  { data, variables }: Program,
  { reader, userPath }: RouteContext,
  start: Variables,
): Promise<readonly Route[]> {
  const routes: Route[] = [];
  const parse = (text: string) => asObject(readJson(text, 'json'));
  const folder = (name: string, variable: string) =>
    join(start.get(variable)?.value || userPath(`.local/${name}`), data);
  const [auth] = await reader.layers([join(folder('share', 'XDG_DATA_HOME'), 'auth.json')], parse);
  for (const [name, value] of Object.entries(auth?.value ?? {}))
    if (fieldsOf(value)['type'] === 'wellknown') routes.push(unknown(CHAT, inFile(auth?.path ?? '', addressOf(name))));
  // Kilo Code sends the sessions of a signed-in user to its own service, and completes code with its own models.
  if (auth?.value['kilo'] !== undefined && variables === 'KILO')
    routes.push(unknown('Sessions and completions of your Kilo account', inFile(auth.path, 'kilo')));
  const [state] = await reader.layers([join(folder('state', 'XDG_STATE_HOME'), 'model.json')], parse);
  for (const [agent, value] of Object.entries(fieldsOf(state?.value['model']))) {
    const { providerID } = fieldsOf(value);
    if (state !== undefined && typeof providerID === 'string' && providerID !== PROVIDER)
      routes.push(elsewhere(`The agent "${agent}"`, providerID, inFile(state.path, `model.${agent}`)));
  }
  const share = start.get(`${variables}_AUTO_SHARE`);
  if (share !== undefined && isSet(share.value)) routes.push(shared(share.source));
  return routes;
}

function routeOf(prompts: string, model: unknown, path: string, name: string, own: string): Route {
  if (isOurModel(model)) return sealed(prompts);
  return elsewhere(prompts, providerOf(model), inFile(path, name), remedyIn(path, own));
}

function shared(source: Parameters<typeof elsewhere>[2]): Route {
  return elsewhere('Shared sessions', 'its own web site', source);
}

function isSet(value: string): boolean {
  return /^(?:1|true)$/i.test(value);
}
