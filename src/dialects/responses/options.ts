// The fields of a request besides its input and tools.
import type { ResponseTextConfig } from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';
import type { ChatRequest } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { EFFORTS, effortAt } from '../effort.ts';
import {
  arrayAt,
  booleanAt,
  countAt,
  jsonAt,
  numberAt,
  objectAt,
  oneOf,
  optional,
  rejectFields,
  stringAt,
} from '../fields.ts';
import type { Fields } from '../fields.ts';

const STATELESS = 'the proxy stores no responses.';

/** Fields that ask for what the proxy does not do. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  previous_response_id: `${STATELESS} Send all items in "input".`,
  conversation: `${STATELESS} Send all items in "input".`,
  prompt: `${STATELESS} Send the text of the prompt template in "instructions" or "input".`,
  moderation: 'the backend does not moderate. Remove the field.',
};

const summaryAt = (path: string, value: unknown) => oneOf(path, value, ['auto', 'concise', 'detailed']);
const verbosityAt = (path: string, value: unknown) => oneOf(path, value, ['low', 'medium', 'high']);

/** What `include` names to get reasoning that can be sent back. */
const SEALED_REASONING = 'reasoning.encrypted_content';

/** @throws DialectError for a field that cannot be translated and that the client relies on */
export function rejectUnsupported(request: Fields): void {
  rejectFields(request, UNSUPPORTED);
  if (optional(booleanAt, 'background', request['background']) === true) {
    throw invalidField('background', `${STATELESS} Set it to false and wait for the response.`);
  }
  if ((optional(arrayAt, 'context_management', request['context_management']) ?? []).length > 0) {
    throw invalidField('context_management', 'the proxy does not compact conversations. Remove the field.');
  }
  const include = optional(arrayAt, 'include', request['include']) ?? [];
  const logprobs = 'log probabilities cannot be translated. Do not ask for them.';
  if (include.includes('message.output_text.logprobs')) throw invalidField('include', logprobs);
  if ((optional(numberAt, 'top_logprobs', request['top_logprobs']) ?? 0) > 0) {
    throw invalidField('top_logprobs', logprobs);
  }
}

export interface Sampling {
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
}

export function readSampling(request: Fields): Sampling {
  return {
    temperature: optional(numberAt, 'temperature', request['temperature']),
    topP: optional(numberAt, 'top_p', request['top_p']),
    maxTokens: optional(countAt, 'max_output_tokens', request['max_output_tokens']),
    presencePenalty: optional(numberAt, 'presence_penalty', request['presence_penalty']),
    frequencyPenalty: optional(numberAt, 'frequency_penalty', request['frequency_penalty']),
  };
}

export interface ReasoningOptions {
  /** As the client wrote it. */
  readonly echo: Reasoning;
  readonly chat: Pick<ChatRequest, 'reasoning_effort'>;
  readonly summarizes: boolean;
  readonly isSealed: boolean;
}

/** The effort, and in which forms the client wants the reasoning. */
export function readReasoning(request: Fields): ReasoningOptions {
  const reasoning = optional(objectAt, 'reasoning', request['reasoning']) ?? {};
  const effort = optional(effortAt, 'reasoning.effort', reasoning['effort']);
  const kind = reasoning['summary'] ?? reasoning['generate_summary'];
  const summary = kind === 'none' ? undefined : optional(summaryAt, 'reasoning.summary', kind);
  return {
    echo: { effort: (effort ?? null) as NonNullable<Reasoning['effort']> | null, summary: summary ?? null },
    chat: effort === undefined ? {} : { reasoning_effort: EFFORTS[effort] },
    summarizes: summary !== undefined,
    isSealed: (optional(arrayAt, 'include', request['include']) ?? []).includes(SEALED_REASONING),
  };
}

export interface TextOptions {
  readonly format: ResponseTextConfig;
  readonly chat: Pick<ChatRequest, 'response_format' | 'verbosity'>;
}

/** The format and the length of the text. */
export function readText(request: Fields): TextOptions {
  const text = optional(objectAt, 'text', request['text']) ?? {};
  const verbosity = optional(verbosityAt, 'text.verbosity', text['verbosity']);
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
      jsonAt('text.format', format);
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
