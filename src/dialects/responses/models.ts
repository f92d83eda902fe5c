// The backend's chat models in the format of OpenAI's `GET /v1/models`.
import type { Model } from 'openai/resources/models';
import { chatModelEntries } from '../../shared/modelList.ts';
import type { ModelFields } from '../../shared/modelList.ts';
import { offeredModel } from '../requestModel.ts';

export function listModels(modelList: unknown): string {
  return JSON.stringify({ object: 'list', data: chatModelEntries(modelList).map(describe) });
}

/** @throws DialectError if the backend does not offer this model */
export function describeModel(modelList: unknown, id: string): string {
  return JSON.stringify(describe(offeredModel(modelList, id)));
}

function describe({ id, created, owned_by: owner }: ModelFields): Model {
  return {
    id,
    object: 'model',
    created: Number.isSafeInteger(created) ? Number(created) : 0,
    owned_by: typeof owner === 'string' ? owner.slice(0, 100) : '',
  };
}
