// The fields of a request besides its input and tools.
import type { Response, ResponseTextConfig } from 'openai/resources/responses/responses';
import type { Reasoning } from 'openai/resources/shared';
import type { ChatRequest } from '../chatCompletions.ts';
import type { Reported } from '../chatReader.ts';
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
  optionalFields,
  rejectFields,
  stringAt,
} from '../fields.ts';
import type { Fields, FieldsOf } from '../fields.ts';

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

/** Fields that Chat Completions has as well. */
const SAMPLING = {
  temperature: numberAt,
  top_p: numberAt,
  presence_penalty: numberAt,
  frequency_penalty: numberAt,
} as const;

/** Fields with another name in Chat Completions, or for which the request decides whether they are passed on. */
const OTHERS = {
  max_output_tokens: countAt,
  instructions: stringAt,
  parallel_tool_calls: booleanAt,
  service_tier: stringAt,
} as const;

/** The client's own notes and limits: the backend does not get them. */
const NOTES = {
  max_tool_calls: countAt,
  metadata: metadataAt,
  prompt_cache_key: stringAt,
  safety_identifier: stringAt,
} as const;

/** The fields of a response that repeat those of the request, or the API's defaults. */
export type RequestEcho = Required<
  Pick<
    Response,
    | 'instructions'
    | 'max_output_tokens'
    | 'metadata'
    | 'parallel_tool_calls'
    | 'prompt_cache_key'
    | 'reasoning'
    | 'safety_identifier'
    | 'temperature'
    | 'text'
    | 'tool_choice'
    | 'tools'
    | 'top_p'
  >
> & {
  // not in the library's types, but in the schema of Open Responses
  readonly frequency_penalty: number;
  readonly max_tool_calls: number | null;
  readonly presence_penalty: number;
  /** As the client asked for it, until the backend says how it processed the request. */
  readonly service_tier: string;
};

/** In characters. A response does not repeat a longer field: it has it three times, and is kept until its end. */
const MAX_ECHO = 128 * 1024;

/** What a complete response says if the backend has reported nothing. */
export const UNREPORTED = { service_tier: 'auto' } satisfies Required<Reported>;

/** What a response says of fields that the request does not have. */
const ECHO_DEFAULTS: RequestEcho = {
  ...UNREPORTED,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  prompt_cache_key: null,
  reasoning: {},
  safety_identifier: null,
  temperature: 1,
  text: {},
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
};

/** Repeats these fields of the request; the defaults take the place of those that are missing or too long. */
export function echoOf(fields: {
  readonly [Name in keyof RequestEcho]?: RequestEcho[Name] | null | undefined;
}): RequestEcho {
  const repeated = Object.entries(fields).filter(([, value]) => {
    return value !== undefined && value !== null && JSON.stringify(value).length <= MAX_ECHO;
  });
  return { ...ECHO_DEFAULTS, ...Object.fromEntries(repeated) };
}

export interface Options {
  readonly instructions: string | undefined;
  /** Whether the model may call several tools at once; undefined if the client does not say. */
  readonly parallel: boolean | undefined;
  readonly chat: FieldsOf<typeof SAMPLING> & Pick<ChatRequest, 'max_tokens' | 'service_tier'>;
  readonly echo: Partial<RequestEcho>;
}

/** The fields that the response repeats as they are. */
export function readOptions(request: Fields): Options {
  const sampling = optionalFields(request, SAMPLING);
  const others = optionalFields(request, OTHERS);
  const { instructions, max_output_tokens: maxTokens, parallel_tool_calls: parallel, service_tier: tier } = others;
  return {
    instructions,
    parallel,
    chat: {
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...sampling,
      // the backend's default has no name that all backends know
      ...(tier !== undefined && tier !== 'auto' && { service_tier: tier as ChatTier }),
    },
    echo: { ...sampling, ...others, ...optionalFields(request, NOTES) },
  };
}

type ChatTier = NonNullable<ChatRequest['service_tier']>;

function metadataAt(path: string, value: unknown): Record<string, string> {
  const entries = Object.entries(objectAt(path, value));
  return Object.fromEntries(entries.map(([name, text]) => [name, stringAt(`${path}.${name.slice(0, 64)}`, text)]));
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
  const verbosity = optionalFields(text, { verbosity: verbosityAt }, 'text');
  const format = optional(objectAt, 'text.format', text['format']) ?? { type: 'text' };
  switch (format['type']) {
    case 'text':
      return { format: { format: { type: 'text' }, ...verbosity }, chat: verbosity };
    case 'json_object':
      return {
        format: { format: { type: 'json_object' }, ...verbosity },
        chat: { response_format: { type: 'json_object' }, ...verbosity },
      };
    case 'json_schema': {
      jsonAt('text.format', format);
      const more = optionalFields(format, { description: stringAt, strict: booleanAt }, 'text.format');
      const schema = {
        name: stringAt('text.format.name', format['name']),
        schema: objectAt('text.format.schema', format['schema']),
        ...more,
      };
      const unset = { description: null, strict: null } as object; // OpenAI's type has no null here, its API has
      return {
        format: { format: { type: 'json_schema', ...unset, ...schema }, ...verbosity },
        chat: { response_format: { type: 'json_schema', json_schema: schema }, ...verbosity },
      };
    }
    default:
      throw invalidField('text.format.type', 'must be "text", "json_schema" or "json_object".');
  }
}
