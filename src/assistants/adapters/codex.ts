// Codex: https://developers.openai.com/codex/config-reference. Its command line and its VS Code extension share one file.
import { asObject, fieldsOf } from '../../shared/json.ts';
import { fromDialectUrl, toDialectUrl } from '../dialectUrl.ts';
import { toml } from '../files/configFormat.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Assistant } from '../types.ts';
import { codexRoutes } from './codexRoutes.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';

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
  folders: ['.codex'],
  files: ['.codex/config.toml'],
  routes: codexRoutes,
  ...entryIn({
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
  }),
});

function isSelected(value: unknown): boolean {
  return fieldsOf(value)['model_provider'] === PROVIDER;
}
