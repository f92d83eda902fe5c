// The messages of a request as messages of Chat Completions.
import { fieldsOf } from '../../shared/json.ts';
import type { ChatAssistantMessage, ChatMessage, ChatToolCall } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { arrayAt, booleanAt, jsonAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { blocksAt, contentOf, partsOf, resultPartsOf, text, textOf, unsupportedBlock } from './content.ts';
import type { Block, Part } from './content.ts';
import { toolChangeAt } from './toolChanges.ts';
import type { ToolChange } from './toolChanges.ts';
import { Transcript } from './transcript.ts';

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** Which tools the messages offer or withdraw, in their order. */
  readonly toolChanges: readonly ToolChange[];
  /** The effort that a system message sets for the current turn; undefined: that of the request. */
  readonly effort: unknown;
  /** The path of an assistant message that ends the conversation, so that the model should continue it. */
  readonly prefill: string | undefined;
}

/**
 * @param value the field `messages`
 * @param seesImages whether the model may see images
 */
export function readConversation(value: unknown, seesImages: boolean): Conversation {
  const entries = arrayAt('messages', value);
  if (entries.length === 0) throw invalidField('messages', 'must contain at least one message.');
  const reader = new ConversationReader(
    entries.findLastIndex((entry) => fieldsOf(entry)['role'] === 'user'),
    seesImages,
  );
  entries.forEach((entry, index) => {
    reader.read(`messages[${index}]`, entry, index);
  });
  return reader.end();
}

class ConversationReader {
  /** The index of the last message of the user, or -1. */
  readonly #lastUser: number;
  readonly #seesImages: boolean;
  readonly #transcript = new Transcript();
  readonly #toolChanges: ToolChange[] = [];
  #effort: unknown;
  #prefill: string | undefined;

  constructor(lastUser: number, seesImages: boolean) {
    this.#lastUser = lastUser;
    this.#seesImages = seesImages;
  }

  read(path: string, value: unknown, index: number): void {
    const message = objectAt(path, value);
    const role = stringAt(`${path}.role`, message['role']);
    if (role === 'system' || role === 'developer') {
      this.#readSystem(path, message, index);
      return;
    }
    const blocks = blocksAt(`${path}.content`, message['content']);
    if (role === 'user') this.#readUser(blocks);
    else if (role === 'assistant') this.#transcript.addAssistant(assistantMessage(blocks));
    else throw invalidField(`${path}.role`, 'must be "user", "assistant" or "system".');
    this.#prefill = role === 'assistant' ? path : undefined;
  }

  end(): Conversation {
    return {
      messages: this.#transcript.end(),
      toolChanges: this.#toolChanges,
      effort: this.#effort,
      prefill: this.#prefill,
    };
  }

  #readSystem(path: string, message: Fields, index: number): void {
    const config = optional(objectAt, `${path}.output_config`, message['output_config']);
    if (config !== undefined) this.#effort = config['effort'];
    const parts: Part[] = [];
    for (const block of blocksAt(`${path}.content`, message['content'] ?? [])) {
      const change = toolChangeAt(block);
      if (change !== undefined) this.#toolChanges.push(change);
      else if (block.type === 'text') parts.push(...partsOf(block));
      else throw unsupportedBlock(block.path, block.type);
    }
    const isCleared = message['clear_at'] === 'next_user_message' && index < this.#lastUser;
    if (parts.length > 0 && !isCleared) this.#transcript.add({ role: 'system', content: textOf(parts) });
  }

  /** The results of tools come first; all other blocks, and the images that tools returned, in one message after them. */
  #readUser(blocks: readonly Block[]): void {
    const parts: Part[] = [];
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const block of results) parts.push(...this.#readResult(block));
    const others = blocks.filter(({ type }) => type !== 'tool_result');
    parts.push(...others.flatMap(partsOf));
    if (parts.length > 0 || results.length === 0) this.#transcript.add({ role: 'user', content: contentOf(parts) });
    if (others.length > 0) this.#effort = undefined;
  }

  /** Adds a tool message, which contains only text, and returns the images. */
  #readResult({ path, fields }: Block): Part[] {
    const id = stringAt(`${path}.tool_use_id`, fields['tool_use_id']);
    const blocks = blocksAt(`${path}.content`, fields['content'] ?? []);
    const parts = blocks.flatMap((block) => resultPartsOf(block, this.#seesImages));
    for (const { type, fields: reference } of blocks) {
      if (type === 'tool_reference') this.#toolChanges.push({ kind: 'offer', name: String(reference['tool_name']) });
    }
    const images = parts.filter(({ type }) => type === 'image_url');
    const words = textOf(parts) || (images.length > 0 ? 'The result is in the next message of the user.' : '');
    const failed = optional(booleanAt, `${path}.is_error`, fields['is_error']) === true;
    this.#transcript.addResult(id, failed ? `The tool failed:\n${words}` : words);
    return images.length > 0 ? [text(`The result of the tool call ${id}:`), ...images] : [];
  }
}

function assistantMessage(blocks: readonly Block[]): ChatAssistantMessage {
  let content = '';
  let reasoning = '';
  const calls: ChatToolCall[] = [];
  for (const { path, type, fields } of blocks) {
    if (type === 'text') content += stringAt(`${path}.text`, fields['text']);
    else if (type === 'thinking') reasoning += stringAt(`${path}.thinking`, fields['thinking']);
    else if (type === 'tool_use') calls.push(toolCall(path, fields));
    else if (type !== 'redacted_thinking') throw unsupportedBlock(path, type); // that one is encrypted for another model
  }
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function toolCall(path: string, fields: Fields): ChatToolCall {
  const input = objectAt(`${path}.input`, fields['input'] ?? {});
  return {
    id: stringAt(`${path}.id`, fields['id']),
    type: 'function',
    function: { name: stringAt(`${path}.name`, fields['name']), arguments: jsonAt(`${path}.input`, input) },
  };
}
