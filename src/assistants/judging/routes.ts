// The words with which adapters state routes. Pure.
import { redact } from '../../presentation/redaction.ts';
import type { Remedy, Route, Source } from '../judgement.ts';
import type { Expected } from '../types.ts';
import type { ConfigReader } from './configReader.ts';
import type { Surroundings } from './surroundings.ts';

/** What an adapter may read to find the routes of its assistant. */
export interface RouteContext {
  readonly expected: Expected & { readonly baseUrl: string };
  readonly surroundings: Surroundings;
  readonly reader: ConfigReader;
  /** The path of the file that has our entry. */
  readonly own: string;
  /** A path of the user, relative to the home folder, where the user may have moved it. */
  readonly userPath: (path: string) => string;
}

export const CHAT = 'Chat';

export function sealed(prompts: string): Route {
  return { prompts, destination: { kind: 'sealed' } };
}

export function off(prompts: string): Route {
  return { prompts, destination: { kind: 'off' } };
}

export function elsewhere(prompts: string, recipient: string, source: Source, remedy?: Remedy): Route {
  return {
    prompts,
    destination: { kind: 'elsewhere', recipient: redact(recipient) },
    source,
    remedy: remedy ?? opening(source),
  };
}

export function unknown(prompts: string, source: Source, remedy?: Remedy): Route {
  return { prompts, destination: { kind: 'unknown' }, source, remedy: remedy ?? opening(source) };
}

/** A shell can only be changed by its user. */
function opening(source: Source): Remedy {
  return source.kind === 'variable' ? { kind: 'copy', text: `unset ${source.name}` } : { kind: 'open', source };
}

export function inFile(path: string, name: string): Source {
  return { kind: 'file', path, name };
}

/** Connecting sets what is in the assistant's own file; other files are for their owners. */
export function remedyIn(path: string, own: string): Remedy | undefined {
  return path === own ? { kind: 'connect' } : undefined;
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
