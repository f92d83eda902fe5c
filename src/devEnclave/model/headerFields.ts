import type { HeaderField } from '../../session/wire.ts';

/** RFC 9110 section 7.6.1. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Converts Node's `rawHeaders` (name, value, name, value ...) to fields with lower-case names. */
export function headerFields(rawHeaders: readonly string[]): HeaderField[] {
  const fields: HeaderField[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    fields.push({ name: (rawHeaders[index] ?? '').toLowerCase(), value: rawHeaders[index + 1] ?? '' });
  }
  return fields;
}

/** The fields to forward: neither hop-by-hop nor named by `connection`. */
export function endToEnd(fields: readonly HeaderField[]): HeaderField[] {
  const connection = fields.filter(({ name }) => name === 'connection').flatMap(({ value }) => value.split(','));
  const named = new Set(connection.map((name) => name.trim().toLowerCase()));
  return fields.filter(({ name }) => !HOP_BY_HOP.has(name) && !named.has(name));
}
