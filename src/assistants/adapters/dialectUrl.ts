// The base URLs of the dialects, given that of Chat Completions. Pure.
import type { DialectName } from '../../dialects/dialect.ts';

const CHAT = '/v1';
const PATHS: Readonly<Record<DialectName, string>> = { messages: '/anthropic', responses: '/responses/v1' };

/** @param baseUrl with `/v1` */
export function toDialectUrl(baseUrl: string, dialect: DialectName): string {
  return baseUrl.replace(/\/v1\/?$/, '') + PATHS[dialect];
}

/** The base URL with `/v1` of a dialect's; any other value as it is. */
export function fromDialectUrl(url: unknown, dialect: DialectName): unknown {
  const path = PATHS[dialect];
  return typeof url === 'string' && url.endsWith(path) ? url.slice(0, -path.length) + CHAT : url;
}
