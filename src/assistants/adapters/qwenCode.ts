import { basename, dirname, join } from 'node:path';
import { fieldsOf } from '../../shared/json.ts';
import { valueAt } from '../formats/format.ts';
import type { Path, Setting } from '../formats/format.ts';
import { jsonWithComments, jsonc } from '../formats/json.ts';
import { foldersUpTo, lastWith } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { hookRoutes, markdownHookRoutes } from '../judging/hooks.ts';
import { proxiedRoute, withExceptions } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import type { Route } from '../judging/judgement.ts';
import { CHAT, addressOf, elsewhere, inFile, off, sealed, systemFolder, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import type { Environment } from '../judging/surroundings.ts';
import { overlay, parseDotEnv, withFile } from '../judging/variables.ts';
import type { Variable, Variables } from '../judging/variables.ts';
import type { Assistant } from './assistant.ts';
import { fileAssistant } from './fileAssistant.ts';

/** The variable with the key of our entry. It also identifies our entry. */
const KEY_NAME = 'SEALED_PROXY_KEY';
const KEY = ['env', KEY_NAME];
const LIST = ['modelProviders', 'openai'];
const SELECTED = ['model', 'name'];
/** Which of several entries for the same model is used. Without it, the first one. */
const ADDRESS = ['model', 'baseUrl'];
const TYPE = ['security', 'auth', 'selectedType'];
/** A variable of the shell takes precedence over that of the file, and the second one over the first. */
const NO_PROXY = ['NO_PROXY', 'no_proxy'];

export const qwenCode: Assistant = fileAssistant({
  id: 'qwen-code',
  name: 'Qwen Code',
  next: 'Restart Qwen Code to use it.',
  command: 'qwen',
  folders: ['.qwen'],
  files: ['.qwen/settings.json'],
  moves: [{ variable: 'QWEN_HOME', folder: '.qwen' }],
  routes: qwenCodeRoutes,
  format: jsonWithComments,
  read: (value) => {
    const selected = valueAt(value, SELECTED);
    const { ours } = find(value);
    if (ours === undefined) return { selected };
    const { baseUrl, id } = fieldsOf(ours);
    return { entry: { baseUrl, key: valueAt(value, KEY), model: id }, selected };
  },
  managed: (value) => {
    const { index, ours } = find(value);
    const isSelected = ours !== undefined && valueAt(value, SELECTED) === fieldsOf(ours)['id'];
    return [
      [...LIST, index],
      KEY,
      ...(isSelected ? [SELECTED] : []),
      ...(isSelected && valueAt(value, ADDRESS) === fieldsOf(ours)['baseUrl'] ? [ADDRESS] : []),
      ...(isSelected && valueAt(value, TYPE) === 'openai' ? [TYPE] : []),
      ...NO_PROXY.map((name) => ['env', name]),
      ...SIDE_MODELS.map(([path]) => path).filter((path) =>
        isOurSideModel(valueAt(value, path), [fieldsOf(ours)['id']]),
      ),
    ];
  },
  settings: (value, { baseUrl, key, model: { id, limits }, environment = {} }) => {
    const { known, index, ours } = find(value);
    // Without limits, Qwen Code guesses them from the model's name. The user's own limits stay until the model changes.
    const generationConfig = limits && {
      contextWindowSize: limits.contextWindow,
      samplingParams: { max_tokens: limits.maxOutput },
    };
    const isNew = fieldsOf(ours)['id'] !== id;
    const entry = { id, name: id, envKey: KEY_NAME, baseUrl, ...(isNew && generationConfig && { generationConfig }) };
    return [
      { path: TYPE, value: 'openai' },
      { path: KEY, value: key },
      ...entrySettings(known, index, entry),
      { path: SELECTED, value: id },
      ...(needsAddress(value, id) ? [{ path: ADDRESS, value: baseUrl }] : []),
      ...otherSideModels(value, id),
      ...NO_PROXY.map((name) => ({ path: ['env', name], value: noProxy(value, name, environment) })),
    ];
  },
});

/** Qwen Code uses the first entry for a model. */
function entrySettings(
  known: readonly unknown[] | undefined,
  index: number,
  entry: { readonly id: string },
): readonly Setting[] {
  if (known === undefined) return [{ path: LIST, value: [entry] }];
  const isKnown = index !== -1;
  const others = isKnown ? known.slice(0, index) : known;
  if (others.every((other) => fieldsOf(other)['id'] !== entry.id))
    return [{ path: [...LIST, isKnown ? index : known.length], value: entry }];
  return [
    ...(isKnown ? [{ path: [...LIST, index], value: undefined }] : []),
    { path: LIST, value: { ...fieldsOf(known[index]), ...entry }, isFirst: true },
  ];
}

/** Whether Qwen Code may use an entry for the model that is not from us: the one selected before, or one of another list. */
function needsAddress(value: unknown, id: string): boolean {
  if (valueAt(value, ADDRESS) !== undefined) return true;
  return Object.entries(fieldsOf(fieldsOf(value)['modelProviders'])).some(
    ([provider, list]) =>
      provider !== 'openai' && Array.isArray(list) && list.some((entry) => fieldsOf(entry)['id'] === id),
  );
}

/** The models of single tasks that are not ours. Ours cannot make images or understand speech. */
function otherSideModels(value: unknown, id: string): readonly Setting[] {
  return SIDE_MODELS.flatMap(([path]) => {
    const current = valueAt(value, path);
    if (isOurSideModel(current, [id])) return [];
    const name = String(path.at(-1));
    return [{ path, value: name === 'imageModel' || name === 'voiceModel' ? '' : id }];
  });
}

/** The user's exceptions and our address. */
function noProxy(value: unknown, name: string, shell: Environment): string {
  const known = [valueAt(value, ['env', name]), shell[name], shell['no_proxy'], shell['NO_PROXY']];
  const list = known.find((each) => typeof each === 'string' && each.trim() !== '');
  return withExceptions(typeof list === 'string' ? list : '');
}

/** The list of models, if there is one, and our entry in it. */
function find(value: unknown) {
  const list = valueAt(value, LIST);
  const known: readonly unknown[] | undefined = Array.isArray(list) ? list : undefined;
  const index = known?.findIndex((entry) => fieldsOf(entry)['envKey'] === KEY_NAME) ?? -1;
  return { known, index, ours: known?.[index] };
}

/** The first of its setting `proxy` and these variables is used for every address, of either protocol. */
const PROXIES: ProxyRule = {
  used: ['HTTPS_PROXY', 'HTTP_PROXY'],
  doubtful: ['ALL_PROXY'],
  wildcard: false,
  preferred: 'no_proxy',
  emptyWins: true,
};
const LISTS = ['modelProviders'];

/** The models for single tasks, and which prompts go to them. Without one, the model for the chat is used. */
const SIDE_MODELS: readonly (readonly [path: Path, prompts: string])[] = [
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
function isOurSideModel(value: unknown, ids: readonly unknown[]): boolean {
  if (value === undefined || value === '' || value === 'inherit' || value === 'fast') return true;
  return (
    typeof value === 'string' && value.split(',').every((each) => ids.includes(each.trim().replace(/^openai:/, '')))
  );
}

/** Where its prompts go. Checked in version 0.24.4. */
async function qwenCodeRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { starts, projects, reader, own } = context;
  const routes: Route[] = [];
  for (const folder of projects) {
    const outer = folder === undefined ? [] : await foldersUpTo(folder);
    const folders = [dirname(own), ...outer.map((each) => join(each, '.qwen'))];
    const markdownHooks = await markdownHookRoutes(reader, folders);
    for (const start of starts) {
      const layers = await readLayers(context, start, folder);
      let variables: Variables = new Map();
      for (const { path, value } of layers) variables = withFile(variables, value['env'], path, 'env.', own);
      // The shell takes precedence over all files, and `.env` over settings; also with an empty value.
      variables = overlay(overlay(variables, await readDotEnv(context, folder)), start);
      const found = [...layerRoutes(layers, variables, context), ...hookRoutes(layers), ...markdownHooks];
      for (const each of folders)
        for (const agent of await reader.heads(await reader.list(join(each, 'agents'), '.md')))
          found.push(...agentRoutes(agent, layers, context));
      routes.push(...through(proxyRoute(layers, variables, context), found));
    }
  }
  return routes;
}

/** In the order in which they are read: the last one takes precedence. */
async function readLayers(
  { reader, surroundings, own }: RouteContext,
  start: Variables,
  folder: string | undefined,
): Promise<readonly Layer[]> {
  const organization = systemFolder(surroundings, {
    darwin: 'Library/Application Support/QwenCode',
    win32: 'ProgramData/qwen-code',
    other: 'etc/qwen-code',
  });
  const settings = start.get('QWEN_CODE_SYSTEM_SETTINGS_PATH')?.value ?? join(organization, 'settings.json');
  const defaults =
    start.get('QWEN_CODE_SYSTEM_DEFAULTS_PATH')?.value ?? join(dirname(settings), 'system-defaults.json');
  const project = folder === undefined ? [] : [join(folder, '.qwen/settings.json')];
  return reader.layers([defaults, own, ...project, settings], jsonc);
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
  const last = (path: Path) => lastWith(layers, path);
  const entries = entriesIn(layers);
  const lists = [...new Set(entries.map(({ layer }) => layer))];
  const ids = ourModels(entries, expected.baseUrl);
  const selected = last(SELECTED);
  const model = selected?.value;
  const address = last(ADDRESS);
  const used = usedEntry(entries, model, address?.value);
  const type = last(TYPE);
  if (type === undefined) routes.push(unknown(CHAT, inFile(own, TYPE.join('.'), own)));
  else if (type.value !== 'openai')
    routes.push(elsewhere(CHAT, String(type.value), inFile(type.path, TYPE.join('.'), own)));
  else if (used?.fields['baseUrl'] !== expected.baseUrl) {
    // Qwen Code may use an entry for the same model that is not from us.
    const isShadowed = entries.some(({ fields }) => fields['id'] === model && fields['baseUrl'] === expected.baseUrl);
    const isNamed = address !== undefined && used?.fields['baseUrl'] === address.value;
    const [layer, name] = !isShadowed
      ? [selected, SELECTED]
      : isNamed
        ? [address, ADDRESS]
        : [used?.layer, used?.list ?? LISTS];
    routes.push(elsewhere(CHAT, recipientOf(model, used), inFile(layer?.path ?? own, name.join('.'), own)));
  } else if (lists.some(({ path }) => path !== own)) {
    routes.push(unknown(CHAT, inFile(lists.find(({ path }) => path !== own)?.path ?? own, LISTS.join('.'))));
  } else {
    routes.push(sealed(CHAT));
  }
  const key = variables.get(KEY_NAME);
  if (key !== undefined && key.value !== expected.key) routes.push(unknown(CHAT, key));
  for (const [path, prompts] of SIDE_MODELS) {
    const side = last(path);
    if (side === undefined || side.value === '') continue;
    const recipient = recipientOf(side.value, usedEntry(entries, side.value));
    const isOurs = isOurSideModel(side.value, ids);
    routes.push(isOurs ? sealed(prompts) : elsewhere(prompts, recipient, inFile(side.path, path.join('.'), own)));
  }
  routes.push(telemetryRoute(layers, variables));
  return routes;
}

/** Variables take precedence over settings. Without prompts, it still sends the arguments of tools. */
function telemetryRoute(layers: readonly Layer[], variables: Variables): Route {
  const setting = (name: string) => lastWith(layers, ['telemetry', name]);
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
  return elsewhere(prompts, recipient, switched ?? inFile(setting('enabled')?.path ?? '', 'telemetry.enabled'));
}

function agentRoutes({ path, value }: Layer, layers: readonly Layer[], { expected }: RouteContext): readonly Route[] {
  const { name, model: own, modelConfig } = value;
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
  if (layer === undefined) return proxiedRoute(variables, PROXIES, baseUrl);
  const { source } = inFile(layer.path, 'proxy');
  // Like a variable, it does not apply to the exceptions in NO_PROXY.
  const all = overlay(variables, [['HTTPS_PROXY', { value: String(layer.value['proxy']), source }]]);
  return proxiedRoute(all, PROXIES, baseUrl, layer.path === own ? { kind: 'open', source } : undefined);
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
