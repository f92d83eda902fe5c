// The model that a request goes to.
import { fieldsOf } from '../shared/json.ts';
import { chatModelEntries, contextWindow, reasons } from '../shared/modelList.ts';
import type { ModelFields } from '../shared/modelList.ts';
import type { DialectName, RequestContext } from './dialect.ts';
import { DialectError } from './dialectError.ts';

export interface RequestModel {
  readonly id: string;
  /** Whether it stands in for the one that the client named. */
  readonly isReplacement: boolean;
  /** Whether it takes `reasoning_effort`. */
  readonly reasons: boolean;
  /** False if the backend says that it cannot see images. */
  readonly seesImages: boolean;
  /** In tokens; undefined if the backend does not state it. */
  readonly contextWindow: number | undefined;
}

/** What a model that cannot see images reads in place of one. */
export const UNSEEN_IMAGE = 'The tool returned an image, which this model cannot see.';
/** In characters. A longer name is not that of a model. */
const MAX_NAME = 200;

/** The setting with the replacement, in the editor and on the command line. */
const SETTINGS: Readonly<Record<DialectName, string>> = {
  messages: 'sealedProxy.messagesModel (PROXY_MESSAGES_MODEL)',
  responses: 'sealedProxy.responsesModel (PROXY_RESPONSES_MODEL)',
};

/**
 * The model with this name, or the replacement for a name that the backend does not offer.
 * @throws DialectError with status 404 that names the models, if there is neither
 */
export function findModel(
  name: string,
  { modelList, replacementModel }: RequestContext,
  dialect: DialectName,
): RequestModel {
  const models = chatModelEntries(modelList);
  const named = models.find(({ id }) => id === name);
  const canReplace = name.length <= MAX_NAME; // the response repeats the name
  const model = named ?? (canReplace ? models.find(({ id }) => id === replacementModel) : undefined);
  if (model === undefined)
    throw notOffered([name, replacementModel], models, `, or set ${SETTINGS[dialect]} to one of them`);
  return {
    id: model.id,
    isReplacement: named === undefined,
    reasons: reasons(model),
    seesImages: fieldsOf(model['capabilities'])['vision'] !== false,
    contextWindow: contextWindow(model),
  };
}

/**
 * The metadata of a model.
 * @throws DialectError with status 404 that names the models, if the backend does not offer it
 */
export function offeredModel(modelList: unknown, id: string): ModelFields {
  const models = chatModelEntries(modelList);
  const model = models.find((entry) => entry.id === id);
  if (model === undefined) throw notOffered([id], models, '');
  return model;
}

function notOffered(
  names: readonly (string | undefined)[],
  models: readonly ModelFields[],
  remedy: string,
): DialectError {
  const missing = names.flatMap((id) => (id === undefined ? [] : JSON.stringify(id.slice(0, MAX_NAME))));
  const offered = models.map(({ id }) => id).join(', ') || 'none';
  const message = `The backend does not offer the model ${missing.join(' or its replacement ')}. Its models: ${offered}. Use one of them${remedy}.`;
  return new DialectError(message, { status: 404, param: 'model', code: 'model_not_found' });
}
