import { PROXY_ERRORS } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';

export interface Route {
  readonly kind: 'health' | 'relayed';
  /** The methods, as the `Allow` header names them. */
  readonly allow: string;
}

export const CHAT_COMPLETIONS = '/v1/chat/completions';
const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { kind: 'health', allow: 'GET, HEAD' }],
  ['/health', { kind: 'health', allow: 'GET, HEAD' }],
  ['/v1/models', { kind: 'relayed', allow: 'GET' }],
  [CHAT_COMPLETIONS, { kind: 'relayed', allow: 'POST' }],
  ['/v1/embeddings', { kind: 'relayed', allow: 'POST' }],
]);

/** Replaces a path that the proxy does not serve in the log, because users may paste a key into the wrong place. */
export const OTHER_PATH = 'other';

/** The path of a request target: all before the query. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/** The path as the log shows it. */
export function loggedPath(path: string): string {
  return ROUTES.has(path) ? path : OTHER_PATH;
}

/** The route of a path, or the error for a path that the proxy does not serve. */
export function findRoute(path: string): Route | ProxyError {
  const missing = path.startsWith('/v1/models/') ? PROXY_ERRORS.noSuchModelRoute : PROXY_ERRORS.noSuchPath;
  return ROUTES.get(path) ?? missing;
}
