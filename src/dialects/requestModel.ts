// The model that a request goes to.
import { fieldsOf } from '../shared/json.ts';
import { chatModelEntries, reasons } from '../shared/modelList.ts';
import type { RequestContext } from './dialect.ts';
import { DialectError } from './dialectError.ts';

export interface RequestModel {
  readonly id: string;
  /** Whether it takes `reasoning_effort`. */
  readonly reasons: boolean;
  /** False if the backend says that it cannot see images. */
  readonly seesImages: boolean;
}

/**
 * The model with this name, or the replacement for a name that the backend does not offer.
 * @throws DialectError with status 404 that names the models, if there is neither
 */
export function findModel(name: string, { modelList, replacementModel }: RequestContext): RequestModel {
  const models = chatModelEntries(modelList);
  const find = (id: string | undefined) => models.find((model) => model.id === id);
  const model = find(name) ?? find(replacementModel);
  if (model !== undefined) {
    const seesImages = fieldsOf(model['capabilities'])['vision'] !== false;
    return { id: model.id, reasons: reasons(model), seesImages };
  }
  const missing = [name, replacementModel].filter((id) => id !== undefined).map((id) => JSON.stringify(id));
  const offered = models.map(({ id }) => id).join(', ') || 'none';
  const message = `The backend does not offer the model ${missing.join(' or its replacement ')}. Its models: ${offered}. Choose one of them, or set a replacement.`;
  throw new DialectError(message, { status: 404, param: 'model', code: 'model_not_found' });
}
