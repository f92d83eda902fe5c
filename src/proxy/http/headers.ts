// Which header fields travel, each way. Pure functions over the flat lists that Node gives and takes:
// name, value, name, value ...
import type { HeaderField } from '../../session/wire.ts';
import { FORBIDDEN_REQUEST_HEADERS } from '../../session/wire.ts';

/** RFC 9110 section 7.6.1, and what older clients send. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

const DROPPED_FROM_REQUESTS: ReadonlySet<string> = new Set([
  ...FORBIDDEN_REQUEST_HEADERS,
  ...HOP_BY_HOP,
  'cookie2',
  'x-real-ip',
  'accept-encoding', // the length of a compressed answer tells of its content
  'expect',
]);

const DROPPED_FROM_RESPONSES: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'set-cookie',
  'set-cookie2',
  'content-length', // the records say where the body ends
]);

/** The fields that go into the envelope: lower-case names, the client's order and repeats. */
export function requestHeaders(raw: readonly string[]): HeaderField[] {
  const fields: HeaderField[] = [];
  let named: Set<string> | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const value = raw[index + 1] ?? '';
    if (name === 'connection') named = addTokens(named, value);
    else if (!DROPPED_FROM_REQUESTS.has(name) && !name.startsWith('x-forwarded-')) fields.push({ name, value });
  }
  return named === undefined ? fields : fields.filter(({ name }) => !named.has(name));
}

/** The fields that go back to the client: the backend's order, repeats and spelling. */
export function responseHeaders(fields: readonly HeaderField[]): string[] {
  let named: Set<string> | undefined;
  for (const { name, value } of fields) {
    if (name.toLowerCase() === 'connection') named = addTokens(named, value);
  }
  const raw: string[] = [];
  for (const { name, value } of fields) {
    const lowerCase = name.toLowerCase();
    if (!DROPPED_FROM_RESPONSES.has(lowerCase) && named?.has(lowerCase) !== true) raw.push(name, value);
  }
  return raw;
}

/** The value of the one field with this name; undefined if there is none, null if there are several. */
export function singleValue(raw: readonly string[], lowerCaseName: string): string | undefined | null {
  let found: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue;
    if (found !== undefined) return null;
    found = raw[index + 1] ?? '';
  }
  return found;
}

/** The value of the first field with this name. */
export function fieldValue(fields: readonly HeaderField[], lowerCaseName: string): string | undefined {
  return fields.find(({ name }) => name.toLowerCase() === lowerCaseName)?.value;
}

function addTokens(tokens: Set<string> | undefined, value: string): Set<string> {
  const all = tokens ?? new Set<string>();
  for (const token of value.split(',')) all.add(token.trim().toLowerCase());
  return all;
}
