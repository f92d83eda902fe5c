// The tools that a request offers to the model.
import type { ChatRequest, ChatTool } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, jsonAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import type { ToolChange } from './toolChanges.ts';

/** Tools that Anthropic's servers run. A client that has other tools can go on without them. */
const SERVER_TOOL = /^(web_search|web_fetch|code_execution|tool_search_tool|advisor)_/;
const TOOL_SEARCH = /^tool_search_tool_/;

interface Tool {
  readonly name: string;
  readonly definition: ChatTool;
  /** Offered only after a message has referred to it. */
  readonly isDeferred: boolean;
}

/** The fields of a Chat Completions request for the fields `tools` and `tool_choice`. */
export function readTools(
  request: Fields,
  changes: readonly ToolChange[],
): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const entries = optional(arrayAt, 'tools', request['tools']) ?? [];
  const tools = new Map<string, Tool>();
  const serverTools: string[] = [];
  entries.forEach((entry, index) => {
    const path = `tools[${index}]`;
    const fields = objectAt(path, entry);
    const type = optional(stringAt, `${path}.type`, fields['type']) ?? 'custom';
    if (SERVER_TOOL.test(type)) serverTools.push(path);
    else addTool(tools, path, toolAt(path, type, fields));
  });
  const [serverTool] = serverTools;
  if (serverTool !== undefined && tools.size === 0) {
    throw invalidField(serverTool, 'the backend cannot run this tool. Remove it, or offer a tool of your own.');
  }
  const hasSearch = entries.some((entry) => TOOL_SEARCH.test(String(objectAt('tools', entry)['type'])));
  const choice = choiceAt(request['tool_choice']);
  const offered = offeredTools(tools, changes, hasSearch, choice.name);
  if (choice.name !== undefined && !offered.some(({ name }) => name === choice.name)) {
    throw invalidField('tool_choice.name', 'must be the name of a tool of this request.');
  }
  if (offered.length === 0) {
    if (choice.value === 'required') throw invalidField('tool_choice', 'requires a tool, but the request has none.');
    return {};
  }
  return {
    tools: offered.map(({ definition }) => definition),
    ...(choice.value !== undefined && { tool_choice: choice.value }),
    ...(choice.isSerial && { parallel_tool_calls: false }),
  };
}

function addTool(tools: Map<string, Tool>, path: string, tool: Tool): void {
  if (tools.has(tool.name)) throw invalidField(`${path}.name`, 'another tool has the same name.');
  tools.set(tool.name, tool);
}

function toolAt(path: string, type: string, fields: Fields): Tool {
  if (type !== 'custom') {
    const problem = `tools of type ${JSON.stringify(type.slice(0, 100))} are not supported. Define the tool yourself, with an input_schema.`;
    throw invalidField(`${path}.type`, problem);
  }
  const name = stringAt(`${path}.name`, fields['name']);
  const description = optional(stringAt, `${path}.description`, fields['description']);
  const parameters = objectAt(`${path}.input_schema`, fields['input_schema']);
  jsonAt(`${path}.input_schema`, parameters);
  const strict = optional(booleanAt, `${path}.strict`, fields['strict']);
  const examples = (optional(arrayAt, `${path}.input_examples`, fields['input_examples']) ?? []).map((example, index) =>
    jsonAt(`${path}.input_examples[${index}]`, example),
  );
  const words =
    examples.length > 0 ? [description ?? '', 'Examples of the input:', ...examples].join('\n') : description;
  return {
    name,
    definition: {
      type: 'function',
      function: {
        name,
        ...(words !== undefined && { description: words.trimStart() }),
        parameters,
        ...(strict === true && { strict }),
      },
    },
    isDeferred: optional(booleanAt, `${path}.defer_loading`, fields['defer_loading']) === true,
  };
}

/** @param hasSearch whether the model was to find deferred tools with a server tool: it is offered all of them instead */
function offeredTools(
  tools: Map<string, Tool>,
  changes: readonly ToolChange[],
  hasSearch: boolean,
  chosen: string | undefined,
): readonly Tool[] {
  const names = new Set([...tools.values()].filter((tool) => !tool.isDeferred || hasSearch).map(({ name }) => name));
  if (chosen !== undefined) names.add(chosen);
  for (const change of changes) {
    if (change.kind === 'define') {
      const fields = objectAt(change.path, change.definition);
      const type = optional(stringAt, `${change.path}.type`, fields['type']) ?? 'custom';
      const tool = toolAt(change.path, type, fields);
      tools.set(tool.name, tool);
      names.add(tool.name);
    } else if (change.kind === 'offer') {
      names.add(change.name);
    } else {
      names.delete(change.name);
    }
  }
  return [...tools.values()].filter(({ name }) => names.has(name));
}

interface Choice {
  readonly value?: Exclude<ChatRequest['tool_choice'], undefined>;
  /** The tool that the model must call. */
  readonly name?: string;
  /** Whether the model must not call several tools at once. */
  readonly isSerial: boolean;
}

function choiceAt(value: unknown): Choice {
  const fields = optional(objectAt, 'tool_choice', value);
  if (fields === undefined) return { isSerial: false };
  const path = 'tool_choice.disable_parallel_tool_use';
  const isSerial = optional(booleanAt, path, fields['disable_parallel_tool_use']) === true;
  switch (fields['type']) {
    case 'auto':
      return { value: 'auto', isSerial };
    case 'any':
      return { value: 'required', isSerial };
    case 'none':
      return { value: 'none', isSerial };
    case 'tool': {
      const name = stringAt('tool_choice.name', fields['name']);
      return { value: { type: 'function', function: { name } }, name, isSerial };
    }
    default:
      throw invalidField('tool_choice.type', 'must be "auto", "any", "tool" or "none".');
  }
}
