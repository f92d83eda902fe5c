// The fields of a request besides its input and tools.
import type { ResponseTextConfig } from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';
import type { ChatRequest } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, numberAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { checkDepth } from './nesting.ts';

const STATELESS = 'the proxy stores no responses.';

/** Fields that ask for what the proxy does not do. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  previous_response_id: `${STATELESS} Send all items in "input".`,
  conversation: `${STATELESS} Send all items in "input".`,
  prompt: `${STATELESS} Send the text of the prompt template in "instructions" or "input".`,
  moderation: 'the backend does not moderate. Remove the field.',
};

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const SUMMARIES = ['auto', 'concise', 'detailed'] as const;
const VERBOSITIES = ['low', 'medium', 'high'] as const;

/** @throws DialectError for a field that cannot be translated and that the client relies on */
export function rejectUnsupported(request: Fields): void {
  for (const [name, problem] of Object.entries(UNSUPPORTED)) {
    if (request[name] !== undefined && request[name] !== null) throw invalidField(name, problem);
  }
  if (optional(booleanAt, 'background', request['background']) === true) {
    throw invalidField('background', `${STATELESS} Set it to false and wait for the response.`);
  }
  if ((optional(arrayAt, 'context_management', request['context_management']) ?? []).length > 0) {
    throw invalidField('context_management', 'the proxy does not compact conversations. Remove the field.');
  }
  const include = optional(arrayAt, 'include', request['include']) ?? [];
  if (
    include.includes('message.output_text.logprobs') ||
    (optional(numberAt, 'top_logprobs', request['top_logprobs']) ?? 0) > 0
  ) {
    throw invalidField('top_logprobs', 'log probabilities cannot be translated. Remove the field.');
  }
}

export interface Sampling {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
}

export function readSampling(request: Fields): Sampling {
  const maxTokens = optional(numberAt, 'max_output_tokens', request['max_output_tokens']);
  if (maxTokens !== undefined && (!Number.isInteger(maxTokens) || maxTokens < 1)) {
    throw invalidField('max_output_tokens', 'must be an integer of at least 1.');
  }
  return {
    temperature: optional(numberAt, 'temperature', request['temperature']),
    topP: optional(numberAt, 'top_p', request['top_p']),
    maxTokens,
  };
}

/** The effort, and whether the client wants to see a summary. */
export function readReasoning(request: Fields): Reasoning {
  const reasoning = optional(objectAt, 'reasoning', request['reasoning']) ?? {};
  const effort = oneOf('reasoning.effort', reasoning['effort'], EFFORTS);
  const summary = reasoning['summary'] ?? reasoning['generate_summary'];
  return {
    effort: effort ?? null,
    summary: summary === 'none' ? null : (oneOf('reasoning.summary', summary, SUMMARIES) ?? null),
  };
}

export interface TextOptions {
  readonly format: ResponseTextConfig;
  readonly chat: Pick<ChatRequest, 'response_format' | 'verbosity'>;
}

/** The format and the length of the text. */
export function readText(request: Fields): TextOptions {
  const text = optional(objectAt, 'text', request['text']) ?? {};
  const verbosity = oneOf('text.verbosity', text['verbosity'], VERBOSITIES);
  const format = optional(objectAt, 'text.format', text['format']) ?? { type: 'text' };
  const more = verbosity === undefined ? {} : { verbosity };
  switch (format['type']) {
    case 'text':
      return { format: { format: { type: 'text' }, ...more }, chat: more };
    case 'json_object':
      return {
        format: { format: { type: 'json_object' }, ...more },
        chat: { response_format: { type: 'json_object' }, ...more },
      };
    case 'json_schema': {
      checkDepth('text.format', format);
      const description = optional(stringAt, 'text.format.description', format['description']);
      const strict = optional(booleanAt, 'text.format.strict', format['strict']);
      const schema = {
        name: stringAt('text.format.name', format['name']),
        schema: objectAt('text.format.schema', format['schema']),
        ...(description !== undefined && { description }),
        ...(strict !== undefined && { strict }),
      };
      return {
        format: { format: { type: 'json_schema', ...schema }, ...more },
        chat: { response_format: { type: 'json_schema', json_schema: schema }, ...more },
      };
    }
    default:
      throw invalidField('text.format.type', 'must be "text", "json_schema" or "json_object".');
  }
}

function oneOf<Value extends string>(path: string, value: unknown, known: readonly Value[]): Value | undefined {
  if (value === undefined || value === null) return undefined;
  const found = known.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw invalidField(path, `must be one of ${known.map((candidate) => JSON.stringify(candidate)).join(', ')}.`);
}
