import { asObject, fieldsOf } from '../../shared/json.ts';
import { fileAssistant, jsonFile } from './fileAssistant.ts';
import type { Assistant } from './types.ts';

/** The variable by which our entry finds its key, and by which we find our entry. */
const KEY_NAME = 'SEALED_PROXY_KEY';

export const qwenCode: Assistant = fileAssistant({
  id: 'qwen-code',
  name: 'Qwen Code',
  next: 'Qwen Code reads it when it starts.',
  folders: ['.qwen'],
  files: ['.qwen/settings.json'],
  ...jsonFile({
    dialect: 'json with comments',
    read: (value) => {
      const { env, model } = fieldsOf(value);
      const { name } = fieldsOf(model);
      const entry = asObject(models(value).find(isOurs));
      if (entry === undefined) return { selected: name };
      const { baseUrl, id } = entry;
      return { entry: { baseUrl, key: fieldsOf(env)[KEY_NAME], model: id }, selected: name };
    },
    settings: (value, { baseUrl, key, model }) => {
      const known = models(value);
      const index = known.findIndex(isOurs);
      const wanted = { id: model.id, name: model.id, envKey: KEY_NAME, baseUrl };
      const at = ['modelProviders', 'openai'];
      const isList = Array.isArray(fieldsOf(fieldsOf(value)['modelProviders'])['openai']);
      const entry = isList
        ? { path: [...at, index === -1 ? known.length : index], value: { ...asObject(known[index]), ...wanted } }
        : { path: at, value: [wanted] };
      return [
        { path: ['security', 'auth', 'selectedType'], value: 'openai' },
        { path: ['env', KEY_NAME], value: key },
        entry,
        { path: ['model', 'name'], value: model.id },
      ];
    },
  }),
});

function models(value: unknown): readonly unknown[] {
  const { openai } = fieldsOf(fieldsOf(value)['modelProviders']);
  return Array.isArray(openai) ? openai : [];
}

function isOurs(entry: unknown): boolean {
  return fieldsOf(entry)['envKey'] === KEY_NAME;
}
