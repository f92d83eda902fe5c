// opencode, and Kilo Code, which has the same format: https://opencode.ai/docs/config and /docs/providers
import { asObject, fieldsOf } from '../../shared/json.ts';
import { jsonFormat } from '../files/configFormat.ts';
import { valueAt } from '../files/jsonEdit.ts';
import type { Path, Setting } from '../files/jsonEdit.ts';
import type { Assistant } from '../types.ts';
import { entryIn, fileAssistant } from './fileAssistant.ts';
import { KILO, OPENCODE, opencodeRoutes } from './opencodeRoutes.ts';

const PROVIDER = 'sealed-proxy';
const ENTRY = ['provider', PROVIDER];
const SIDE_MODELS = ['small_model', 'subagent_model'];
const MODEL_GROUPS = ['agent', 'mode', 'command'];

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
    return { entry, selected: model };
  },
  managed: (value) => [
    ENTRY,
    ...modelPaths(value).filter((path) => isOurs(valueAt(value, path))),
    ['share'],
    ['autoshare'],
  ],
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
      ...otherModels(value).map((path) => ({ path, value: `${PROVIDER}/${id}` })),
      ...sharing(value),
    ];
  },
});

/** If both files exist, the first one takes precedence. */
export const opencode: Assistant = fileAssistant({
  id: 'opencode',
  name: 'opencode',
  next: 'Restart opencode to use it.',
  routes: (context) => opencodeRoutes(OPENCODE, context),
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
  routes: (context) => opencodeRoutes(KILO, context),
  folders: ['.config/kilo', '.local/share/kilo'],
  files: ['.config/kilo/kilo.jsonc', '.config/kilo/kilo.json'],
  ...providerFile,
});

/** Where a model can be selected. */
function modelPaths(value: unknown): readonly Path[] {
  const groups = MODEL_GROUPS.flatMap((group) =>
    Object.keys(fieldsOf(fieldsOf(value)[group])).map((name) => [group, name, 'model']),
  );
  return [['model'], ...SIDE_MODELS.map((name) => [name]), ...groups];
}

/** The models of single tasks, agents, modes and commands that belong to another provider. */
function otherModels(value: unknown): readonly Path[] {
  return modelPaths(value).filter((path) => {
    const model = valueAt(value, path);
    return path[0] !== 'model' && typeof model === 'string' && !isOurs(model);
  });
}

/** Shared sessions are sent to a web site, with all prompts and replies. */
function sharing(value: unknown): readonly Setting[] {
  const { share, autoshare } = fieldsOf(value);
  return [
    ...(share === 'auto' ? [{ path: ['share'], value: 'manual' }] : []),
    ...(autoshare === true ? [{ path: ['autoshare'], value: false }] : []),
  ];
}

/** A selected model has its provider as a prefix. */
function isOurs(model: unknown): model is string {
  return typeof model === 'string' && model.startsWith(`${PROVIDER}/`);
}
