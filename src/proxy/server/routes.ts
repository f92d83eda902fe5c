// What a path leads to: its route, the dialect of its errors, and how the log shows it.
import type { DialectName } from '../../dialects/dialect.ts';
import type { DialectTask } from '../dialects/dialectRequest.ts';
import { DIALECT_ERRORS, PROXY_ERRORS, noDialectPath } from '../http/openaiErrors.ts';
import type { ClientError } from '../http/openaiErrors.ts';
import { CHAT_COMPLETIONS, MODELS } from '../relay/upstream.ts';

interface HealthRoute {
  readonly kind: 'health';
  /** The methods, as the `Allow` header names them. */
  readonly allow: string;
}

interface ReadyRoute {
  readonly kind: 'ready';
  readonly allow: string;
}

interface PlainRoute {
  readonly kind: 'relayed';
  readonly allow: string;
  /** A complete response means that the model has answered. */
  readonly isChat: boolean;
}

export interface DialectRoute {
  readonly kind: 'dialect';
  readonly allow: string;
  readonly isChat: boolean;
  readonly dialect: DialectName;
  readonly task: DialectTask;
}

/** A route for which a key is needed. */
export type KeyRoute = PlainRoute | DialectRoute;
export type Route = HealthRoute | ReadyRoute | KeyRoute;

export interface Destination {
  /** The route, or the error for a path that the proxy does not serve. */
  readonly route: Route | ClientError;
  /** The dialect in which a request to this path expects errors. */
  readonly dialect: DialectName | undefined;
  /** The path as the log shows it. */
  readonly label: string;
}

/** Replaces a path that the proxy does not serve in the log, because users may paste a key into the wrong place. */
export const OTHER_PATH = 'other';

const FOLDERS: Readonly<Record<DialectName, string>> = { messages: '/anthropic', responses: '/responses' };
const COMPACT = '/responses/v1/responses/compact';
/** What a client of Messages or of Responses requests with the base URL of OpenAI clients, or without any path in it. */
const MESSAGES_ELSEWHERE = /^(?:\/v1){1,2}\/messages(?:\/|$)/;
const RESPONSES_ELSEWHERE = /^(?:\/v1){1,2}\/responses(?:\/|$)/;

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['*', { kind: 'health', allow: 'GET, HEAD, POST' }], // the server itself, for OPTIONS alone
  ['/', { kind: 'health', allow: 'GET, HEAD' }],
  ['/health', { kind: 'health', allow: 'GET, HEAD' }],
  ['/ready', { kind: 'ready', allow: 'GET, HEAD' }],
  [MODELS, { kind: 'relayed', allow: 'GET', isChat: false }],
  [CHAT_COMPLETIONS, { kind: 'relayed', allow: 'POST', isChat: true }],
  ['/v1/embeddings', { kind: 'relayed', allow: 'POST', isChat: false }],
  ...dialectRoutes('messages', { reply: 'messages', count: 'messages/count_tokens' }),
  ...dialectRoutes('responses', { reply: 'responses', count: 'responses/input_tokens' }),
]);

/** The routes of a dialect, with these paths below its folder. Models are in both. */
function dialectRoutes(
  dialect: DialectName,
  paths: Readonly<Record<'reply' | 'count', string>>,
): (readonly [string, DialectRoute])[] {
  const base = `${FOLDERS[dialect]}/v1/`;
  return [
    [base + paths.reply, { kind: 'dialect', allow: 'POST', isChat: true, dialect, task: { name: 'reply' } }],
    [base + paths.count, { kind: 'dialect', allow: 'POST', isChat: false, dialect, task: { name: 'count' } }],
    [`${base}models`, { kind: 'dialect', allow: 'GET', isChat: false, dialect, task: { name: 'listModels' } }],
  ];
}

/** @param target of a request: a path with optional query */
export function findRoute(target: string): Destination {
  const path = target.split('?', 1)[0] ?? '';
  const dialect = dialectOf(path);
  const route = ROUTES.get(path) ?? (dialect && modelRoute(path, dialect));
  if (route === undefined) {
    return { route: noRoute(path, dialect), dialect, label: path === COMPACT ? path : OTHER_PATH };
  }
  const hasModel = route.kind === 'dialect' && route.task.name === 'describeModel';
  return { route, dialect, label: hasModel ? `${modelsFolder(route.dialect)}{id}` : path };
}

function dialectOf(path: string): DialectName | undefined {
  const names = Object.keys(FOLDERS) as DialectName[];
  return names.find((name) => path === FOLDERS[name] || path.startsWith(`${FOLDERS[name]}/`));
}

function modelsFolder(dialect: DialectName): string {
  return `${FOLDERS[dialect]}/v1/models/`;
}

function modelRoute(path: string, dialect: DialectName): DialectRoute | undefined {
  const folder = modelsFolder(dialect);
  if (!path.startsWith(folder) || path === folder) return undefined;
  const task: DialectTask = { name: 'describeModel', model: decode(path.slice(folder.length)) };
  return { kind: 'dialect', allow: 'GET', isChat: false, dialect, task };
}

function noRoute(path: string, dialect: DialectName | undefined): ClientError {
  if (path === COMPACT) return DIALECT_ERRORS.noCompaction;
  if (dialect !== undefined) return noDialectPath(dialect);
  if (MESSAGES_ELSEWHERE.test(path)) return DIALECT_ERRORS.messagesElsewhere;
  if (RESPONSES_ELSEWHERE.test(path)) return DIALECT_ERRORS.responsesElsewhere;
  return path.startsWith(`${MODELS}/`) ? PROXY_ERRORS.noSuchModelRoute : PROXY_ERRORS.noSuchPath;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
