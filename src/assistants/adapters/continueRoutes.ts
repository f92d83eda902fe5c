// Where the prompts of Continue go: https://docs.continue.dev/reference. Checked in its command line 1.5.47.
import { basename, dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { readJson } from '../files/jsonEdit.ts';
import type { Route } from '../judgement.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import { CHAT, addressOf, elsewhere, inFile, off, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { overlay, parseDotEnv, startVariables, withFile } from '../judging/variables.ts';
import type { Variables } from '../judging/variables.ts';

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

export async function continueRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, reader, own, userPath, expected } = context;
  const parse = (text: string) => {
    const document = parseDocument(text, { logLevel: 'silent' });
    return document.errors.length > 0 ? undefined : (asObject(document.toJS()) ?? {});
  };
  const [layer] = await reader.layers([own], parse);
  const state = join(userPath('.continue'), 'index/globalContext.json');
  const [known] = await reader.layers([state], (text) => asObject(readJson(text, 'json')));
  const models = asList(layer?.value['models']).map(fieldsOf);
  const routes = ROLES.flatMap(([role, prompts]) =>
    roleRoutes(role, prompts, models, fieldsOf(known?.value), context, state),
  );
  // The options of the complete file have no effect on ours.
  const requests = models.filter(isSealed).map((each) => fieldsOf(each['requestOptions']));
  const proxy = requests.map((each) => each['proxy']).find((each) => typeof each === 'string' && each !== '');
  if (proxy !== undefined)
    routes.push({ ...elsewhere('All prompts', addressOf(proxy), inFile(own, 'requestOptions.proxy')) });
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
    const path = folder === undefined ? '' : join(folder, '.env');
    const text = folder === undefined ? undefined : await reader.text(path);
    const written: Variables = withFile(new Map(), parseDotEnv(text ?? ''), path, '');
    return startVariables(surroundings).map((start) =>
      proxiedRoute(overlay(written, start), PROXIES, expected.baseUrl, { kind: 'connect' }),
    );
  };
  const { folders } = surroundings;
  const proxied = (await Promise.all((folders.length === 0 ? [undefined] : folders).map(proxiedIn))).flat();
  return proxied.flatMap((route) => through(exempt ? undefined : route, routes));
}

function isSealed(model: Readonly<Record<string, unknown>>): boolean {
  return isAccessKey(model['apiKey']);
}

function roleRoutes(
  role: string,
  prompts: string,
  models: readonly Readonly<Record<string, unknown>>[],
  state: Readonly<Record<string, unknown>>,
  { own, expected: { baseUrl, key } }: RouteContext,
  statePath: string,
): Route[] {
  if (
    models.some(
      (model) => model['uses'] !== undefined && model['override'] === undefined && model['roles'] === undefined,
    )
  )
    if (role !== 'autocomplete' && role !== 'embed' && role !== 'rerank')
      return [unknown(prompts, inFile(own, 'models'))];
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
  const source =
    selected === undefined ? inFile(own, `models: ${role}`) : inFile(statePath, 'selectedModelsByProfileId');
  if (inUse['apiBase'] === baseUrl && inUse['apiKey'] === key) return [sealed(prompts)];
  const recipient =
    inUse['apiBase'] === undefined ? String(inUse['provider'] ?? inUse['name']) : addressOf(inUse['apiBase']);
  return [elsewhere(prompts, recipient, source, { kind: 'open', source: inFile(own, 'models') })];
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
