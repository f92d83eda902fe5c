// opencode, and Kilo Code, which has the same format: https://opencode.ai/docs/config and /docs/providers
import { asObject, fieldsOf } from '../../shared/json.ts';
import { jsonFormat } from '../files/configFormat.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Assistant } from '../types.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';

const PROVIDER = 'sealed-proxy';
const ENTRY = ['provider', PROVIDER];

const providerFile = entryIn({
  format: jsonFormat('jsonc'),
  read: (value) => {
    const { model } = fieldsOf(value);
    const ours = asObject(valueAt(value, ENTRY));
    if (ours === undefined) return { selected: model };
    const { options, models } = ours;
    const { baseURL, apiKey } = fieldsOf(options);
    const chosen = isOurs(model) ? model.slice(`${PROVIDER}/`.length) : Object.keys(fieldsOf(models))[0];
    const entry = { baseUrl: baseURL, key: apiKey, model: chosen };
    return { entry, selected: model, elsewhere: isOurs(model) ? undefined : model };
  },
  managed: (value) => [ENTRY, ...(isOurs(fieldsOf(value)['model']) ? [['model']] : [])],
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
    ];
  },
});

/** If both files exist, the first one takes precedence. */
export const opencode: Assistant = fileAssistant({
  id: 'opencode',
  name: 'opencode',
  next: 'Restart opencode to use it.',
  folders: ['.config/opencode', '.opencode', '.local/share/opencode'],
  files: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
  ...providerFile,
});

/** The extension and the command line share one file. */
export const kilo: Assistant = fileAssistant({
  id: 'kilo',
  name: 'Kilo Code',
  next: 'Reload the window, or restart Kilo Code on the command line, to use it.',
  extension: 'kilocode.Kilo-Code',
  folders: ['.config/kilo', '.local/share/kilo'],
  files: ['.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
  ...providerFile,
});

/** A selected model has its provider as a prefix. */
function isOurs(model: unknown): model is string {
  return typeof model === 'string' && model.startsWith(`${PROVIDER}/`);
}
