import { asObject, fieldsOf } from '../../shared/json.ts';
import type { Assistant, ModelChoice } from '../types.ts';
import { fileAssistant, jsonFile } from './fileAssistant.ts';

/** The variable with the key of our entry. It also identifies our entry. */
const KEY_NAME = 'SEALED_PROXY_KEY';

export const qwenCode: Assistant = fileAssistant({
  id: 'qwen-code',
  name: 'Qwen Code',
  next: 'Restart Qwen Code to use it.',
  folders: ['.qwen'],
  files: ['.qwen/settings.json'],
  ...jsonFile({
    dialect: 'json with comments',
    read: (value) => {
      const { env, model, security } = fieldsOf(value);
      const { name } = fieldsOf(model);
      const entry = asObject(models(value).find(isOurs));
      if (entry === undefined) return { selected: name };
      const { baseUrl, id } = entry;
      const { selectedType } = fieldsOf(fieldsOf(security)['auth']);
      const elsewhere = name !== id ? name : selectedType === 'openai' ? undefined : selectedType;
      return { entry: { baseUrl, key: fieldsOf(env)[KEY_NAME], model: id }, selected: name, elsewhere };
    },
    managed: (value) => {
      const { env, model, security } = fieldsOf(value);
      const index = models(value).findIndex(isOurs);
      const isSelected = index !== -1 && fieldsOf(model)['name'] === fieldsOf(models(value)[index])['id'];
      const { selectedType } = fieldsOf(fieldsOf(security)['auth']);
      return {
        entries: [
          ...(index === -1 ? [] : [['modelProviders', 'openai', index]]),
          ...(Object.hasOwn(fieldsOf(env), KEY_NAME) ? [['env', KEY_NAME]] : []),
        ],
        switches: [
          ...(isSelected ? [['model', 'name']] : []),
          ...(isSelected && selectedType === 'openai' ? [['security', 'auth', 'selectedType']] : []),
        ],
      };
    },
    settings: (value, { baseUrl, key, model }) => {
      const known = models(value);
      const index = known.findIndex(isOurs);
      const entry = asObject(known[index]);
      const limits = entry?.['id'] === model.id ? {} : limitsOf(model, entry?.['generationConfig']);
      const wanted = { id: model.id, name: model.id, envKey: KEY_NAME, baseUrl, ...limits };
      const at = ['modelProviders', 'openai'];
      const isList = Array.isArray(fieldsOf(fieldsOf(value)['modelProviders'])['openai']);
      const place = isList
        ? { path: [...at, index === -1 ? known.length : index], value: { ...entry, ...wanted } }
        : { path: at, value: [wanted] };
      return [
        { path: ['security', 'auth', 'selectedType'], value: 'openai' },
        { path: ['env', KEY_NAME], value: key },
        place,
        { path: ['model', 'name'], value: model.id },
      ];
    },
  }),
});

/** Without limits, Qwen Code guesses them from the model's name. The user's own limits stay until the model changes. */
function limitsOf({ contextWindow, maxOutput }: ModelChoice, before: unknown) {
  const { samplingParams } = fieldsOf(before);
  const limits = {
    ...(contextWindow === undefined ? {} : { contextWindowSize: contextWindow }),
    ...(maxOutput === undefined ? {} : { samplingParams: { ...fieldsOf(samplingParams), max_tokens: maxOutput } }),
  };
  return Object.keys(limits).length === 0 ? {} : { generationConfig: { ...fieldsOf(before), ...limits } };
}

function models(value: unknown): readonly unknown[] {
  const { openai } = fieldsOf(fieldsOf(value)['modelProviders']);
  return Array.isArray(openai) ? openai : [];
}

function isOurs(entry: unknown): boolean {
  return fieldsOf(entry)['envKey'] === KEY_NAME;
}
