// The backend's models in the format of the Messages API.
import type { ModelCapabilities, ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { fieldsOf } from '../../shared/json.ts';
import { chatModelEntries, firstText, reasons } from '../../shared/modelList.ts';
import type { ModelFields } from '../../shared/modelList.ts';

interface ModelPage {
  readonly data: readonly ModelInfo[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

/** The largest time of a date, in seconds. */
const MAX_TIME = 8.64e12;

/** All chat models, on one page. */
export function listModels(modelList: unknown): ModelPage {
  const data = chatModelEntries(modelList).map(toModel);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

export function findModelInfo(modelList: unknown, id: string): ModelInfo | undefined {
  const model = chatModelEntries(modelList).find((entry) => entry.id === id);
  return model && toModel(model);
}

function toModel(model: ModelFields): ModelInfo {
  const context = [model['context_window'], model['max_context_tokens'], model['max_model_len']].map(sizeOf);
  return {
    type: 'model',
    id: model.id,
    display_name: firstText(model['display_name'], model['short_name'], model.id),
    created_at: timeOf(model['created']),
    max_input_tokens: context.find((size) => size !== null) ?? null,
    max_tokens: sizeOf(model['max_output_tokens']),
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

function sizeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** What a request can use through the proxy. */
function capabilitiesOf(model: ModelFields): ModelCapabilities {
  const { capabilities, tasks } = model;
  const vision = fieldsOf(capabilities)['vision'] ?? (Array.isArray(tasks) && tasks.includes('vision'));
  const [yes, no] = [{ supported: true }, { supported: false }];
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
