// The content of messages and of tool results.
import type { ChatContentPart } from '../chatCompletions.ts';
import { invalidField } from '../dialectError.ts';
import { objectAt, optional, stringAt } from '../fields.ts';
import type { Fields } from '../fields.ts';

export type ImagePart = Extract<ChatContentPart, { type: 'image_url' }>;
export type InputPart = { readonly type: 'text'; readonly text: string } | ImagePart;

const DETAILS = ['auto', 'low', 'high'] as const;
/** `data:text/plain;charset=utf-8;base64,`: the media type of the data that follow. */
const DATA_URL = /^data:([a-z]{1,20}\/[\w.+-]{1,100})(?:;[^,]{0,200})?;base64,/i;
const TEXT_TYPE = /^(?:text\/|application\/(?:json|xml|yaml|javascript|typescript|toml|x-sh)$)|\+(?:json|xml)$/i;

/** A text, or a list of parts. */
export function contentAt(path: string, value: unknown): readonly InputPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw invalidField(path, 'must be a string or an array.');
  return value.map((part, index) => partAt(`${path}[${index}]`, objectAt(`${path}[${index}]`, part)));
}

/** The texts of a content that cannot have anything else. */
export function textAt(path: string, value: unknown): string {
  const texts = contentAt(path, value).map((part, index) => {
    if (part.type === 'text') return part.text;
    throw invalidField(`${path}[${index}]`, 'only messages of the user and results of tools can contain images.');
  });
  return texts.join('\n');
}

function partAt(path: string, part: Fields): InputPart {
  const { type } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: stringAt(`${path}.text`, part['text']) };
    case 'refusal':
      return { type: 'text', text: stringAt(`${path}.refusal`, part['refusal']) };
    case 'input_image':
      return imageAt(path, part);
    case 'input_file':
      return { type: 'text', text: fileAt(path, part) };
    default:
      throw invalidField(
        `${path}.type`,
        'must be "input_text", "output_text", "refusal", "input_image" or "input_file". Other content cannot be translated.',
      );
  }
}

function imageAt(path: string, part: Fields): ImagePart {
  if (typeof part['file_id'] === 'string') {
    throw invalidField(`${path}.file_id`, 'the backend stores no files. Send the image as a data URL in image_url.');
  }
  const url = stringAt(`${path}.image_url`, part['image_url']);
  const name = optional(stringAt, `${path}.detail`, part['detail']);
  const detail = DETAILS.find((known) => known === (name === 'original' ? 'high' : name));
  if (name !== undefined && detail === undefined) {
    throw invalidField(`${path}.detail`, 'must be "auto", "low", "high" or "original".');
  }
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

/** The text of a file, after its name. */
function fileAt(path: string, part: Fields): string {
  for (const field of ['file_id', 'file_url'] as const) {
    if (typeof part[field] !== 'string') continue;
    throw invalidField(`${path}.${field}`, 'the backend stores and loads no files. Send the text of the file.');
  }
  const data = stringAt(`${path}.file_data`, part['file_data']);
  const name = optional(stringAt, `${path}.filename`, part['filename']);
  const text = textOfData(data);
  if (text === undefined) {
    throw invalidField(`${path}.file_data`, 'only text files in UTF-8 can be translated. Send the text of the file.');
  }
  return name === undefined ? text : `${name}:\n${text}`;
}

/** The text in a data URL or in Base64; undefined if it is not a text. */
function textOfData(data: string): string | undefined {
  const [prefix, type] = DATA_URL.exec(data) ?? ['', undefined];
  if (type !== undefined && !TEXT_TYPE.test(type)) return undefined;
  const bytes = Buffer.from(data.slice(prefix.length), 'base64');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') || (text === '' && data.length > prefix.length) ? undefined : text;
  } catch {
    return undefined;
  }
}
