// Tools that messages offer or withdraw in the middle of a conversation.
import { invalidField } from '../dialectError.ts';
import { objectAt, stringAt } from '../fields.ts';
import type { Block } from './content.ts';

export type ToolChange =
  | { readonly kind: 'offer' | 'withdraw'; readonly name: string }
  /** A tool that is not in the field `tools`. */
  | { readonly kind: 'define'; readonly path: string; readonly definition: unknown };

/** The change that a block makes; undefined for any other block. */
export function toolChangeAt({ path, type, fields }: Block): ToolChange | undefined {
  if (type !== 'tool_addition' && type !== 'tool_removal') return undefined;
  const tool = objectAt(`${path}.tool`, fields['tool']);
  if (tool['type'] === 'tool_definition' && type === 'tool_addition') {
    return { kind: 'define', path: `${path}.tool.definition`, definition: tool['definition'] };
  }
  if (tool['type'] !== 'tool_reference') throw invalidField(`${path}.tool.type`, 'must be "tool_reference".');
  const name = stringAt(`${path}.tool.name`, tool['name']);
  return { kind: type === 'tool_addition' ? 'offer' : 'withdraw', name };
}
