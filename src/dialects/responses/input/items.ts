// The items of `input`.
import type { ChatMessage } from '../../chatCompletions.ts';
import { invalidField } from '../../dialectError.ts';
import { arrayAt, objectAt, optional, stringAt } from '../../fields.ts';
import type { Fields } from '../../fields.ts';
import type { ToolNames } from '../tools/toolNames.ts';
import { CUSTOM_INPUT } from '../tools/tools.ts';
import { contentAt, textAt } from './content.ts';
import type { InputPart } from './content.ts';
import { Conversation } from './conversation.ts';

/** Records of what other servers did: the model gets nothing from them. */
const WITHOUT_CONTENT = ['web_search_call'];

/** The messages of the instructions and of the input. */
export function readInput(instructions: string | undefined, input: unknown, names: ToolNames): ChatMessage[] {
  const conversation = new Conversation();
  if (instructions !== undefined) conversation.addMessage({ role: 'system', content: instructions });
  if (typeof input === 'string') conversation.addMessage({ role: 'user', content: input });
  else {
    if (!Array.isArray(input)) throw invalidField('input', 'must be a string or an array of items.');
    input.forEach((item, index) => {
      readItem(`input[${index}]`, objectAt(`input[${index}]`, item), names, conversation);
    });
  }
  return conversation.end();
}

function readItem(path: string, item: Fields, names: ToolNames, conversation: Conversation): void {
  const type = optional(stringAt, `${path}.type`, item['type']) ?? ('role' in item ? 'message' : '');
  switch (type) {
    case 'message':
      readMessage(path, item, conversation);
      break;
    case 'reasoning': {
      const text = reasoningText(path, item);
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
    case 'item_reference':
      throw invalidField(path, 'the proxy stores no items. Send the item itself.');
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
  const alias = names.aliasOf({ kind, name, ...(namespace !== undefined && { namespace }) });
  conversation.addCall(path, { id, type: 'function', function: { name: alias, arguments: json } });
}

function callIdAt(path: string, item: Fields): string {
  const id = stringAt(`${path}.call_id`, item['call_id']);
  if (id === '') throw invalidField(`${path}.call_id`, 'must not be empty.');
  return id;
}

/** What the model has thought: the text itself, or else the summary, which has the text if the proxy has made it. */
function reasoningText(path: string, item: Fields): string {
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
