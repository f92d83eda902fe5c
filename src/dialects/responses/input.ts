// The items of `input`.
import type { ChatMessage } from '../chatCompletions.ts';
import type { RequestContext } from '../dialect.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, jsonAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { contentAt, textAt } from './content.ts';
import type { InputPart } from './content.ts';
import { Conversation } from './conversation.ts';
import type { ClientTool } from './plan.ts';
import type { ToolNames } from './toolNames.ts';
import { CUSTOM_INPUT, SEARCH, describeFound, readTools } from './tools.ts';

/** Records of what other servers did: the model gets nothing from them. */
const WITHOUT_CONTENT = ['web_search_call'];

export interface Input {
  readonly instructions: string | undefined;
  /** The field of the request. */
  readonly input: unknown;
  /** Whether the model does. */
  readonly seesImages: boolean;
  readonly open?: RequestContext['open'];
}

/** The messages of the instructions and of the input. */
export function readInput({ instructions, input, seesImages, open }: Input, names: ToolNames): ChatMessage[] {
  const conversation = new Conversation(seesImages);
  if (instructions !== undefined) conversation.addMessage({ role: 'system', content: instructions });
  if (typeof input === 'string') conversation.addMessage({ role: 'user', content: input });
  else {
    if (!Array.isArray(input)) throw invalidField('input', 'must be a string or an array of items.');
    input.forEach((item, index) => {
      readItem(`input[${index}]`, objectAt(`input[${index}]`, item), { names, conversation, open });
    });
  }
  return conversation.end();
}

interface Reading extends Pick<Input, 'open'> {
  readonly names: ToolNames;
  readonly conversation: Conversation;
}

function readItem(path: string, item: Fields, { names, conversation, open }: Reading): void {
  const type = optional(stringAt, `${path}.type`, item['type']) ?? ('role' in item ? 'message' : '');
  switch (type) {
    case 'message':
      readMessage(path, item, conversation);
      break;
    case 'reasoning': {
      const text = reasoningText(path, item, open);
      if (text !== '') conversation.addReasoning(text);
      break;
    }
    case 'function_call':
    case 'custom_tool_call':
      readCall(path, item, names, conversation);
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      conversation.addResult(path, callIdAt(path, item), contentAt(`${path}.output`, item['output']));
      break;
    case 'tool_search_call':
      readSearch(path, item, names, conversation);
      break;
    case 'tool_search_output': {
      const text = describeFound(readTools(item['tools'], names, `${path}.tools`));
      if (isOfClient(item)) conversation.addResult(path, callIdAt(path, item), [{ type: 'text', text }]);
      break;
    }
    case 'additional_tools': // offered with the others
      break;
    case 'item_reference':
      throw invalidField(
        path,
        'the proxy stores no items. Send the item itself: set "store" to false in the client, for example as an option of the AI SDK\'s provider.',
      );
    default:
      if (WITHOUT_CONTENT.includes(type)) break;
      throw invalidField(
        `${path}.type`,
        'only messages, reasoning, and the calls and outputs of functions and custom tools can be translated.',
      );
  }
}

function readMessage(path: string, item: Fields, conversation: Conversation): void {
  const content = `${path}.content`;
  switch (item['role']) {
    case 'user':
      conversation.addMessage({ role: 'user', content: userContent(contentAt(content, item['content'])) });
      break;
    case 'system':
    case 'developer': // the templates of many models do not know it
      conversation.addMessage({ role: 'system', content: textAt(content, item['content']) });
      break;
    case 'assistant':
      conversation.addText(textAt(content, item['content']));
      break;
    default:
      throw invalidField(`${path}.role`, 'must be "user", "system", "developer" or "assistant".');
  }
}

function userContent(parts: readonly InputPart[]): string | InputPart[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' ? first.text : [...parts];
}

function readCall(path: string, item: Fields, names: ToolNames, conversation: Conversation): void {
  const id = callIdAt(path, item);
  const name = stringAt(`${path}.name`, item['name']);
  const namespace = optional(stringAt, `${path}.namespace`, item['namespace']);
  const kind = item['type'] === 'custom_tool_call' ? 'custom' : 'function';
  const json =
    kind === 'custom'
      ? JSON.stringify({ [CUSTOM_INPUT]: stringAt(`${path}.input`, item['input']) })
      : stringAt(`${path}.arguments`, item['arguments']);
  const alias = names.aliasOf(calledTool({ kind, name, ...(namespace !== undefined && { namespace }) }, names));
  conversation.addCall(path, { id, type: 'function', function: { name: alias, arguments: json } });
}

/** A tool that was loaded outside a namespace is called in one that has the tool's own name. */
function calledTool(tool: ClientTool, names: ToolNames): ClientTool {
  const { kind, name, namespace } = tool;
  const outside: ClientTool = { kind, name };
  return namespace === name && !names.has(tool) && names.has(outside) ? outside : tool;
}

function readSearch(path: string, item: Fields, names: ToolNames, conversation: Conversation): void {
  if (!isOfClient(item)) return;
  const json = jsonAt(`${path}.arguments`, objectAt(`${path}.arguments`, item['arguments']));
  const id = callIdAt(path, item);
  conversation.addCall(path, { id, type: 'function', function: { name: names.aliasOf(SEARCH), arguments: json } });
}

/** Searches of another server have no id: the model has not called them. */
function isOfClient(item: Fields): boolean {
  return item['execution'] !== 'server' && item['call_id'] !== null && item['call_id'] !== undefined;
}

function callIdAt(path: string, item: Fields): string {
  const id = stringAt(`${path}.call_id`, item['call_id']);
  if (id === '') throw invalidField(`${path}.call_id`, 'must not be empty.');
  return id;
}

/**
 * What the model has thought: as the proxy has sealed it, or the text itself, or else the summary, which has the text if the
 * proxy has made it. What others have sealed, or this proxy with another key, cannot be read.
 */
function reasoningText(path: string, item: Fields, open: Reading['open']): string {
  const sealed = optional(stringAt, `${path}.encrypted_content`, item['encrypted_content']);
  const opened = sealed === undefined ? undefined : open?.(sealed);
  if (opened !== undefined) return opened;
  for (const field of ['content', 'summary'] as const) {
    const parts = optional(arrayAt, `${path}.${field}`, item[field]) ?? [];
    const texts = parts.map((part, index) => {
      const partPath = `${path}.${field}[${index}]`;
      return stringAt(`${partPath}.text`, objectAt(partPath, part)['text']);
    });
    const text = texts.join('\n\n');
    if (text !== '') return text;
  }
  return '';
}
