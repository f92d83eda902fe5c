// Where the prompts of Codex go: https://developers.openai.com/codex/config-reference. Checked in version 0.169.0.
import { join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { toDialectUrl } from '../dialectUrl.ts';
import { valueAt } from '../files/jsonEdit.ts';
import { readToml } from '../files/tomlEdit.ts';
import type { Route } from '../judgement.ts';
import { foldersUpTo } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import { CHAT, addressOf, elsewhere, inFile, remedyIn, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { parseDotEnv, startVariables, withFile } from '../judging/variables.ts';

const PROVIDER = 'sealed-proxy';
const MANAGED = 'managed_config.toml';
const PROXIES: ProxyRule = {
  used: ['HTTP_PROXY', 'ALL_PROXY'],
  doubtful: [],
  wildcard: false,
  preferred: 'NO_PROXY',
  emptyWins: true,
};

export async function codexRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, reader, own, userPath, expected } = context;
  const read = (paths: readonly string[]) => reader.layers(paths, (text) => asObject(readToml(text)));
  const system = join(surroundings.system, 'etc/codex');
  const projects: string[] = [];
  for (const folder of surroundings.folders)
    for (const outer of await foldersUpTo(folder)) projects.push(join(outer, '.codex'));
  const layers = await read([
    join(system, 'config.toml'),
    own,
    ...projects.map((folder) => join(folder, 'config.toml')),
    join(system, MANAGED),
  ]);
  // The provider of an agent is ignored; its prompts go where those of the chat go.
  const routes = layers.flatMap((layer) => layerRoutes(layer, context));
  const isChatSealed = !routes.some(({ prompts }) => prompts === CHAT);
  const all = [...(isChatSealed ? [sealed(CHAT), sealed('Summaries and reviews')] : []), ...routes];
  const dotEnv = userPath('.codex/.env');
  const written = parseDotEnv((await reader.text(dotEnv)) ?? '');
  return startVariables(surroundings).flatMap((start) =>
    through(proxiedRoute(withFile(start, written, dotEnv, ''), PROXIES, expected.baseUrl), all),
  );
}

/**
 * What one file changes. The user's file takes precedence over the system's, and the organization's over both. Version
 * 0.169.0 ignores providers in a project and refuses to start with `profile`; earlier versions use both.
 */
function layerRoutes(
  layer: Layer,
  { own, expected: { baseUrl }, surroundings: { system } }: RouteContext,
): readonly Route[] {
  const { path, value } = layer;
  const routes = telemetryRoutes(layer);
  if (path === join(system, 'etc/codex', 'config.toml')) return routes;
  const remedy = remedyIn(path, own);
  const isCertain = path === own || path === join(system, 'etc/codex', MANAGED);
  const leaves = (recipient: string, name: string) => {
    const source = inFile(path, name);
    routes.push(isCertain ? elsewhere(CHAT, recipient, source, remedy) : unknown(CHAT, source));
  };
  const { model_provider: provider, profile } = value;
  if (typeof provider === 'string' && provider !== PROVIDER) leaves(provider, 'model_provider');
  if (path === own && provider === undefined) leaves('openai', 'model_provider');
  const entry = asObject(valueAt(value, ['model_providers', PROVIDER]));
  const address = entry?.['base_url'];
  if (address !== undefined && address !== toDialectUrl(baseUrl, 'responses'))
    leaves(addressOf(address), `model_providers.${PROVIDER}.base_url`);
  if (typeof profile === 'string') {
    const { model_provider: other = PROVIDER } = fieldsOf(valueAt(value, ['profiles', profile]));
    if (other !== PROVIDER) leaves(String(other), 'profile');
  }
  return routes;
}

/** Without `log_user_prompt`, it still sends the output of commands. */
function telemetryRoutes({ path, value }: Layer): Route[] {
  const { exporter = 'none' } = fieldsOf(value['otel']);
  if (exporter === 'none') return [];
  return [elsewhere('Prompts or output in telemetry', 'the collector of its telemetry', inFile(path, 'otel.exporter'))];
}
