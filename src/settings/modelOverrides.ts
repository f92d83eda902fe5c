/** The efforts of the Chat Completions API. A model may accept only some of them. */
export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** Undefined for any other value. */
export function parseEffort(value: unknown): ReasoningEffort | undefined {
  return REASONING_EFFORTS.find((effort) => effort === value);
}

/** What a user states about a chat model (limits in tokens). The backend's own report fills missing fields. */
export interface ModelOverride {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly tools?: boolean;
  readonly images?: boolean;
  /** How much the model reasons before it answers. */
  readonly reasoningEffort?: ReasoningEffort;
}

/** By model ID. */
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;

const TOKENS = { type: 'integer', minimum: 1 };
const SWITCH = { type: 'boolean' };

/** JSON Schema of one override. */
export const MODEL_OVERRIDE_JSON = {
  type: 'object',
  properties: {
    contextWindow: TOKENS,
    maxOutputTokens: TOKENS,
    tools: SWITCH,
    images: SWITCH,
    reasoningEffort: { type: 'string', enum: REASONING_EFFORTS },
  },
  additionalProperties: false,
};
