// Embeddings without a model: deterministic, and close together for texts with the same words.
import { createHash } from 'node:crypto';
import { asObject } from '../../shared/json.ts';
import { ApiError, invalid } from './apiErrors.ts';
import { EMBEDDING_MODEL } from './catalogue.ts';

const EMBEDDING_DIMENSIONS = 768;

/** Further words are ignored, like text beyond a context window. */
const MAX_WORDS = 512;

/**
 * Answers an embeddings request.
 * @param value the parsed body
 * @throws ApiError
 */
export function answerEmbeddings(value: unknown): object {
  const fields = asObject(value);
  if (fields === undefined) throw new ApiError(400, 'upstream_invalid_request', 'The body is not a JSON object');
  const { model = EMBEDDING_MODEL, encoding_format: format = 'float', dimensions = EMBEDDING_DIMENSIONS } = fields;
  if (model !== EMBEDDING_MODEL) {
    throw new ApiError(400, 'upstream_invalid_request', `Unknown embedding model ${JSON.stringify(model)}`, 'model');
  }
  if (format !== 'float' && format !== 'base64') throw invalid('encoding_format', 'must be float or base64');
  if (dimensions !== EMBEDDING_DIMENSIONS) {
    throw new ApiError(400, 'upstream_unsupported_parameter', 'This model has 768 dimensions', 'dimensions');
  }
  const texts = parseInput(fields['input']);
  const tokens = texts.reduce((count, text) => count + Math.ceil(text.length / 4), 0);
  return {
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: encode(embed(text), format) })),
    model: EMBEDDING_MODEL,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** One or several inputs, each a text or a list of tokens. Each token is treated as a word. */
function parseInput(value: unknown): readonly string[] {
  const inputs = Array.isArray(value) && !isTokenList(value) ? (value as unknown[]) : [value];
  const texts = inputs.map((input) => {
    if (typeof input === 'string' && input !== '') return input;
    if (isTokenList(input)) return input.join(' ');
    throw invalid('input', 'must be one or several non-empty texts');
  });
  if (texts.length === 0) throw invalid('input', 'must be one or several non-empty texts');
  return texts;
}

function isTokenList(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token));
}

/** A unit vector: the sum of a pseudo-random direction for each word. */
function embed(text: string): Float32Array {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  const sum = new Float64Array(EMBEDDING_DIMENSIONS);
  for (const word of words.slice(0, MAX_WORDS)) {
    const direction = createHash('shake256', { outputLength: EMBEDDING_DIMENSIONS }).update(word).digest();
    direction.forEach((byte, index) => {
      sum[index] = (sum[index] ?? 0) + byte - 127.5;
    });
  }
  const length = Math.hypot(...sum);
  return Float32Array.from(sum, (component) => component / length);
}

function encode(vector: Float32Array, format: 'float' | 'base64'): number[] | string {
  if (format === 'float') return [...vector];
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  vector.forEach((component, index) => bytes.writeFloatLE(component, index * Float32Array.BYTES_PER_ELEMENT));
  return bytes.toString('base64');
}
