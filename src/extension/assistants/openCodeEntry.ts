// A provider as opencode and what comes from it know it: https://opencode.ai/docs/providers
import { asObject, fieldsOf } from '../../shared/json.ts';
import type { JsonEntry } from './fileAssistant.ts';
import type { ModelChoice } from './types.ts';

const PROVIDER = 'sealed-proxy';

export const openCodeEntry: JsonEntry = {
  dialect: 'jsonc',
  read: (value) => {
    const { provider, model } = fieldsOf(value);
    const ours = asObject(fieldsOf(provider)[PROVIDER]);
    if (ours === undefined) return { selected: model };
    const { baseURL, apiKey } = fieldsOf(ours['options']);
    return { entry: { baseUrl: baseURL, key: apiKey, model: chosen(model, ours['models']) }, selected: model };
  },
  own: (value) => {
    const { provider, model } = fieldsOf(value);
    const isSelected = typeof model === 'string' && model.startsWith(`${PROVIDER}/`);
    return {
      entries: Object.hasOwn(fieldsOf(provider), PROVIDER) ? [['provider', PROVIDER]] : [],
      switches: isSelected ? [['model']] : [],
    };
  },
  settings: (value, { baseUrl, key, model }) => {
    const at = ['provider', PROVIDER];
    const ours = asObject(fieldsOf(fieldsOf(value)['provider'])[PROVIDER]);
    const selected = { path: ['model'], value: `${PROVIDER}/${model.id}` };
    if (ours === undefined) {
      const options = { baseURL: baseUrl, apiKey: key };
      const models = { [model.id]: describe(model) };
      const entry = { npm: '@ai-sdk/openai-compatible', name: 'Sealed Proxy', options, models };
      return [{ path: at, value: entry }, selected];
    }
    // What a person has added of their own stays.
    const isKnown = Object.hasOwn(fieldsOf(ours['models']), model.id);
    return [
      { path: [...at, 'npm'], value: '@ai-sdk/openai-compatible' },
      { path: [...at, 'options', 'baseURL'], value: baseUrl },
      { path: [...at, 'options', 'apiKey'], value: key },
      ...(isKnown ? [] : [{ path: [...at, 'models', model.id], value: describe(model) }]),
      selected,
    ];
  },
};

/** Without its limits, the assistant does not know when a conversation is too long. It takes both or none. */
function describe({ id, contextWindow, maxOutput }: ModelChoice) {
  if (contextWindow === undefined || maxOutput === undefined) return { name: id };
  return { name: id, limit: { context: contextWindow, output: maxOutput } };
}

/** The model that is selected if it is one of ours, else our first. */
function chosen(selected: unknown, models: unknown): string | undefined {
  const prefix = `${PROVIDER}/`;
  if (typeof selected === 'string' && selected.startsWith(prefix)) return selected.slice(prefix.length);
  return Object.keys(fieldsOf(models))[0];
}
