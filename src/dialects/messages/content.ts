// Blocks of content in a request: text, images and documents become parts of a Chat Completions message.
import type { ChatCompletionContentPartImage, ChatCompletionContentPartText } from 'openai/resources/chat/completions';
import { fieldsOf } from '../../shared/json.ts';
import { invalidField } from '../dialectError.ts';
import type { DialectError } from '../dialectError.ts';
import { objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { UNSEEN_IMAGE } from '../requestModel.ts';

export type Part = ChatCompletionContentPartText | ChatCompletionContentPartImage;

export interface Block {
  readonly path: string;
  readonly type: string;
  readonly fields: Fields;
}

/** A document is a PDF if it has one of these sources. */
const PDF_SOURCES: readonly unknown[] = ['base64', 'url'];
const IMAGE_TYPE = /^image\/[\w.+-]{1,50}$/;

/** The blocks of a content. A string is one block of text. */
export function blocksAt(path: string, value: unknown): Block[] {
  if (typeof value === 'string') return value === '' ? [] : [{ path, type: 'text', fields: { text: value } }];
  if (!Array.isArray(value)) throw invalidField(path, 'must be a string or an array of blocks.');
  return value.map((block, index) => blockAt(`${path}[${index}]`, block));
}

function blockAt(path: string, value: unknown): Block {
  const fields = objectAt(path, value);
  return { path, type: stringAt(`${path}.type`, fields['type']), fields };
}

/** The parts of a block that a user may send, or a tool may return. */
export function partsOf({ path, type, fields }: Block): Part[] {
  switch (type) {
    case 'text':
      return [text(stringAt(`${path}.text`, fields['text']))];
    case 'image':
      return [{ type: 'image_url', image_url: { url: imageUrl(`${path}.source`, fields['source']) } }];
    case 'document':
      return documentParts(path, fields);
    case 'search_result':
      return searchResult(path, fields);
    case 'tool_reference':
      return [text(`The tool ${stringAt(`${path}.tool_name`, fields['tool_name'])} is available now.`)];
    default:
      throw unsupportedBlock(path, type);
  }
}

/**
 * The parts of a block that a tool returned. Without what the model cannot read: a request that is rejected for the result
 * of a tool would be rejected in all later turns.
 */
export function resultPartsOf(block: Block, seesImages: boolean): Part[] {
  if (block.type === 'document' && PDF_SOURCES.includes(fieldsOf(block.fields['source'])['type'])) {
    return [text('The tool returned a PDF document, which this model cannot read. Convert it to text.')];
  }
  const parts = partsOf(block);
  if (seesImages) return parts;
  return parts.map((part) => (part.type === 'text' ? part : text(UNSEEN_IMAGE)));
}

export function unsupportedBlock(path: string, type: string): DialectError {
  return invalidField(`${path}.type`, `blocks of type ${JSON.stringify(type.slice(0, 100))} are not supported here.`);
}

/** The texts of blocks that must all be text. */
export function textsAt(path: string, value: unknown): string[] {
  return blocksAt(path, value).map((block) => {
    if (block.type !== 'text') throw unsupportedBlock(block.path, block.type);
    return stringAt(`${block.path}.text`, block.fields['text']);
  });
}

/** The text of parts, without the images. */
export function textOf(parts: readonly Part[]): string {
  return joinTexts(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
}

export function joinTexts(texts: readonly string[]): string {
  return texts.join('\n\n');
}

/** A string if there are no images, because every backend takes a string; otherwise the parts. */
export function contentOf(parts: readonly Part[]): string | Part[] {
  return parts.every(({ type }) => type === 'text') ? textOf(parts) : [...parts];
}

export function text(value: string): ChatCompletionContentPartText {
  return { type: 'text', text: value };
}

function imageUrl(path: string, value: unknown): string {
  const source = objectAt(path, value);
  const type = stringAt(`${path}.type`, source['type']);
  if (type === 'url') return stringAt(`${path}.url`, source['url']);
  if (type !== 'base64') throw unsupportedSource(path, type);
  const mediaType = stringAt(`${path}.media_type`, source['media_type']);
  if (!IMAGE_TYPE.test(mediaType)) throw invalidField(`${path}.media_type`, 'must be the media type of an image.');
  return `data:${mediaType};base64,${stringAt(`${path}.data`, source['data'])}`;
}

function unsupportedSource(path: string, type: string): DialectError {
  const problem = `sources of type ${JSON.stringify(type.slice(0, 100))} are not supported. The backend stores no files.`;
  return invalidField(`${path}.type`, problem);
}

/** The text of a document after its title and context. A PDF has no equivalent. */
function documentParts(path: string, fields: Fields): Part[] {
  const source = objectAt(`${path}.source`, fields['source']);
  const type = stringAt(`${path}.source.type`, source['type']);
  const head = ['title', 'context'].flatMap((name) => optional(stringAt, `${path}.${name}`, fields[name]) ?? []);
  return [...head.filter((line) => line !== '').map(text), ...documentBody(`${path}.source`, type, source)];
}

function documentBody(path: string, type: string, source: Fields): Part[] {
  if (type === 'text') return [text(stringAt(`${path}.data`, source['data']))];
  if (type === 'content') return blocksAt(`${path}.content`, source['content']).flatMap(simpleParts);
  if (PDF_SOURCES.includes(type)) {
    throw invalidField(path, 'PDF documents are not supported. Send their text, or their pages as images.');
  }
  throw unsupportedSource(path, type);
}

/** Documents contain only text and images: no nesting. */
function simpleParts(block: Block): Part[] {
  if (block.type !== 'text' && block.type !== 'image') throw unsupportedBlock(block.path, block.type);
  return partsOf(block);
}

function searchResult(path: string, fields: Fields): Part[] {
  const head = ['title', 'source'].map((name) => stringAt(`${path}.${name}`, fields[name])).join('\n');
  return [text(head), ...textsAt(`${path}.content`, fields['content']).map(text)];
}
