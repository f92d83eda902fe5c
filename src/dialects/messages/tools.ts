// The tools that a request offers to the model.
import type { ChatRequest, ChatTool } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, jsonAt, objectAt, optional, optionalFields, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import type { Block } from './content.ts';

/** Tools that Anthropic's servers run. A client that has other tools can go on without them. */
const SERVER_TOOL = /^(web_search|web_fetch|code_execution|tool_search_tool|advisor)_/;
const TOOL_SEARCH = /^tool_search_tool_/;

interface Tool {
  readonly name: string;
  readonly definition: ChatTool;
  /** Offered only after a message has referred to it. */
  readonly isDeferred: boolean;
}

/** A tool that a message offers or withdraws in the middle of a conversation. */
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

/** The fields of a Chat Completions request for the fields `tools` and `tool_choice`. */
export function readTools(
  request: Fields,
  changes: readonly ToolChange[],
): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const entries = optional(arrayAt, 'tools', request['tools']) ?? [];
  const tools = new Map<string, Tool>();
  const serverTools: (readonly [path: string, type: string])[] = [];
  entries.forEach((entry, index) => {
    const path = `tools[${index}]`;
    const fields = objectAt(path, entry);
    const type = optional(stringAt, `${path}.type`, fields['type']) ?? 'custom';
    if (SERVER_TOOL.test(type)) serverTools.push([path, type]);
    else addTool(tools, path, toolAt(path, type, fields));
  });
  const [serverTool] = serverTools;
  if (serverTool !== undefined && tools.size === 0) {
    const [path, type] = serverTool;
    const problem = `the tool ${type.slice(0, 100)} runs on Anthropic's servers, not here. Offer a tool of your own.`;
    throw invalidField(path, problem);
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
  const parameters = objectAt(`${path}.input_schema`, fields['input_schema']);
  jsonAt(`${path}.input_schema`, parameters);
  const {
    description,
    input_examples: examples = [],
    strict = false,
    defer_loading: isDeferred = false,
  } = optionalFields(fields, TOOL_FIELDS, path);
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
        ...(strict && { strict }),
      },
    },
    isDeferred,
  };
}

const TOOL_FIELDS = {
  description: stringAt,
  strict: booleanAt,
  input_examples: (path: string, value: unknown) =>
    arrayAt(path, value).map((example, index) => jsonAt(`${path}[${index}]`, example)),
  defer_loading: booleanAt,
} as const;

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
