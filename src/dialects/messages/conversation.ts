// The messages of a request as messages of Chat Completions.
import { fieldsOf } from '../../shared/json.ts';
import type { ChatAssistantMessage, ChatMessage, ChatToolCall } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import type { DialectError } from '../dialectError.ts';
import { arrayAt, booleanAt, jsonAt, objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { blocksAt, contentOf, partsOf, resultPartsOf, text, textOf, unsupportedBlock } from './content.ts';
import type { Block, Part } from './content.ts';
import { toolChangeAt } from './tools.ts';
import type { ToolChange } from './tools.ts';
import { Transcript } from './transcript.ts';

export interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** Which tools the messages offer or withdraw, in their order. */
  readonly toolChanges: readonly ToolChange[];
  /** The effort that a system message sets for the current turn; undefined: that of the request. */
  readonly effort: unknown;
  /** Why the model cannot go on from here, although the messages can be counted; undefined: it can. */
  readonly problem: DialectError | undefined;
}

/**
 * @param value the field `messages`
 * @param seesImages whether the model may see images
 */
export function readConversation(value: unknown, seesImages: boolean): Conversation {
  const entries = arrayAt('messages', value);
  const reader = new ConversationReader(
    entries.findLastIndex((entry) => fieldsOf(entry)['role'] === 'user'),
    seesImages,
  );
  entries.forEach((entry, index) => {
    reader.read(`messages[${index}]`, entry, index);
  });
  const conversation = reader.end();
  if (conversation.messages.length > 0) return conversation;
  throw invalidField('messages', 'must contain at least one message with content.');
}

class ConversationReader {
  /** The index of the last message of the user, or -1. */
  readonly #lastUser: number;
  readonly #seesImages: boolean;
  readonly #transcript = new Transcript();
  readonly #toolChanges: ToolChange[] = [];
  #effort: unknown;
  /** The path of an assistant message that is the last one so far: the model should continue it. */
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
    else if (role === 'assistant') this.#transcript.addAssistant(path, assistantMessage(blocks));
    else throw invalidField(`${path}.role`, 'must be "user", "assistant" or "system".');
    this.#prefill = role === 'assistant' ? path : undefined;
  }

  end(): Conversation {
    const messages = this.#transcript.end();
    return { messages, toolChanges: this.#toolChanges, effort: this.#effort, problem: this.#findProblem() };
  }

  #findProblem(): DialectError | undefined {
    const { problem } = this.#transcript;
    if (problem !== undefined || this.#prefill === undefined) return problem;
    return invalidField(
      this.#prefill,
      'the backend cannot continue a message of the assistant. End the conversation with a message of the user.',
    );
  }

  #readSystem(path: string, message: Fields, index: number): void {
    const config = optional(objectAt, `${path}.output_config`, message['output_config']);
    if (config !== undefined) this.#effort = config['effort'];
    const parts = blocksAt(`${path}.content`, message['content'] ?? []).flatMap((block) => {
      const change = toolChangeAt(block);
      if (change === undefined && block.type !== 'text') throw unsupportedBlock(block.path, block.type);
      if (change === undefined) return partsOf(block);
      this.#toolChanges.push(change);
      return [];
    });
    const isCleared = message['clear_at'] === 'next_user_message' && index < this.#lastUser;
    if (parts.length > 0 && !isCleared) this.#transcript.add({ role: 'system', content: textOf(parts) });
  }

  /** The results of tools come first, in the order of their calls; all other blocks, and the images that tools returned, in one message after them. */
  #readUser(blocks: readonly Block[]): void {
    const positionOf = ({ fields }: Block) => this.#transcript.positionOf(fields['tool_use_id']);
    const results = blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ block, position: positionOf(block) }))
      .toSorted((one, other) => one.position - other.position);
    const others = blocks.filter(({ type }) => type !== 'tool_result');
    const parts = [...results.flatMap(({ block }) => this.#readResult(block)), ...others.flatMap(partsOf)];
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
    this.#transcript.addResult(path, id, failed ? `The tool failed:\n${words}` : words);
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
