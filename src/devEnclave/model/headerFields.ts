import { HOP_BY_HOP_HEADERS } from '../../session/wire.ts';
import type { HeaderField } from '../../session/wire.ts';

const HOP_BY_HOP: ReadonlySet<string> = new Set(HOP_BY_HOP_HEADERS);

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
