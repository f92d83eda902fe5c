// Tools that the input brings along: those that the client's search found, and those that a program added.
import { asObject } from '../../../shared/json.ts';
import type { ToolNames } from '../tools/toolNames.ts';
import { readTools } from '../tools/tools.ts';
import type { OfferedTool } from '../tools/tools.ts';

/** The tools of each item that has some. */
export function findTools(input: unknown, names: ToolNames): OfferedTool[][] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((value, index) => {
    const item = asObject(value);
    const hasTools = item?.['type'] === 'tool_search_output' || item?.['type'] === 'additional_tools';
    return hasTools ? [readTools(item['tools'], names, `input[${index}].tools`)] : [];
  });
}

/** What the model reads as the result of its search. */
export function describeFound(tools: readonly OfferedTool[]): string {
  if (tools.length === 0) return 'No tools were found.';
  const lines = tools.map(({ chat }) => `- ${chat.function.name}: ${chat.function.description ?? ''}`.trimEnd());
  return ['These tools were found. You can call them now:', ...lines].join('\n');
}
