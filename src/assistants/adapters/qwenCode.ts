import { fieldsOf } from '../../shared/json.ts';
import { jsonFormat } from '../files/configFormat.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Assistant } from '../types.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';

/** The variable with the key of our entry. It also identifies our entry. */
const KEY_NAME = 'SEALED_PROXY_KEY';
const KEY = ['env', KEY_NAME];
const LIST = ['modelProviders', 'openai'];
const SELECTED = ['model', 'name'];
const TYPE = ['security', 'auth', 'selectedType'];

export const qwenCode: Assistant = fileAssistant({
  id: 'qwen-code',
  name: 'Qwen Code',
  next: 'Restart Qwen Code to use it.',
  folders: ['.qwen'],
  files: ['.qwen/settings.json'],
  ...entryIn({
    format: jsonFormat('json with comments'),
    read: (value) => {
      const selected = valueAt(value, SELECTED);
      const { ours } = find(value);
      if (ours === undefined) return { selected };
      const { baseUrl, id } = fieldsOf(ours);
      const type = valueAt(value, TYPE);
      const elsewhere = selected !== id ? selected : type === 'openai' ? undefined : type;
      return { entry: { baseUrl, key: valueAt(value, KEY), model: id }, selected, elsewhere };
    },
    managed: (value) => {
      const { index, ours } = find(value);
      const isSelected = ours !== undefined && valueAt(value, SELECTED) === fieldsOf(ours)['id'];
      return [
        [...LIST, index],
        KEY,
        ...(isSelected ? [SELECTED] : []),
        ...(isSelected && valueAt(value, TYPE) === 'openai' ? [TYPE] : []),
      ];
    },
    settings: (value, { baseUrl, key, model: { id, limits } }) => {
      const { known, index, ours } = find(value);
      // Without limits, Qwen Code guesses them from the model's name. The user's own limits stay until the model changes.
      const generationConfig = limits && {
        contextWindowSize: limits.contextWindow,
        samplingParams: { max_tokens: limits.maxOutput },
      };
      const isNew = fieldsOf(ours)['id'] !== id;
      const entry = { id, name: id, envKey: KEY_NAME, baseUrl, ...(isNew && generationConfig && { generationConfig }) };
      return [
        { path: TYPE, value: 'openai' },
        { path: KEY, value: key },
        known === undefined
          ? { path: LIST, value: [entry] }
          : { path: [...LIST, index === -1 ? known.length : index], value: entry },
        { path: SELECTED, value: id },
      ];
    },
  }),
});

/** The list of models, if there is one, and our entry in it. */
function find(value: unknown) {
  const list = valueAt(value, LIST);
  const known: readonly unknown[] | undefined = Array.isArray(list) ? list : undefined;
  const index = known?.findIndex((entry) => fieldsOf(entry)['envKey'] === KEY_NAME) ?? -1;
  return { known, index, ours: known?.[index] };
}
