// Tools, and the choice among them.
import { asObject } from '../../shared/json.ts';
import type { ChatRequest, ChatTool } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, jsonAt, objectAt, optional, optionalFields, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import type { ClientTool } from './plan.ts';
import type { ToolNames } from './toolNames.ts';

/** The only argument of the function that stands for a custom tool. */
export const CUSTOM_INPUT = 'input';

/** Tools of OpenAI's servers that a model can do without, if it has others. */
const OPTIONAL_TYPE = /^(?:web_search|image_generation$|tool_search$)/;
/** The name of the function that stands for the client's search for tools. */
const SEARCH_NAME = 'tool_search';

/** Of tools in all namespaces, and of those that a choice allows: far more than a model can use. */
const MAX_TOOLS = 1024;
/** Of a namespace: each of its tools has it. In characters. */
const MAX_NAMESPACE = 256;

export interface OfferedTool {
  readonly client: ClientTool;
  readonly chat: ChatTool;
  /** What is said about all tools of its namespace. It is stated once, because there may be many tools. */
  readonly about?: string;
  /** For a tool that is to be offered only after a search has loaded it. */
  readonly deferred?: DeferredTool;
}

interface DeferredTool {
  readonly alias: string;
  /** As the client has sent it. */
  readonly definition: Fields;
  /** What a search can name: the tool's namespace, or the tool itself if it is outside of namespaces. */
  readonly searchedAs: string;
  /** Of the namespace, or else of the tool. */
  readonly description: string;
}

/** The tools in a list, as functions. */
export function readTools(value: unknown, names: ToolNames, path = 'tools'): OfferedTool[] {
  const tools = (optional(arrayAt, path, value) ?? []).map((tool, index) => ({
    path: `${path}[${index}]`,
    tool: objectAt(`${path}[${index}]`, tool),
  }));
  checkCount(
    path,
    tools.reduce((count, { tool }) => count + countOf(tool), 0),
  );
  // the tools outside namespaces keep their names
  for (const entry of tools) if (isTool(entry.tool)) names.aliasOf(clientTool(entry.path, entry.tool));
  const offered = tools.flatMap((entry) => readTool(entry.path, entry.tool, names));
  if (offered.length === 0 && tools.some(({ tool }) => tool['type'] !== 'namespace')) {
    throw invalidField(path, 'the backend has none of these tools. Remove them, or add functions.');
  }
  return offered;
}

/** The tools of each item of the input that has some: those that searches found, and those that a program added. */
export function readFoundTools(input: unknown, names: ToolNames): OfferedTool[][] {
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

/** The lists one after the other. A tool that is in several is offered once. */
export function joinTools(lists: readonly (readonly OfferedTool[])[]): OfferedTool[] {
  const byName = new Map<string, OfferedTool>();
  for (const tool of lists.flat()) {
    const { name } = tool.chat.function;
    if (!byName.has(name)) byName.set(name, tool);
  }
  const tools = [...byName.values()];
  checkCount('tools', tools.length);
  return tools;
}

function readTool(path: string, tool: Fields, names: ToolNames): OfferedTool[] {
  jsonAt(path, tool);
  if (isTool(tool)) return [offer(path, tool, names)];
  if (tool['type'] === 'namespace') return readNamespace(path, tool, names);
  const type = stringAt(`${path}.type`, tool['type']);
  // without a client that searches, all tools are offered from the start
  if (type === 'tool_search' && tool['execution'] === 'client') return [offer(path, tool, names)];
  if (OPTIONAL_TYPE.test(type)) return [];
  throw invalidField(
    `${path}.type`,
    `the backend has no tool ${JSON.stringify(type.slice(0, 100))}. Use tools of the types "function" and "custom".`,
  );
}

/** The tools that an entry stands for. */
function countOf({ type, tools }: Fields): number {
  return type === 'namespace' && Array.isArray(tools) ? tools.length : 1;
}

function checkCount(path: string, count: number): void {
  if (count > MAX_TOOLS) throw invalidField(path, `must not contain more than ${MAX_TOOLS} tools.`);
}

function isTool({ type }: Fields): boolean {
  return type === 'function' || type === 'custom';
}

function readNamespace(path: string, namespace: Fields, names: ToolNames): OfferedTool[] {
  const name = stringAt(`${path}.name`, namespace['name']);
  if (name.length > MAX_NAMESPACE)
    throw invalidField(`${path}.name`, `must not be longer than ${MAX_NAMESPACE} characters.`);
  const description = optional(stringAt, `${path}.description`, namespace['description']) ?? '';
  return arrayAt(`${path}.tools`, namespace['tools']).map((value, index) => {
    const toolPath = `${path}.tools[${index}]`;
    const tool = objectAt(toolPath, value);
    if (!isTool(tool)) throw invalidField(`${toolPath}.type`, 'must be "function" or "custom".');
    return offer(toolPath, tool, names, { name, description });
  });
}

interface Namespace {
  readonly name: string;
  /** Empty if it has none. */
  readonly description: string;
}

/** The client's search for more tools. */
export const SEARCH: ClientTool = { kind: 'search', name: SEARCH_NAME };

function clientTool(path: string, tool: Fields, namespace?: Namespace): ClientTool {
  if (tool['type'] === 'tool_search') return SEARCH;
  const name = stringAt(`${path}.name`, tool['name']);
  const kind = tool['type'] === 'custom' ? 'custom' : 'function';
  return { kind, name, ...(namespace !== undefined && { namespace: namespace.name }) };
}

function offer(path: string, tool: Fields, names: ToolNames, namespace?: Namespace): OfferedTool {
  const client = clientTool(path, tool, namespace);
  const alias = names.aliasOf(client);
  const own = optional(stringAt, `${path}.description`, tool['description']) ?? '';
  const description = joinTexts(own, client.kind === 'custom' ? describeFormat(`${path}.format`, tool['format']) : '');
  const { strict } = optionalFields(tool, { strict: booleanAt }, path);
  const parameters = client.kind === 'custom' ? CUSTOM_PARAMETERS : optionalFields(tool, PARAMETERS, path);
  const [searchedAs, about] = namespace === undefined ? [client.name, own] : [namespace.name, namespace.description];
  return {
    client,
    ...(namespace !== undefined && about !== '' && { about: `The tools of ${searchedAs}: ${about}` }),
    chat: {
      type: 'function',
      function: {
        name: alias,
        ...(description !== '' && { description }),
        ...parameters,
        ...(strict !== undefined && client.kind === 'function' && { strict }),
      },
    },
    ...(tool['defer_loading'] === true &&
      client.kind !== 'search' && { deferred: { alias, definition: tool, searchedAs, description: about } }),
  };
}

const PARAMETERS = { parameters: objectAt };

function joinTexts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

const CUSTOM_PARAMETERS = {
  parameters: {
    type: 'object',
    properties: { [CUSTOM_INPUT]: { type: 'string', description: 'The complete input of the tool, as plain text.' } },
    required: [CUSTOM_INPUT],
    additionalProperties: false,
  },
};

function describeFormat(path: string, value: unknown): string {
  const format = optional(objectAt, path, value) ?? {};
  if (format['type'] !== 'grammar') return '';
  const syntax = stringAt(`${path}.syntax`, format['syntax']);
  const definition = stringAt(`${path}.definition`, format['definition']);
  const language = syntax === 'lark' ? 'Lark' : syntax;
  return `The argument \`${CUSTOM_INPUT}\` must follow this grammar (${language}):\n\n${definition}`;
}

type Choice = Pick<ChatRequest, 'tools' | 'tool_choice'>;

/** The tools that the model may call, and whether it must. */
export function chooseTools(value: unknown, offered: readonly OfferedTool[]): Choice {
  if (value === undefined || value === null) return choice(offered);
  if (value === 'none' || value === 'auto') return choice(offered, value);
  if (value === 'required') return choice(offered, value);
  const fields = objectAt('tool_choice', value);
  jsonAt('tool_choice', fields);
  if (fields['type'] === 'allowed_tools') {
    const { mode } = fields;
    if (mode !== 'auto' && mode !== 'required') {
      throw invalidField('tool_choice.mode', 'must be "auto" or "required".');
    }
    const entries = arrayAt('tool_choice.tools', fields['tools']);
    checkCount('tool_choice.tools', entries.length);
    const allowed = entries.flatMap((tool, index) => {
      const path = `tool_choice.tools[${index}]`;
      return namedTools(path, objectAt(path, tool), offered);
    });
    return choice([...new Set(allowed)], mode);
  }
  const [chosen] = namedTools('tool_choice', fields, offered);
  if (chosen === undefined) throw invalidField('tool_choice', 'the backend does not have this tool.');
  return choice(offered, { type: 'function', function: { name: chosen.chat.function.name } });
}

function choice(tools: readonly OfferedTool[], toolChoice?: ChatRequest['tool_choice']): Choice {
  if (tools.length > 0)
    return { tools: describeOnce(tools), ...(toolChoice !== undefined && { tool_choice: toolChoice }) };
  if (toolChoice === 'required') throw invalidField('tool_choice', 'there is no tool that the model could call.');
  return {};
}

/** What is said about a namespace is in the description of its first tool. */
function describeOnce(tools: readonly OfferedTool[]): ChatTool[] {
  const stated = new Set<string>();
  return tools.map(({ chat, about }) => {
    if (about === undefined || stated.has(about)) return chat;
    stated.add(about);
    const description = joinTexts(about, chat.function.description ?? '');
    return { ...chat, function: { ...chat.function, description } };
  });
}

/** The tools that an entry names. A tool that was left out has none. */
function namedTools(path: string, entry: Fields, offered: readonly OfferedTool[]): readonly OfferedTool[] {
  const { type } = entry;
  if (typeof type === 'string' && OPTIONAL_TYPE.test(type)) return [];
  const name = stringAt(`${path}.name`, entry['name']);
  const namespace = optional(stringAt, `${path}.namespace`, entry['namespace']);
  const named = offered.filter(({ client }) =>
    type === 'namespace' ? client.namespace === name : client.kind === type && client.name === name,
  );
  const exact = named.filter(({ client }) => client.namespace === namespace);
  const found = exact.length > 0 || namespace !== undefined ? exact : named;
  if (found.length === 0) throw invalidField(path, 'the field "tools" does not contain this tool.');
  return found;
}
