// The words with which adapters state routes. Pure.
import { join } from 'node:path';
import { redact } from '../../presentation/redaction.ts';
import type { ConfigReader } from './configReader.ts';
import type { Remedy, Route, Source } from './judgement.ts';
import type { Surroundings } from './surroundings.ts';
import type { Variables } from './variables.ts';

/** What an adapter may read to find the routes of its assistant. */
export interface RouteContext {
  /** Our address, and the access key of the assistant if it has one. */
  readonly expected: { readonly baseUrl: string; readonly key: string | undefined };
  readonly surroundings: Surroundings;
  readonly reader: ConfigReader;
  /** The path of the file that has our entry. */
  readonly own: string;
  /** A path of the user, relative to the home folder, where the user may have moved it. */
  readonly userPath: (path: string) => string;
  /** The variables with which it may be started, once for each place that differs. */
  readonly starts: readonly Variables[];
  /** The folders in which it may be started: those that are open, or else none. */
  readonly projects: readonly (string | undefined)[];
}

/** What decides where prompts go, and the best way to change it; that source by default. */
export interface Place {
  readonly source: Source;
  readonly remedy?: Remedy | undefined;
}

export const CHAT = 'Chat';

export function sealed(prompts: string): Route {
  return { prompts, destination: { kind: 'sealed' } };
}

export function off(prompts: string): Route {
  return { prompts, destination: { kind: 'off' } };
}

export function elsewhere(prompts: string, recipient: string, { source, remedy = opening(source) }: Place): Route {
  return { prompts, destination: { kind: 'elsewhere', recipient: redact(recipient) }, source, remedy };
}

export function unknown(prompts: string, { source, remedy = opening(source) }: Place): Route {
  return { prompts, destination: { kind: 'unknown' }, source, remedy };
}

/** A shell can only be changed by its user. */
function opening(source: Source): Remedy {
  return source.kind === 'variable' ? { kind: 'copy', text: `unset ${source.name}` } : { kind: 'open', source };
}

/** @param own the assistant's own file, if connecting sets this value in it; other files are for their owners */
export function inFile(path: string, name: string, own?: string): Place {
  const source = { kind: 'file', path, name } as const;
  return path === own ? { source, remedy: { kind: 'connect' } } : { source };
}

/** The folder of an organization's files. */
export function systemFolder(
  { system, platform }: Surroundings,
  folders: Readonly<Record<'darwin' | 'win32' | 'other', string>>,
): string {
  return join(system, folders[platform === 'darwin' || platform === 'win32' ? platform : 'other']);
}

/** An address without user name, password, path and parameters. */
export function addressOf(url: unknown): string {
  const text = typeof url === 'string' ? url : JSON.stringify(url);
  return URL.parse(text)?.host ?? redact(text);
}

/** What an HTTP proxy takes is not sealed. */
export function through(proxied: Route | undefined, routes: readonly Route[]): readonly Route[] {
  if (proxied === undefined) return routes;
  return [proxied, ...routes.filter(({ destination }) => destination.kind !== 'sealed')];
}
