// Estimates the number of tokens in a message. Pure.
import { PER_IMAGE, PER_MESSAGE, countTokens } from '../shared/tokens.ts';
import type { Message, Part } from './request.ts';

/** The estimated number of tokens in a message with all its parts. */
export function countMessageTokens({ parts }: Message): number {
  return PER_MESSAGE + sum(parts);
}

function sum(parts: readonly Part[]): number {
  return parts.map(countPart).reduce((total, count) => total + count, 0);
}

function countPart(part: Part): number {
  switch (part.kind) {
    case 'text':
      return countTokens(part.text);
    case 'thinking':
      return 0;
    case 'image':
      return PER_IMAGE;
    case 'toolCall':
      return PER_MESSAGE + countTokens(part.name) + countTokens(JSON.stringify(part.input ?? {}));
    case 'toolResult':
      return PER_MESSAGE + sum(part.parts);
  }
}
