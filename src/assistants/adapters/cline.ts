import { isAccessKey } from '../../shared/accessKeys.ts';
import { fieldsOf } from '../../shared/json.ts';
import type { Setting } from '../files/jsonEdit.ts';
import type { Assistant } from '../types.ts';
import { fileAssistant, jsonFile } from './fileAssistant.ts';

/** Cline has a single entry for OpenAI-compatible servers, so an entry for another server is replaced. */
const PROVIDER = 'openai-compatible';

export const cline: Assistant = fileAssistant({
  id: 'cline',
  name: 'Cline',
  next: 'Reload the window, or restart Cline on the command line, to use it.',
  extension: 'saoudrizwan.claude-dev',
  folders: ['.cline'],
  files: ['.cline/data/settings/providers.json'],
  ...jsonFile({
    dialect: 'json',
    read: (value) => {
      const { providers, lastUsedProvider } = fieldsOf(value);
      const { settings } = fieldsOf(fieldsOf(providers)[PROVIDER]);
      const { baseUrl, apiKey, model } = fieldsOf(settings);
      const entry = settings === undefined ? undefined : { baseUrl, key: apiKey, model };
      const elsewhere = lastUsedProvider === PROVIDER ? undefined : lastUsedProvider;
      return { entry, selected: lastUsedProvider, elsewhere };
    },
    managed: (value) => {
      const { providers, lastUsedProvider } = fieldsOf(value);
      const { apiKey } = fieldsOf(fieldsOf(fieldsOf(providers)[PROVIDER])['settings']);
      if (!isAccessKey(apiKey)) return { entries: [], switches: [] };
      return {
        entries: [['providers', PROVIDER]],
        switches: lastUsedProvider === PROVIDER ? [['lastUsedProvider']] : [],
      };
    },
    settings: (value, { baseUrl, key, model, now }) => {
      const { version, modes, providers } = fieldsOf(value);
      const known = fieldsOf(providers)[PROVIDER];
      const before = fieldsOf(fieldsOf(known)['settings']);
      // Without it, Cline assumes 128,000 tokens for every model, and derives its `max_tokens` from that.
      const window = before['model'] === model.id ? undefined : model.contextWindow;
      const settings = {
        ...{ provider: PROVIDER, apiKey: key, model: model.id, baseUrl },
        ...(window === undefined ? {} : { contextWindow: window }),
      };
      const updatedAt = new Date(now).toISOString();
      const at = ['providers', PROVIDER];
      const head: Setting[] = [
        ...(version === undefined ? [{ path: ['version'], value: 1 }] : []),
        { path: ['lastUsedProvider'], value: PROVIDER },
        ...(modes === undefined ? [{ path: ['modes'], value: {} }] : []),
      ];
      if (known === undefined) return [...head, { path: at, value: { settings, updatedAt, tokenSource: 'manual' } }];
      const changed = Object.entries(settings).filter(([name, wanted]) => before[name] !== wanted);
      if (changed.length === 0) return head;
      return [
        ...head,
        ...changed.map(([name, wanted]) => ({ path: [...at, 'settings', name], value: wanted })),
        { path: [...at, 'updatedAt'], value: updatedAt },
        { path: [...at, 'tokenSource'], value: 'manual' },
      ];
    },
  }),
});
