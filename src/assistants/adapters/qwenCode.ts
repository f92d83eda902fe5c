import { fieldsOf } from '../../shared/json.ts';
import { jsonFormat } from '../files/configFormat.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Setting } from '../files/jsonEdit.ts';
import { withExceptions } from '../judging/httpProxy.ts';
import type { Environment } from '../judging/surroundings.ts';
import type { Assistant } from '../types.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';
import { SIDE_MODELS, isOurSideModel, qwenCodeRoutes } from './qwenCodeRoutes.ts';

/** The variable with the key of our entry. It also identifies our entry. */
const KEY_NAME = 'SEALED_PROXY_KEY';
const KEY = ['env', KEY_NAME];
const LIST = ['modelProviders', 'openai'];
const SELECTED = ['model', 'name'];
/** Which of several entries for the same model is used. Without it, the first one. */
const ADDRESS = ['model', 'baseUrl'];
const TYPE = ['security', 'auth', 'selectedType'];
/** A variable of the shell takes precedence over that of the file, and the second one over the first. */
const NO_PROXY = ['NO_PROXY', 'no_proxy'];

export const qwenCode: Assistant = fileAssistant({
  id: 'qwen-code',
  name: 'Qwen Code',
  next: 'Restart Qwen Code to use it.',
  folders: ['.qwen'],
  files: ['.qwen/settings.json'],
  routes: qwenCodeRoutes,
  ...entryIn({
    format: jsonFormat('json with comments'),
    read: (value) => {
      const selected = valueAt(value, SELECTED);
      const { ours } = find(value);
      if (ours === undefined) return { selected };
      const { baseUrl, id } = fieldsOf(ours);
      return { entry: { baseUrl, key: valueAt(value, KEY), model: id }, selected };
    },
    managed: (value) => {
      const { index, ours } = find(value);
      const isSelected = ours !== undefined && valueAt(value, SELECTED) === fieldsOf(ours)['id'];
      return [
        [...LIST, index],
        KEY,
        ...(isSelected ? [SELECTED] : []),
        ...(isSelected && valueAt(value, ADDRESS) === fieldsOf(ours)['baseUrl'] ? [ADDRESS] : []),
        ...(isSelected && valueAt(value, TYPE) === 'openai' ? [TYPE] : []),
        ...NO_PROXY.map((name) => ['env', name]),
        ...SIDE_MODELS.map(([path]) => path).filter((path) =>
          isOurSideModel(valueAt(value, path), [fieldsOf(ours)['id']]),
        ),
      ];
    },
    settings: (value, { baseUrl, key, model: { id, limits }, environment = {} }) => {
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
        ...entrySettings(known, index, entry),
        { path: SELECTED, value: id },
        ...(needsAddress(value, id) ? [{ path: ADDRESS, value: baseUrl }] : []),
        ...otherSideModels(value, id),
        ...NO_PROXY.map((name) => ({ path: ['env', name], value: noProxy(value, name, environment) })),
      ];
    },
  }),
});

/** Qwen Code uses the first entry for a model. */
function entrySettings(
  known: readonly unknown[] | undefined,
  index: number,
  entry: { readonly id: string },
): readonly Setting[] {
  if (known === undefined) return [{ path: LIST, value: [entry] }];
  const isKnown = index !== -1;
  const others = isKnown ? known.slice(0, index) : known;
  if (others.every((other) => fieldsOf(other)['id'] !== entry.id))
    return [{ path: [...LIST, isKnown ? index : known.length], value: entry }];
  return [
    ...(isKnown ? [{ path: [...LIST, index], value: undefined }] : []),
    { path: LIST, value: { ...fieldsOf(known[index]), ...entry }, isFirst: true },
  ];
}

/** Another entry for the model may be used in the place of ours: the one selected before, or one of another list. */
function needsAddress(value: unknown, id: string): boolean {
  if (valueAt(value, ADDRESS) !== undefined) return true;
  return Object.entries(fieldsOf(fieldsOf(value)['modelProviders'])).some(
    ([provider, list]) =>
      provider !== 'openai' && Array.isArray(list) && list.some((entry) => fieldsOf(entry)['id'] === id),
  );
}

/** The models of single tasks that are not ours. Ours cannot make images or understand speech. */
function otherSideModels(value: unknown, id: string): readonly Setting[] {
  return SIDE_MODELS.flatMap(([path]) => {
    const current = valueAt(value, path);
    if (isOurSideModel(current, [id])) return [];
    const name = String(path.at(-1));
    return [{ path, value: name === 'imageModel' || name === 'voiceModel' ? '' : id }];
  });
}

/** The user's exceptions and our address. */
function noProxy(value: unknown, name: string, shell: Environment): string {
  const known = [valueAt(value, ['env', name]), shell[name], shell['no_proxy'], shell['NO_PROXY']];
  const list = known.find((each) => typeof each === 'string' && each.trim() !== '');
  return withExceptions(typeof list === 'string' ? list : '');
}

/** The list of models, if there is one, and our entry in it. */
function find(value: unknown) {
  const list = valueAt(value, LIST);
  const known: readonly unknown[] | undefined = Array.isArray(list) ? list : undefined;
  const index = known?.findIndex((entry) => fieldsOf(entry)['envKey'] === KEY_NAME) ?? -1;
  return { known, index, ours: known?.[index] };
}
