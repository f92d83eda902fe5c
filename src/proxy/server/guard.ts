// Decides who may use the proxy, from the head of a request and before any of its body is kept.
import { isIP } from 'node:net';
import { isLoopback } from '../../settings/loopback.ts';
import type { OriginPattern } from '../../settings/origins.ts';
import { singleValue } from '../http/headers.ts';

export interface HostRule {
  /** The address that the proxy listens on. */
  readonly boundTo: string;
  /** Further names, in lower case; `*.suffix` for all names below one. */
  readonly allowed: readonly string[];
}

/**
 * True if this name, as a request gives it, is one of this computer. Prevents DNS rebinding: a web page can make its own
 * name resolve to 127.0.0.1, but its requests still carry that name.
 * @param name in lower case, without brackets or a port
 */
export function isOwnHost(name: string, { boundTo, allowed }: HostRule): boolean {
  if (isLoopback(name) || name === boundTo || allowed.some((host) => isNamedBy(host, name))) return true;
  return !isLoopback(boundTo) && isIP(name) !== 0; // rebinding needs a name, not an address
}

function isNamedBy(allowed: string, name: string): boolean {
  return allowed.startsWith('*.') ? name.length >= allowed.length && name.endsWith(allowed.slice(1)) : allowed === name;
}

/** The result for the `Origin` header, which web pages cannot leave out and other programs do not send. */
export type OriginCheck = { readonly kind: 'none' | 'refused' } | { readonly kind: 'allowed'; readonly origin: string };

/** Checks the `Origin` header against the allowed origins. A repeated header is refused. */
export function checkOrigin(raw: readonly string[], patterns: readonly OriginPattern[]): OriginCheck {
  const origin = singleValue(raw, 'origin');
  if (origin === undefined) return { kind: 'none' };
  if (origin === null || !patterns.some((matches) => matches(origin))) return { kind: 'refused' };
  return { kind: 'allowed', origin };
}

/** The headers that let an allowed page read the response (Fetch standard, section 3.2). */
export function corsHeaders(origin: string): string[] {
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', '*', 'vary', 'Origin'];
}

/** The further headers of the response to a preflight. `allow`: the methods of the route. */
export function preflightHeaders(raw: readonly string[], allow: string): string[] {
  const requested = singleValue(raw, 'access-control-request-headers');
  const privateNetwork = singleValue(raw, 'access-control-request-private-network') === 'true';
  return [
    'access-control-allow-methods',
    allow,
    'access-control-allow-headers',
    requested ?? 'authorization, content-type',
    'access-control-max-age',
    '600',
    ...(privateNetwork ? ['access-control-allow-private-network', 'true'] : []),
  ];
}

const BEARER = /^bearer +([^ ].*)$/i;

/**
 * The token of the one `Authorization: Bearer` header (RFC 6750 section 2.1), or undefined. Node's parser has removed
 * the white space after the value.
 */
export function bearerToken(raw: readonly string[]): string | undefined {
  return BEARER.exec(singleValue(raw, 'authorization') ?? '')?.[1];
}

/** The key in a request of a dialect: the bearer token, or else the `x-api-key` header. Undefined if either is repeated. */
export function dialectKey(raw: readonly string[]): string | undefined {
  const apiKey = singleValue(raw, 'x-api-key');
  if (apiKey === null || singleValue(raw, 'authorization') === null) return undefined;
  return bearerToken(raw) ?? apiKey;
}
