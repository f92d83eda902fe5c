// The backend's models in the format of the Messages API.
import type { ModelCapabilities, ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { fieldsOf } from '../../shared/json.ts';
import { chatModelEntries, contextWindow, firstText, reasons, sizeOf } from '../../shared/modelList.ts';
import type { ModelFields } from '../../shared/modelList.ts';
import { offeredModel } from '../requestModel.ts';

interface ModelPage {
  readonly data: readonly ModelInfo[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

/** The largest time of a date, in seconds. */
const MAX_TIME = 8.64e12;

/** All chat models, on one page. */
export function listModels(modelList: unknown): string {
  const data = chatModelEntries(modelList).map(toModel);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return JSON.stringify({ data, has_more: false, ...ends } satisfies ModelPage);
}

/** @throws DialectError if the backend does not offer this model */
export function describeModel(modelList: unknown, id: string): string {
  return JSON.stringify(toModel(offeredModel(modelList, id)));
}

function toModel(model: ModelFields): ModelInfo {
  return {
    type: 'model',
    id: model.id,
    display_name: firstText(model['display_name'], model['short_name'], model.id),
    created_at: timeOf(model['created']),
    max_input_tokens: contextWindow(model) ?? null,
    max_tokens: sizeOf(model['max_output_tokens']) ?? null,
    capabilities: capabilitiesOf(model),
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

/** 1970 if it is not known, as the API does it. */
function timeOf(created: unknown): string {
  const isTime = typeof created === 'number' && created >= 0 && created <= MAX_TIME;
  return new Date(isTime ? created * 1000 : 0).toISOString();
}

/** What a request can use through the proxy. */
function capabilitiesOf(model: ModelFields): ModelCapabilities {
  const { capabilities, tasks } = model;
  const vision = fieldsOf(capabilities)['vision'] ?? (Array.isArray(tasks) && tasks.includes('vision'));
  const yes = { supported: true };
  const no = { supported: false };
  const thinking = reasons(model) ? yes : no;
  return {
    batch: no,
    citations: no,
    code_execution: no,
    context_management: {
      clear_thinking_20251015: no,
      clear_tool_uses_20250919: no,
      compact_20260112: no,
      supported: false,
    },
    effort: { low: thinking, medium: thinking, high: thinking, xhigh: no, max: no, supported: thinking.supported },
    image_input: vision === true ? yes : no,
    pdf_input: no,
    server_tools: { code_execution: no, web_search: no, supported: false },
    structured_outputs: no,
    thinking: {
      supported: thinking.supported,
      types: { adaptive: thinking, enabled: thinking, between_tools: no, disabled: yes },
    },
  };
}
