// Decides which header fields are forwarded in each direction. Pure functions over the flat lists that Node uses:
// name, value, name, value ...
import { FORBIDDEN_REQUEST_HEADERS, HOP_BY_HOP_HEADERS } from '../../session/wire.ts';
import type { HeaderField } from '../../session/wire.ts';
import { REQUEST_HEADERS } from '../../shared/ownership.ts';

/** The hop-by-hop headers, and those of older clients and of proxy authentication. */
const CONNECTION_HEADERS = [
  ...HOP_BY_HOP_HEADERS,
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'http2-settings',
];

const DROPPED_FROM_REQUESTS: ReadonlySet<string> = new Set([
  ...FORBIDDEN_REQUEST_HEADERS,
  ...CONNECTION_HEADERS,
  'cookie2',
  'x-real-ip',
  'accept-encoding', // the length of a compressed response reveals something about its content
  'expect',
  REQUEST_HEADERS.check,
]);

const DROPPED_FROM_RESPONSES: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  'set-cookie',
  'set-cookie2',
  'content-length', // the records mark the end of the body
]);

/** The client's headers that go into the envelope: names in lower case, order and repeats kept. */
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

/** The backend's headers that go to the client: order, repeats and spelling kept. */
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

/** `raw` with its CORS headers replaced by `cors`: the proxy decides which pages may read a response. Empty: no change. */
export function replaceCorsHeaders(raw: string[], cors: readonly string[]): string[] {
  if (cors.length === 0) return raw;
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!name.toLowerCase().startsWith('access-control-')) kept.push(name, raw[index + 1] ?? '');
  }
  return [...kept, ...cors];
}

/** The value of the only field with this name; undefined if the field is missing, null if it is repeated. */
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

/** True for the headers of an event stream. */
export function isEventStream(fields: readonly HeaderField[]): boolean {
  return /^text\/event-stream\s*(;|$)/i.test(fieldValue(fields, 'content-type') ?? '');
}

/** The value of the first field with this name, or undefined. */
export function fieldValue(fields: readonly HeaderField[], lowerCaseName: string): string | undefined {
  return fields.find(({ name }) => name.toLowerCase() === lowerCaseName)?.value;
}

function addTokens(tokens: Set<string> | undefined, value: string): Set<string> {
  const all = tokens ?? new Set<string>();
  for (const token of value.split(',')) all.add(token.trim().toLowerCase());
  return all;
}
