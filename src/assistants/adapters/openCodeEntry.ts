// A provider in the configuration of opencode and of assistants derived from it: https://opencode.ai/docs/providers
import { asObject, fieldsOf } from '../../shared/json.ts';
import type { ModelChoice } from '../types.ts';
import type { JsonEntry } from './fileAssistant.ts';

const PROVIDER = 'sealed-proxy';

export const openCodeEntry: JsonEntry = {
  dialect: 'jsonc',
  read: (value) => {
    const { provider, model } = fieldsOf(value);
    const ours = asObject(fieldsOf(provider)[PROVIDER]);
    if (ours === undefined) return { selected: model };
    const { baseURL, apiKey } = fieldsOf(ours['options']);
    const entry = { baseUrl: baseURL, key: apiKey, model: chosen(model, ours['models']) };
    return { entry, selected: model, elsewhere: isOurs(model) ? undefined : model };
  },
  managed: (value) => {
    const { provider, model } = fieldsOf(value);
    return {
      entries: Object.hasOwn(fieldsOf(provider), PROVIDER) ? [['provider', PROVIDER]] : [],
      switches: isOurs(model) ? [['model']] : [],
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
    // Value by value, so that what the user has added to the entry stays.
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

/** A selected model has its provider as a prefix. */
function isOurs(model: unknown): model is string {
  return typeof model === 'string' && model.startsWith(`${PROVIDER}/`);
}

/** The limits tell the assistant when a conversation is too long. It accepts both or none. */
function describe({ id, contextWindow, maxOutput }: ModelChoice) {
  if (contextWindow === undefined || maxOutput === undefined) return { name: id };
  return { name: id, limit: { context: contextWindow, output: maxOutput } };
}

/** The selected model if it is ours, else our first one. */
function chosen(selected: unknown, models: unknown): string | undefined {
  if (isOurs(selected)) return selected.slice(`${PROVIDER}/`.length);
  return Object.keys(fieldsOf(models))[0];
}
