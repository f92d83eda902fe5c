// The reasoning effort in the editor's model picker. Pure.
import { capitalized } from '../presentation/text.ts';
import { parseEffort } from '../settings/modelOverrides.ts';
import type { ReasoningEffort } from '../settings/modelOverrides.ts';
import { fieldsOf } from '../shared/json.ts';
import type { ChatModel } from './models.ts';

const NAME = 'reasoningEffort';
/** Leaves the effort to the model. */
const DEFAULT = 'auto';
/** The efforts that every reasoning model accepts. */
const OFFERED: readonly ReasoningEffort[] = ['low', 'medium', 'high'];

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  [DEFAULT]: "The model's own reasoning effort",
  low: 'Faster responses with less reasoning',
  medium: 'A balance of reasoning and speed',
  high: 'More reasoning, but slower',
};

/** The choices for a model that reasons. What the user has set for it in `modelOverrides` takes the place of its default. */
export function effortChoices({ reasoningEffort }: Pick<ChatModel, 'reasoningEffort'>): object {
  const byDefault = reasoningEffort ?? DEFAULT;
  const values = [...new Set([byDefault, ...OFFERED])];
  return {
    type: 'object',
    properties: {
      [NAME]: {
        type: 'string',
        title: 'Reasoning Effort',
        group: 'navigation',
        enum: values,
        enumItemLabels: values.map(capitalized),
        enumDescriptions: values.map((value) => DESCRIPTIONS[value] ?? 'Set in sealedProxy.modelOverrides'),
        default: byDefault,
      },
    },
  };
}

/**
 * What the user has chosen.
 * @param configuration of a request, as the editor passes it; any value
 */
export function chosenEffort(configuration: unknown): ReasoningEffort | undefined {
  return parseEffort(fieldsOf(configuration)[NAME]);
}
