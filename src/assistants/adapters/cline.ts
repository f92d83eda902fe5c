import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf } from '../../shared/json.ts';
import { jsonFormat } from '../files/configFormat.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Assistant } from '../types.ts';
import { clineRoutes } from './clineRoutes.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';

/** Cline has a single entry for OpenAI-compatible servers, so an entry for another server is replaced. */
const PROVIDER = 'openai-compatible';
const ENTRY = ['providers', PROVIDER];

export const cline: Assistant = fileAssistant({
  id: 'cline',
  name: 'Cline',
  next: 'Reload the window, or restart Cline on the command line, to use it.',
  extension: 'saoudrizwan.claude-dev',
  folders: ['.cline'],
  files: ['.cline/data/settings/providers.json'],
  routes: clineRoutes,
  ...entryIn({
    format: jsonFormat('json'),
    read: (value) => {
      const { lastUsedProvider: selected } = fieldsOf(value);
      const settings = settingsOf(value);
      const { baseUrl, apiKey, model } = fieldsOf(settings);
      const entry = settings === undefined ? undefined : { baseUrl, key: apiKey, model };
      return { entry, selected };
    },
    managed: (value) => {
      if (!isAccessKey(fieldsOf(settingsOf(value))['apiKey'])) return [];
      return [ENTRY, ...(fieldsOf(value)['lastUsedProvider'] === PROVIDER ? [['lastUsedProvider']] : [])];
    },
    settings: (value, { baseUrl, key, model: { id, limits }, now }) => {
      const { version = 1, modes = {} } = fieldsOf(value);
      const before = fieldsOf(settingsOf(value));
      // Without it, Cline assumes 128,000 tokens for every model, and derives its `max_tokens` from that.
      const window = before['model'] === id ? undefined : limits && { contextWindow: limits.contextWindow };
      const settings = { provider: PROVIDER, apiKey: key, model: id, baseUrl, ...window };
      const isSame = Object.entries(settings).every(([name, wanted]) => before[name] === wanted);
      const entry = { settings, updatedAt: new Date(now).toISOString(), tokenSource: 'manual' };
      return [
        { path: ['version'], value: version },
        { path: ['lastUsedProvider'], value: PROVIDER },
        { path: ['modes'], value: modes },
        ...otherModes(modes).map((name) => ({ path: ['modes', name], value: undefined })),
        { path: ENTRY, value: isSame ? {} : entry },
      ];
    },
  }),
});

/** Those with a provider of their own, such as the one for dictation: ours has no such model. */
function otherModes(modes: unknown): readonly string[] {
  const entries = Object.entries(fieldsOf(modes));
  return entries.flatMap(([name, mode]) =>
    providerOf(mode) === undefined || providerOf(mode) === PROVIDER ? [] : [name],
  );
}

function providerOf(mode: unknown): unknown {
  return fieldsOf(mode)['providerId'];
}

function settingsOf(value: unknown): unknown {
  return valueAt(value, [...ENTRY, 'settings']);
}
