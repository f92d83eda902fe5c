// Where the prompts of Qwen Code go. Checked in version 0.24.4.
import { basename, dirname, join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { readJson, valueAt } from '../files/jsonEdit.ts';
import type { Path } from '../files/jsonEdit.ts';
import type { Route } from '../judgement.ts';
import { foldersUpTo, frontMatter } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { hookRoutes, markdownHookRoutes } from '../judging/hooks.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import { CHAT, addressOf, elsewhere, inFile, off, remedyIn, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { overlay, parseDotEnv, startVariables, withFile } from '../judging/variables.ts';
import type { Variable, Variables } from '../judging/variables.ts';

/** The first of its setting `proxy` and these variables is used for every address, of either protocol. */
const PROXIES: ProxyRule = {
  used: ['HTTPS_PROXY', 'HTTP_PROXY'],
  doubtful: ['ALL_PROXY'],
  wildcard: false,
  preferred: 'no_proxy',
  emptyWins: true,
};
const SELECTED = ['model', 'name'];
/** Which of several entries for the selected model is used: the one with this base URL, or else the first one. */
const ADDRESS = ['model', 'baseUrl'];
const TYPE = ['security', 'auth', 'selectedType'];
const LISTS = ['modelProviders'];
const KEY_NAME = 'SEALED_PROXY_KEY';

/** The models for single tasks, and which prompts go to them. Without one, the model for the chat is used. */
export const SIDE_MODELS: readonly (readonly [path: Path, prompts: string])[] = [
  [['fastModel'], 'Suggestions'],
  [['advisorModel'], 'The advisor'],
  [['compactionModel'], 'Summaries'],
  [['visionModel'], 'Images in prompts'],
  [['imageModel'], 'Made images'],
  [['voiceModel'], 'Dictation'],
  [['modelFallbacks'], 'Fallbacks'],
  [['agents', 'builtin', 'exploreModel'], 'The agent "Explore"'],
];

/** Whether a model for a task names one of our models, or stands for one that is judged by itself. */
export function isOurSideModel(value: unknown, ids: readonly unknown[]): boolean {
  if (value === undefined || value === '' || value === 'inherit' || value === 'fast') return true;
  return (
    typeof value === 'string' && value.split(',').every((each) => ids.includes(each.trim().replace(/^openai:/, '')))
  );
}

export async function qwenCodeRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, reader, own } = context;
  const projects = surroundings.folders.length === 0 ? [undefined] : surroundings.folders;
  const routes: Route[] = [];
  for (const folder of projects) {
    const outer = folder === undefined ? [] : await foldersUpTo(folder);
    const folders = [dirname(own), ...outer.map((each) => join(each, '.qwen'))];
    const markdownHooks = await markdownHookRoutes(reader, folders);
    for (const start of startVariables(surroundings)) {
      const layers = await readLayers(context, start, folder);
      let variables: Variables = new Map();
      for (const { path, value } of layers)
        variables = withFile(variables, value['env'], path, 'env.', remedyIn(path, own));
      // The shell takes precedence over all files, and `.env` over settings; also with an empty value.
      variables = overlay(overlay(variables, await readDotEnv(context, folder)), start);
      const found = [...layerRoutes(layers, variables, context), ...hookRoutes(layers), ...markdownHooks];
      for (const each of folders)
        for (const path of await reader.list(join(each, 'agents'), '.md'))
          found.push(...(await agentRoute(path, layers, context)));
      routes.push(...through(proxyRoute(layers, variables, context), found));
    }
  }
  return routes;
}

/** In the order in which they are read: the last one takes precedence. */
async function readLayers(
  { reader, surroundings: { platform, system }, own }: RouteContext,
  start: Variables,
  folder: string | undefined,
): Promise<readonly Layer[]> {
  const organization =
    platform === 'darwin'
      ? 'Library/Application Support/QwenCode'
      : platform === 'win32'
        ? 'ProgramData/qwen-code'
        : 'etc/qwen-code';
  const settings = start.get('QWEN_CODE_SYSTEM_SETTINGS_PATH')?.value ?? join(system, organization, 'settings.json');
  const defaults =
    start.get('QWEN_CODE_SYSTEM_DEFAULTS_PATH')?.value ?? join(dirname(settings), 'system-defaults.json');
  const project = folder === undefined ? [] : [join(folder, '.qwen/settings.json')];
  return reader.layers([defaults, own, ...project, settings], (text) => asObject(readJson(text, 'jsonc')));
}

/** The variables of the nearest `.env` file in or around a project, then those of the user's. */
async function readDotEnv({ reader, userPath, own }: RouteContext, folder: string | undefined): Promise<Variables> {
  const home = userPath('');
  const pathsIn = (place: string) => [join(place, '.qwen/.env'), join(place, '.env')];
  const user = new Set([join(dirname(own), '.env'), ...pathsIn(home)]);
  let variables: Variables = new Map();
  const add = async (path: string) => {
    const text = await reader.text(path);
    if (text !== undefined) variables = overlay(withFile(new Map(), parseDotEnv(text), path, ''), variables);
    return text !== undefined;
  };
  nearest: for (let place = folder; place !== undefined && place !== home; place = parentOf(place))
    for (const path of pathsIn(place)) if (await add(path)) break nearest;
  for (const path of user) await add(path);
  return variables;
}

function parentOf(folder: string): string | undefined {
  const parent = dirname(folder);
  return parent === folder ? undefined : parent;
}

function layerRoutes(layers: readonly Layer[], variables: Variables, context: RouteContext): readonly Route[] {
  const { expected, own } = context;
  const routes: Route[] = [];
  const last = (path: Path) => layers.findLast(({ value }) => valueAt(value, path) !== undefined);
  const entries = entriesIn(layers);
  const lists = [...new Set(entries.map(({ layer }) => layer))];
  const ids = ourModels(entries, expected.baseUrl);
  const selected = last(SELECTED);
  const model = valueAt(selected?.value, SELECTED);
  const address = last(ADDRESS);
  const used = usedEntry(entries, model, valueAt(address?.value, ADDRESS));
  const type = last(TYPE);
  const chosenType = valueAt(type?.value, TYPE);
  if (type === undefined) routes.push(unknown(CHAT, inFile(own, TYPE.join('.')), { kind: 'connect' }));
  else if (chosenType !== 'openai')
    routes.push(elsewhere(CHAT, String(chosenType), inFile(type.path, TYPE.join('.')), remedyIn(type.path, own)));
  else if (used?.fields['baseUrl'] !== expected.baseUrl) {
    // Another entry for the same model may be used in the place of ours.
    const isShadowed = entries.some(({ fields }) => fields['id'] === model && fields['baseUrl'] === expected.baseUrl);
    const isNamed = address !== undefined && used?.fields['baseUrl'] === valueAt(address.value, ADDRESS);
    const [layer, name] = !isShadowed
      ? [selected, SELECTED]
      : isNamed
        ? [address, ADDRESS]
        : [used?.layer, used?.list ?? LISTS];
    const path = layer?.path ?? own;
    routes.push(elsewhere(CHAT, recipientOf(model, used), inFile(path, name.join('.')), remedyIn(path, own)));
  } else if (lists.some(({ path }) => path !== own)) {
    routes.push(unknown(CHAT, inFile(lists.find(({ path }) => path !== own)?.path ?? own, LISTS.join('.'))));
  } else {
    routes.push(sealed(CHAT));
  }
  const key = variables.get(KEY_NAME);
  if (key !== undefined && key.value !== expected.key) routes.push(unknown(CHAT, key.source, key.remedy));
  for (const [path, prompts] of SIDE_MODELS) {
    const layer = last(path);
    const value = valueAt(layer?.value, path);
    if (layer === undefined || value === '') continue;
    const source = inFile(layer.path, path.join('.'));
    if (isOurSideModel(value, ids)) routes.push(sealed(prompts));
    else
      routes.push(elsewhere(prompts, recipientOf(value, usedEntry(entries, value)), source, remedyIn(layer.path, own)));
  }
  routes.push(telemetryRoute(layers, variables));
  return routes;
}

/** Variables take precedence over settings. Without prompts, it still sends the arguments of tools. */
function telemetryRoute(layers: readonly Layer[], variables: Variables): Route {
  const setting = (name: string) => {
    const layer = layers.findLast(({ value }) => valueAt(value, ['telemetry', name]) !== undefined);
    return layer && { path: layer.path, value: valueAt(layer.value, ['telemetry', name]) };
  };
  const variable = (...names: readonly string[]) =>
    names.map((name) => variables.get(name)).find((each) => each !== undefined);
  const isOn = (name: string, by: Variable | undefined) =>
    by === undefined ? setting(name)?.value : /^(?:true|1)$/.test(by.value);
  const switched = variable('QWEN_TELEMETRY_ENABLED');
  const outfile = variable('QWEN_TELEMETRY_OUTFILE')?.value ?? setting('outfile')?.value ?? '';
  // With a file, nothing is sent. The target does not decide that.
  if (!isOn('enabled', switched) || outfile !== '') return off('Prompts in telemetry');
  const logged = isOn('logPrompts', variable('QWEN_TELEMETRY_LOG_PROMPTS')) !== false;
  const prompts = logged ? 'Prompts in telemetry' : 'Arguments of tools in telemetry';
  const endpoint =
    variable(
      ...['LOGS_ENDPOINT', 'ENDPOINT'].flatMap((name) => [`QWEN_TELEMETRY_OTLP_${name}`, `OTEL_EXPORTER_OTLP_${name}`]),
    )?.value ??
    setting('otlpLogsEndpoint')?.value ??
    setting('otlpEndpoint')?.value;
  const recipient = endpoint === undefined ? 'the collector of its telemetry' : addressOf(endpoint);
  const source = switched?.source ?? inFile(setting('enabled')?.path ?? '', 'telemetry.enabled');
  return elsewhere(prompts, recipient, source, switched?.remedy);
}

async function agentRoute(path: string, layers: readonly Layer[], { reader, expected }: RouteContext) {
  const text = (await reader.text(path)) ?? '';
  const { name, model: own, modelConfig } = frontMatter(text);
  const prompts = `The agent "${typeof name === 'string' ? name : basename(path, '.md')}"`;
  const ids = ourModels(entriesIn(layers), expected.baseUrl);
  const models = [['model', own] as const, ['modelConfig.model', fieldsOf(modelConfig)['model']] as const];
  return models.flatMap(([place, model]) => {
    if (model === undefined || model === null) return [];
    return [
      isOurSideModel(model, ids)
        ? sealed(prompts)
        : elsewhere(prompts, typeof model === 'string' ? model : JSON.stringify(model), inFile(path, place)),
    ];
  });
}

function proxyRoute(layers: readonly Layer[], variables: Variables, { own, expected: { baseUrl } }: RouteContext) {
  const layer = layers.findLast(({ value }) => typeof value['proxy'] === 'string' && value['proxy'] !== '');
  const set = layer && {
    value: String(layer.value['proxy']),
    source: inFile(layer.path, 'proxy'),
  };
  // Like a variable, it does not apply to the exceptions in NO_PROXY.
  const all: Variables = set === undefined ? variables : overlay(variables, [['HTTPS_PROXY', set]]);
  return proxiedRoute(
    all,
    PROXIES,
    baseUrl,
    layer?.path === own ? { kind: 'open', source: inFile(own, 'proxy') } : undefined,
  );
}

/** An entry of a list of models. */
interface Entry {
  readonly layer: Layer;
  readonly list: Path;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly protocol: unknown;
}

/** The entries of all lists whose models are reached with the protocols of OpenAI, in their order. */
function entriesIn(layers: readonly Layer[]): readonly Entry[] {
  const protocols = Object.assign({}, ...layers.map(({ value }) => fieldsOf(value['providerProtocol']))) as object;
  return layers.flatMap((layer) =>
    Object.entries(fieldsOf(valueAt(layer.value, LISTS))).flatMap(([provider, list]) => {
      const protocol = valueAt(protocols, [provider]) ?? provider;
      if (protocol !== 'openai' && protocol !== 'openai-responses') return [];
      return asList(list).map((item): Entry => {
        const fields = fieldsOf(item);
        const { wireApi } = fields;
        const own = wireApi === undefined ? protocol : wireApi === 'responses' ? 'openai-responses' : 'openai';
        return { layer, list: [...LISTS, provider], fields, protocol: own };
      });
    }),
  );
}

/** The entry for a model that is used: first one with this address, then one with the protocol that is selected. */
function usedEntry(entries: readonly Entry[], model: unknown, address?: unknown): Entry | undefined {
  const named = entries.filter(({ fields }) => fields['id'] === model);
  const exact = named.filter(({ fields }) => fields['baseUrl'] === address);
  const candidates = address === undefined || exact.length === 0 ? named : exact;
  return candidates.find(({ protocol }) => protocol === 'openai') ?? candidates[0];
}

/** The models whose entry is ours if nothing names its address. One without an address takes precedence then. */
function ourModels(entries: readonly Entry[], baseUrl: string): readonly unknown[] {
  return [...new Set(entries.map(({ fields }) => fields['id']))].filter(
    (id) =>
      usedEntry(entries, id)?.fields['baseUrl'] === baseUrl &&
      !entries.some(({ fields }) => fields['id'] === id && !fields['baseUrl']),
  );
}

function recipientOf(model: unknown, entry: Entry | undefined): string {
  const { baseUrl } = entry?.fields ?? {};
  return baseUrl === undefined ? (typeof model === 'string' ? model : 'another model') : addressOf(baseUrl);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
