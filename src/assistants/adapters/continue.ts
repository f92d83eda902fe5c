// Continue: https://docs.continue.dev/reference.
import { basename, dirname, join } from 'node:path';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf } from '../../shared/json.ts';
import type { Path } from '../formats/format.ts';
import { json } from '../formats/json.ts';
import { yaml } from '../formats/yaml.ts';
import { EXCEPTIONS, proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import type { Route } from '../judging/judgement.ts';
import { CHAT, addressOf, elsewhere, inFile, off, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { overlay } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';
import type { Assistant, AssistantEndpoint } from './assistant.ts';
import { fileAssistant } from './fileAssistant.ts';

const NAME = 'Sealed Proxy';
const LIST = 'models';
/** Of a new file. */
const HEAD = { name: 'Local Assistant', version: '0.0.1', schema: 'v1' };

export const continueDev: Assistant = fileAssistant({
  id: 'continue',
  name: 'Continue',
  next: 'Select "Sealed Proxy" in its list of models.',
  extension: 'Continue.continue',
  folders: ['.continue'],
  files: ['.continue/config.yaml'],
  moves: [{ variable: 'CONTINUE_GLOBAL_DIR', folder: '.continue' }],
  shadowed: '.continue/config.json',
  routes: continueRoutes,
  format: yaml,
  read: (value) => {
    const { models, index } = find(value);
    const selected = fieldsOf(models[0])['name'];
    if (index === -1) return { selected };
    const { apiBase, apiKey, model } = fieldsOf(models[index]);
    return { entry: { baseUrl: apiBase, key: apiKey, model }, selected };
  },
  managed: (value) => {
    const { index } = find(value);
    return index === -1 ? [] : [[LIST, index]];
  },
  remains: { [LIST]: [] },
  settings: (value, endpoint) => {
    const { index } = find(value);
    if (index !== -1) return settingsOf([LIST, index], valuesFor(endpoint));
    const isNew = Object.keys(fieldsOf(value)).length === 0;
    // The first model is used unless the user has selected another one.
    const label = `the model ${endpoint.model.id} as "${NAME}"`;
    return [...(isNew ? settingsOf([], HEAD) : []), { path: [LIST], value: entryFor(endpoint), isFirst: true, label }];
  },
});

function settingsOf(path: Path, values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([name, value]) => ({ path: [...path, name], value }));
}

/** The values that depend on the endpoint. */
function valuesFor({ baseUrl, key, model }: AssistantEndpoint) {
  return { model: model.id, apiBase: baseUrl, apiKey: key };
}

function entryFor(endpoint: AssistantEndpoint) {
  const { limits } = endpoint.model;
  return {
    name: NAME,
    provider: 'openai',
    ...valuesFor(endpoint),
    roles: ['chat', 'edit', 'apply', 'summarize'],
    capabilities: ['tool_use'],
    requestOptions: { noProxy: [...EXCEPTIONS] },
    ...(limits && {
      defaultCompletionOptions: { contextLength: limits.contextWindow, maxTokens: limits.maxOutput },
    }),
  };
}

/** The list of models, and the index of the entry that has our key: names are not unique. */
function find(value: unknown) {
  const list = fieldsOf(value)[LIST];
  const models: readonly unknown[] = Array.isArray(list) ? list : [];
  return { models, index: models.findIndex((entry) => isAccessKey(fieldsOf(entry)['apiKey'])) };
}

const PROXIES: ProxyRule = {
  used: ['HTTP_PROXY'],
  doubtful: ['HTTPS_PROXY', 'ALL_PROXY'],
  wildcard: false,
  preferred: 'NO_PROXY',
};
/** What Continue uses a model for, and which prompts these are. */
const ROLES = [
  ['chat', CHAT],
  ['edit', 'Edits'],
  ['apply', 'Applied changes'],
  ['summarize', 'Summaries'],
  ['autocomplete', 'Completions'],
  ['embed', 'The index of your code'],
  ['rerank', 'The ranking of search results'],
] as const;
/** Those of a model that names none. */
const DEFAULT_ROLES: readonly unknown[] = ['chat', 'edit', 'apply', 'summarize'];

/** Where its prompts go. Checked in its command line 1.5.47. */
async function continueRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { starts, projects, reader, own, userPath, expected } = context;
  const [layer] = await reader.layers([own], yaml);
  const state = join(userPath('.continue'), 'index/globalContext.json');
  const [known] = await reader.layers([state], json);
  const models = asList(layer?.value['models']).map(fieldsOf);
  const routes = ROLES.flatMap(([role, prompts]) =>
    roleRoutes(role, prompts, models, fieldsOf(known?.value), context, state),
  );
  // The options of the complete file have no effect on ours.
  const requests = models.filter(isSealed).map((each) => fieldsOf(each['requestOptions']));
  const proxy = requests.map((each) => each['proxy']).find((each) => typeof each === 'string' && each !== '');
  if (proxy !== undefined) routes.push(elsewhere('All prompts', addressOf(proxy), inFile(own, 'requestOptions.proxy')));
  for (const entry of asList(layer?.value['data']).map(fieldsOf)) {
    const { destination } = entry;
    if (typeof destination === 'string' && /^https?:/.test(destination))
      routes.push(elsewhere('Development data', addressOf(destination), inFile(own, 'data')));
    else if (destination === undefined) routes.push(unknown('Development data', inFile(own, 'data')));
  }
  routes.push(...(await otherAssistants(context)));
  const profiles = Object.values(fieldsOf(known?.value['lastSelectedProfileForWorkspace']));
  if (profiles.some((id) => typeof id === 'string' && id !== 'local'))
    routes.push(unknown('Another assistant selected in Continue', inFile(state, 'lastSelectedProfileForWorkspace')));
  const exempt = models.filter(isSealed).every((each) => {
    const { noProxy } = fieldsOf(each['requestOptions']);
    return Array.isArray(noProxy) && noProxy.includes('127.0.0.1');
  });
  // Its command line also reads the file of the current folder.
  const proxiedIn = async (folder: string | undefined) => {
    const written: Variables = folder === undefined ? new Map() : await reader.dotEnv(join(folder, '.env'));
    return starts.map((start) => proxiedRoute(overlay(written, start), PROXIES, expected.baseUrl, { kind: 'connect' }));
  };
  const proxied = (await Promise.all(projects.map(proxiedIn))).flat();
  return proxied.flatMap((route) => through(exempt ? undefined : route, routes));
}

/** An entry of the list of models. */
type Model = Readonly<Record<string, unknown>>;

function isSealed(model: Model): boolean {
  return isAccessKey(model['apiKey']);
}

function roleRoutes(
  role: string,
  prompts: string,
  models: readonly Model[],
  state: Readonly<Record<string, unknown>>,
  { own, expected: { baseUrl, key } }: RouteContext,
  statePath: string,
): Route[] {
  const isOfHub = ({ uses, override, roles }: Model) =>
    uses !== undefined && override === undefined && roles === undefined;
  if (DEFAULT_ROLES.includes(role) && models.some(isOfHub)) return [unknown(prompts, inFile(own, 'models'))];
  const able = models.filter((model) => {
    const roles = asList(model['roles'] ?? fieldsOf(model['override'])['roles'] ?? DEFAULT_ROLES);
    return roles.includes(role);
  });
  const [first] = able;
  // Code is indexed with a model inside Continue, and a summary is made with the model for the chat.
  if (first === undefined) return role === 'chat' ? [unknown(prompts, inFile(own, 'models'))] : [off(prompts)];
  const title = fieldsOf(fieldsOf(state['selectedModelsByProfileId'])['local'])[role];
  const selected = able.find(({ name }) => name === title);
  const inUse = selected ?? first;
  const { source } =
    selected === undefined ? inFile(own, `models: ${role}`) : inFile(statePath, 'selectedModelsByProfileId');
  if (inUse['apiBase'] === baseUrl && inUse['apiKey'] === key) return [sealed(prompts)];
  const recipient =
    inUse['apiBase'] === undefined ? String(inUse['provider'] ?? inUse['name']) : addressOf(inUse['apiBase']);
  return [elsewhere(prompts, recipient, { source, remedy: { kind: 'open', source: inFile(own, 'models').source } })];
}

/** Complete configurations and single models beside ours, which can be selected in Continue or are added to it. */
async function otherAssistants({ reader, surroundings, userPath }: RouteContext): Promise<readonly Route[]> {
  const folders = [userPath('.continue'), ...surroundings.folders.map((folder) => join(folder, '.continue'))];
  const routes: Route[] = [];
  for (const folder of folders)
    for (const name of ['assistants', 'agents', 'models'])
      for (const ending of ['.yaml', '.yml'])
        for (const path of await reader.list(join(folder, name), ending)) {
          const what = basename(dirname(path)) === 'models' ? 'The model' : 'The assistant';
          routes.push(unknown(`${what} "${basename(path, ending)}"`, inFile(path, 'models')));
        }
  for (const path of [
    userPath('.continue/config.ts'),
    ...surroundings.folders.map((each) => join(each, '.continuerc.json')),
  ])
    if ((await reader.text(path)) !== undefined) routes.push(unknown(CHAT, inFile(path, '')));
  return routes;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
