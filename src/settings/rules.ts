// The rules for single settings: which values are valid, and how the code uses them.
import { isIP } from 'node:net';
import { MODEL_ID } from '../shared/modelList.ts';
import { basePathOf } from '../shared/network.ts';
import { parsePcr0 } from '../shared/pcr0.ts';
import { isQuoted } from './kinds.ts';
import type { Refuse } from './kinds.ts';
import { isLoopback, withoutBrackets } from './loopback.ts';
import { parseOriginPattern } from './origins.ts';
import type { OriginPattern } from './origins.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where the enclave is. Plain http means a development backend on this computer, which is not verified. */
export interface Backend {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Prefix of the protocol's paths: empty, or `/...` without a slash at the end. */
  readonly basePath: string;
  readonly verified: boolean;
  readonly loopback: boolean;
}

const PROXY_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

export function parseHost(value: string, refuse: Refuse): string {
  const host = withoutBrackets(value);
  if (isIP(host) !== 0 || host === 'localhost') return host;
  throw refuse('it must be an IP address such as 127.0.0.1 or 0.0.0.0, or localhost', host);
}

/** Whether the beginning of an address, up to its last @, may be a password: no message quotes it then. */
export function mayHavePassword(value: string): boolean {
  return /@|%40/.test(value);
}

export function parseBackend(value: string, refuse: Refuse): Backend {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const shown = mayHavePassword(value) ? undefined : value.replace(/[?#].*/s, ''); // the rest may be a token
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refuse('it must be a URL such as https://enclave.trymaple.ai', shown);
  }
  if (url.username !== '' || url.password !== '' || /[?#@]/.test(value)) {
    throw refuse('the URL must have no user name, password, query or fragment', shown);
  }
  const loopback = isLoopback(url.hostname);
  const verified = isAttested(url.href);
  if (!verified && !loopback) {
    const allowed = 'http is for a development backend on this computer (localhost, 127.0.0.1, [::1]); use https';
    throw refuse(allowed, shown);
  }
  return { origin: url.origin, basePath: basePathOf(url), verified, loopback };
}

/** Whether the backend at a valid URL must be attested: every one but a development backend. */
export function isAttested(backendUrl: string): boolean {
  return new URL(backendUrl).protocol === 'https:';
}

export function parseTrustedPcr0(value: string, refuse: Refuse): string {
  const pcr0 = parsePcr0(value);
  if (pcr0 !== undefined && !/^0+$/.test(pcr0)) return pcr0;
  const prefix = /^0x/i.test(value) ? ', without 0x' : '';
  throw refuse(
    `a PCR0 value has 96 hex digits, not all zero${prefix} (an enclave in debug mode has only zeros)`,
    value,
  );
}

/** The path of a file; empty for none. Another value may be the content of the file, so it is not shown. */
export function parseFilePath(value: string, refuse: Refuse): string {
  if (!/\p{Cc}|-----BEGIN/u.test(value) && !isQuoted(value)) return value;
  throw refuse('it must be the path of a file, and not its content');
}

/** The ID of a model; empty for none. */
export function parseModelId(value: string, refuse: Refuse): string {
  if (value === '' || (MODEL_ID.test(value) && !isQuoted(value))) return value;
  throw refuse('it must be the ID of a model, at most 200 visible characters', value);
}

/** `*.` and at least two labels, the last one not of digits alone: `*.local` or `*.com` would allow too many names. */
const ALLOWED_SUFFIX = /^\*(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?){2,}$/;

/** @returns the lower-case name or address, without port and brackets; or `*.` and a suffix, for all names below it */
export function parseAllowedHost(value: string, refuse: Refuse): string {
  const host = withoutBrackets(value.toLowerCase());
  if (isIP(host) !== 0 || /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host)) return host;
  if (ALLOWED_SUFFIX.test(host) && !/\.\d+$/.test(host)) return host;
  const allowed = 'it must be a host name or an address, without a port, or *. and a name with a dot (*.apps.example)';
  throw refuse(allowed, value);
}

export function parseAllowedOrigin(value: string, refuse: Refuse): OriginPattern {
  const pattern = parseOriginPattern(value);
  if (pattern !== undefined) return pattern;
  throw refuse('it must be an origin such as https://app.example or vscode-webview://*', value);
}

export function isProxyUrl(value: string): boolean {
  try {
    const { protocol, username, password, pathname, search, hash } = new URL(value);
    if (!/^\/?$/.test(pathname) || search + hash !== '') return false;
    decodeURIComponent(username + password); // the connection to the proxy decodes them too
    return PROXY_PROTOCOLS.has(protocol);
  } catch {
    return false;
  }
}
