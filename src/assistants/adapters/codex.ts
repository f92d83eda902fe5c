// Codex: https://developers.openai.com/codex/config-reference. Its command line and its VS Code extension share one file.
import { join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import { valueAt } from '../formats/format.ts';
import { toml } from '../formats/toml.ts';
import { foldersUpTo } from '../judging/configReader.ts';
import type { Layer } from '../judging/configReader.ts';
import { proxiedRoute } from '../judging/httpProxy.ts';
import type { ProxyRule } from '../judging/httpProxy.ts';
import type { Route } from '../judging/judgement.ts';
import { CHAT, addressOf, elsewhere, inFile, sealed, through, unknown } from '../judging/routes.ts';
import type { RouteContext } from '../judging/routes.ts';
import { overlay } from '../judging/variables.ts';
import type { Assistant } from './assistant.ts';
import { fromDialectUrl, toDialectUrl } from './dialectUrl.ts';
import { fileAssistant } from './fileAssistant.ts';

const PROVIDER = 'sealed-proxy';
const ENTRY = ['model_providers', PROVIDER];
/** The tokens of a conversation after which Codex summarizes it derive from this. */
const WINDOW = ['model_context_window'];
const PROFILE = ['profile'];
const REVIEWER = ['review_model'];
const ANALYTICS = ['analytics', 'enabled'];

export const codex: Assistant = fileAssistant({
  id: 'codex',
  name: 'Codex',
  dialect: 'responses',
  next: 'Restart Codex, or reload the window if you use its extension. Both read the same file.',
  extension: 'openai.chatgpt',
  command: 'codex',
  folders: ['.codex'],
  files: ['.codex/config.toml'],
  // https://developers.openai.com/codex/config-advanced
  moves: [{ variable: 'CODEX_HOME', folder: '.codex', place: 'codexHome' }],
  routes: codexRoutes,
  format: toml,
  read: (value) => {
    const { model, model_provider: provider } = fieldsOf(value);
    const ours = asObject(valueAt(value, ENTRY));
    if (ours === undefined) return { selected: provider ?? model };
    const baseUrl = fromDialectUrl(ours['base_url'], 'responses');
    const entry = { baseUrl, key: ours['experimental_bearer_token'], model };
    return { entry, selected: provider };
  },
  managed: (value) => [
    ENTRY,
    ...(isSelected(value) ? [['model_provider'], ['model'], WINDOW, REVIEWER, PROFILE] : []),
    ...(valueAt(value, ANALYTICS) === false ? [ANALYTICS] : []),
  ],
  settings: (value, { baseUrl, key, model: { id, limits } }) => {
    const ours = asObject(valueAt(value, ENTRY));
    const isNew = ours === undefined || !isSelected(value) || fieldsOf(value)['model'] !== id;
    const entry = {
      ...(ours === undefined && { name: 'Sealed Proxy' }),
      base_url: toDialectUrl(baseUrl, 'responses'),
      wire_api: 'responses',
      // Not `env_key`: an editor that was not started from a terminal does not have the variables of the shell.
      experimental_bearer_token: key,
    };
    const { profile, review_model: reviewer } = fieldsOf(value);
    const ofProfile = typeof profile === 'string' && valueAt(value, ['profiles', profile, 'model_provider']);
    return [
      { path: ['model'], value: id },
      { path: ['model_provider'], value: PROVIDER },
      // Earlier versions use the provider of the profile, later ones do not start with one.
      ...(typeof ofProfile === 'string' && ofProfile !== PROVIDER ? [{ path: PROFILE, value: undefined }] : []),
      ...(reviewer === undefined ? [] : [{ path: REVIEWER, value: id }]),
      // Without it, Codex assumes a size. That of another model would be wrong.
      ...(isNew ? [{ path: WINDOW, value: limits?.contextWindow }] : []),
      { path: ENTRY, value: entry },
      ...(ours?.['env_key'] === undefined ? [] : [{ path: [...ENTRY, 'env_key'], value: undefined }]),
      { path: ANALYTICS, value: false }, // it would send statistics of its use to OpenAI
    ];
  },
});

function isSelected(value: unknown): boolean {
  return fieldsOf(value)['model_provider'] === PROVIDER;
}

const MANAGED = 'managed_config.toml';
const PROXIES: ProxyRule = {
  used: ['HTTP_PROXY', 'ALL_PROXY'],
  doubtful: [],
  wildcard: false,
  preferred: 'NO_PROXY',
  emptyWins: true,
};

/** Where its prompts go. Checked in version 0.169.0. */
async function codexRoutes(context: RouteContext): Promise<readonly Route[]> {
  const { surroundings, starts, reader, own, userPath, expected } = context;
  const system = join(surroundings.system, 'etc/codex');
  const projects: string[] = [];
  for (const folder of surroundings.folders)
    for (const outer of await foldersUpTo(folder)) projects.push(join(outer, '.codex'));
  const files = projects.map((folder) => join(folder, 'config.toml'));
  const layers = await reader.layers([join(system, 'config.toml'), own, ...files, join(system, MANAGED)], toml);
  // The provider of an agent is ignored; its prompts go where those of the chat go.
  const routes = layers.flatMap((layer) => layerRoutes(layer, context));
  const isChatSealed = !routes.some(({ prompts }) => prompts === CHAT);
  const all = [...(isChatSealed ? [sealed(CHAT), sealed('Summaries and reviews')] : []), ...routes];
  const written = await reader.dotEnv(userPath('.codex/.env'));
  return starts.flatMap((start) => through(proxiedRoute(overlay(start, written), PROXIES, expected.baseUrl), all));
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
  const isCertain = path === own || path === join(system, 'etc/codex', MANAGED);
  const leaves = (recipient: string, name: string) => {
    routes.push(isCertain ? elsewhere(CHAT, recipient, inFile(path, name, own)) : unknown(CHAT, inFile(path, name)));
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
