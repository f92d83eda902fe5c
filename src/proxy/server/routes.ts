import type { DialectName } from '../../dialects/dialect.ts';
import { DIALECT_ERRORS, PROXY_ERRORS, noDialectPath } from '../http/openaiErrors.ts';
import type { ProxyError } from '../http/openaiErrors.ts';

interface PlainRoute {
  readonly kind: 'health' | 'relayed';
  /** The methods, as the `Allow` header names them. */
  readonly allow: string;
}

/** What a request of a dialect asks for. */
export type DialectTask =
  { readonly name: 'reply' | 'count' | 'listModels' } | { readonly name: 'describeModel'; readonly model: string };

export interface DialectRoute {
  readonly kind: 'dialect';
  readonly allow: string;
  readonly dialect: DialectName;
  readonly task: DialectTask;
}

export type Route = PlainRoute | DialectRoute;

export const CHAT_COMPLETIONS = '/v1/chat/completions';
const ROUTES: ReadonlyMap<string, PlainRoute> = new Map<string, PlainRoute>([
  ['*', { kind: 'health', allow: 'GET, HEAD, POST' }], // the server itself, for OPTIONS alone
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

/** The folders of the dialects, and the tasks of the paths in them. Models are in both. */
const FOLDERS: readonly {
  readonly dialect: DialectName;
  readonly folder: string;
  readonly tasks: Readonly<Partial<Record<string, 'reply' | 'count'>>>;
}[] = [
  { dialect: 'messages', folder: '/anthropic', tasks: { messages: 'reply', 'messages/count_tokens': 'count' } },
  { dialect: 'responses', folder: '/responses', tasks: { responses: 'reply', 'responses/input_tokens': 'count' } },
];
const MODEL = 'models/';
const COMPACT = '/responses/v1/responses/compact';
/** What a client of Messages requests with the base URL of OpenAI clients, or without any path in it. */
const MESSAGES_ELSEWHERE = /^(?:\/v1){1,2}\/messages(?:\/|$)/;

/** The path as the log shows it. */
export function loggedPath(path: string): string {
  if (ROUTES.has(path)) return path;
  const route = findDialectRoute(path);
  if (route === undefined) return path === COMPACT ? path : OTHER_PATH;
  return route.task.name === 'describeModel' ? path.slice(0, path.indexOf(MODEL)) + `${MODEL}{id}` : path;
}

/** The dialect in which a request to this path expects errors. */
export function findDialect(path: string): DialectName | undefined {
  return FOLDERS.find(({ folder }) => path === folder || path.startsWith(`${folder}/`))?.dialect;
}

/** The route of a path, or the error for a path that the proxy does not serve. */
export function findRoute(path: string): Route | ProxyError {
  const route = ROUTES.get(path) ?? findDialectRoute(path);
  if (route !== undefined) return route;
  if (path === COMPACT) return DIALECT_ERRORS.noCompaction;
  const dialect = findDialect(path);
  if (dialect !== undefined) return noDialectPath(dialect);
  if (MESSAGES_ELSEWHERE.test(path)) return DIALECT_ERRORS.messagesElsewhere;
  return path.startsWith('/v1/models/') ? PROXY_ERRORS.noSuchModelRoute : PROXY_ERRORS.noSuchPath;
}

function findDialectRoute(path: string): DialectRoute | undefined {
  for (const { dialect, folder, tasks } of FOLDERS) {
    if (!path.startsWith(`${folder}/v1/`)) continue;
    const rest = path.slice(`${folder}/v1/`.length);
    const name = Object.hasOwn(tasks, rest) ? tasks[rest] : undefined;
    if (name !== undefined) return { kind: 'dialect', allow: 'POST', dialect, task: { name } };
    if (rest === 'models') return { kind: 'dialect', allow: 'GET', dialect, task: { name: 'listModels' } };
    if (!rest.startsWith(MODEL) || rest === MODEL) return undefined;
    const model = decode(rest.slice(MODEL.length));
    return { kind: 'dialect', allow: 'GET', dialect, task: { name: 'describeModel', model } };
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
