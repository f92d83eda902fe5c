// The fields of a request besides its messages and tools.
import type { ChatRequest } from '../chatCompletions.ts';
import { DialectError, invalidField } from '../dialectError.ts';
import { EFFORTS, effortAt } from '../effort.ts';
import type { Effort } from '../effort.ts';
import {
  arrayAt,
  countAt,
  jsonAt,
  numberAt,
  objectAt,
  optional,
  optionalFields,
  rejectFields,
  stringAt,
} from '../fields.ts';
import type { Fields } from '../fields.ts';
import { THREAD_UNSUPPORTED } from './errors.ts';

/** What the backend cannot do, and a client relies on. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  container: 'the backend runs no code. Remove it.',
  compaction: 'the proxy does not compact conversations. Send shorter messages.',
};

/** Budgets of thinking, in tokens, below which the effort is lower than high. */
const LOW_BUDGET = 4096;
const MEDIUM_BUDGET = 16_384;

/** @throws DialectError for a field that has no equivalent and that the client relies on */
export function rejectUnsupported(request: Fields): void {
  rejectFields(request, UNSUPPORTED);
  if (request['thread'] !== undefined && request['thread'] !== null) {
    const message = 'thread: the proxy stores no conversations. Send all messages.';
    throw new DialectError(message, { status: 400, param: 'thread', code: THREAD_UNSUPPORTED });
  }
  const servers = optional(arrayAt, 'mcp_servers', request['mcp_servers']) ?? [];
  if (servers.length > 0) throw invalidField('mcp_servers', 'the backend connects to no MCP servers. Remove them.');
  const geography = optional(stringAt, 'inference_geo', request['inference_geo']) ?? 'global';
  if (geography !== 'global') throw invalidField('inference_geo', 'the proxy cannot choose where the model runs.');
  const management = optional(objectAt, 'context_management', request['context_management']) ?? {};
  const edits = optional(arrayAt, 'context_management.edits', management['edits']) ?? [];
  edits.forEach((edit, index) => {
    const path = `context_management.edits[${index}]`;
    const type = stringAt(`${path}.type`, objectAt(path, edit)['type']);
    if (!type.startsWith('clear_')) throw invalidField(path, 'the proxy does not compact conversations. Remove it.');
  });
}

type Sampling = Pick<ChatRequest, 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'stop'>;

/** @param outputLimit the most tokens that a response may have */
export function readSampling(request: Fields, outputLimit: number): Sampling {
  const { max_tokens: maxTokens, stop_sequences: stop = [], ...others } = optionalFields(request, SAMPLING);
  return {
    ...(maxTokens !== undefined && { max_tokens: Math.min(maxTokens, outputLimit) }),
    ...others,
    ...(stop.length > 0 && { stop }),
  };
}

const SAMPLING = {
  max_tokens: countAt,
  temperature: numberAt,
  top_p: numberAt,
  top_k: numberAt,
  stop_sequences: (path: string, value: unknown) =>
    arrayAt(path, value).map((text, index) => stringAt(`${path}[${index}]`, text)),
} as const;

/** The schema that the text of the response must follow. */
export function readFormat(request: Fields): Pick<ChatRequest, 'response_format'> {
  const config = optional(objectAt, 'output_config', request['output_config']) ?? {};
  const [path, value] =
    config['format'] === undefined
      ? ['output_format', request['output_format']]
      : ['output_config.format', config['format']];
  const format = optional(objectAt, path, value);
  if (format === undefined) return {};
  if (format['type'] !== 'json_schema') throw invalidField(`${path}.type`, 'must be "json_schema".');
  const schema = objectAt(`${path}.schema`, format['schema']);
  jsonAt(`${path}.schema`, schema);
  return { response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } } };
}

export interface Thinking {
  /** Undefined: as the model decides. */
  readonly effort: Effort | undefined;
  /** Whether the response leaves out what the model thinks. */
  readonly isHidden: boolean;
}

/** @param turnEffort the effort for the current turn; undefined: that of the request */
export function readThinking(request: Fields, turnEffort: unknown): Thinking {
  const config = optional(objectAt, 'output_config', request['output_config']) ?? {};
  const named = optional(effortAt, 'output_config.effort', turnEffort ?? config['effort']);
  const effort = named && EFFORTS[named];
  const thinking = optional(objectAt, 'thinking', request['thinking']);
  switch (thinking?.['type']) {
    case undefined:
      return { effort, isHidden: true }; // clients that do not ask for thinking do not expect its blocks
    case 'adaptive':
      return { effort, isHidden: false };
    case 'enabled': {
      const budget = optional(numberAt, 'thinking.budget_tokens', thinking['budget_tokens']);
      return { effort: effort ?? effortOf(budget), isHidden: false };
    }
    case 'between_tools':
      return { effort: 'low', isHidden: false };
    case 'disabled':
      return { effort: 'low', isHidden: true }; // not every reasoning model accepts an effort of "none"
    default:
      throw invalidField('thinking.type', 'must be "adaptive", "enabled", "between_tools" or "disabled".');
  }
}

function effortOf(budget: number | undefined): Effort | undefined {
  if (budget === undefined) return undefined;
  if (budget < LOW_BUDGET) return 'low';
  return budget < MEDIUM_BUDGET ? 'medium' : 'high';
}
