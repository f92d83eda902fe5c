// Converts the editor's messages.
import * as vscode from 'vscode';
import type { Message, Part } from '../../../chat/request.ts';
import { tsxText } from '../../../chat/tsxText.ts';

/** The role `System`, which the published enumeration leaves out. */
const SYSTEM = 3;

export function toMessage({ role, content }: vscode.LanguageModelChatRequestMessage): Message {
  return { role: roleOf(role), parts: content.flatMap(toPart) };
}

function roleOf(role: number): Message['role'] {
  if (role === SYSTEM) return 'system';
  return role === (vscode.LanguageModelChatMessageRole.Assistant as number) ? 'assistant' : 'user';
}

function toPart(part: unknown): Part[] {
  if (typeof part === 'string') return [{ kind: 'text', text: part }];
  if (part instanceof vscode.LanguageModelTextPart) return [{ kind: 'text', text: part.value }];
  if (part instanceof vscode.LanguageModelPromptTsxPart) return [{ kind: 'text', text: tsxText(part.value) }];
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return [{ kind: 'toolCall', id: part.callId, name: part.name, input: part.input }];
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    return [{ kind: 'toolResult', id: part.callId, parts: part.content.flatMap(toPart) }];
  }
  if (part instanceof vscode.LanguageModelDataPart) return dataPart(part);
  return [{ kind: 'thinking' }];
}

/** Images, text and JSON are sent; other data, such as cache marks of other providers, is not. */
function dataPart({ mimeType, data }: vscode.LanguageModelDataPart): Part[] {
  if (mimeType.startsWith('image/')) return [{ kind: 'image', mime: mimeType, data }];
  const isText = mimeType === 'application/json' || (mimeType.startsWith('text/') && !mimeType.includes('x-'));
  return isText ? [{ kind: 'text', text: Buffer.from(data).toString('utf8') }] : [];
}
