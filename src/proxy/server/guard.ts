// Who may ask: judged from the head of a request, before one byte of its body is kept.
import { isIP } from 'node:net';
import { singleValue } from '../http/headers.ts';
import { isLoopback, withoutBrackets } from '../../settings/loopback.ts';
import type { OriginPattern } from '../../settings/origins.ts';

export interface HostRule {
  /** The address that the proxy listens on. */
  readonly boundTo: string;
  /** Further names, lower case. */
  readonly allowed: readonly string[];
}

const HOST = /^(\[[0-9a-f:.]+\]|[^:\s/@\\]+)(?::\d{1,5})?$/i;

/**
 * True if the `Host` header names this computer, against DNS rebinding: a web page that makes its own name resolve to
 * 127.0.0.1 still sends that name here.
 */
export function isOwnHost(raw: readonly string[], { boundTo, allowed }: HostRule): boolean {
  const [, host] = HOST.exec(singleValue(raw, 'host') ?? '') ?? [];
  if (host === undefined) return false;
  const name = withoutBrackets(host).toLowerCase();
  if (isLoopback(name) || name === boundTo || allowed.includes(name)) return true;
  return !isLoopback(boundTo) && isIP(name) !== 0; // no page can make an address of its own name
}

/** The judgement on the `Origin` header: programs send none, web pages cannot leave it out. */
export type OriginVerdict =
  { readonly kind: 'none' | 'refused' } | { readonly kind: 'allowed'; readonly origin: string };

const NO_ORIGIN: OriginVerdict = { kind: 'none' };

export function judgeOrigin(raw: readonly string[], patterns: readonly OriginPattern[]): OriginVerdict {
  const origin = singleValue(raw, 'origin');
  if (origin === undefined) return NO_ORIGIN;
  if (origin === null || !patterns.some((matches) => matches(origin))) return { kind: 'refused' };
  return { kind: 'allowed', origin };
}

/** The fields that let an allowed page read the answer (Fetch standard, section 3.2). */
export function corsHeaders(origin: string): string[] {
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', '*', 'vary', 'Origin'];
}

/** The further fields of the answer to a preflight. */
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
 * the white space behind the value.
 */
export function bearerToken(raw: readonly string[]): string | undefined {
  return BEARER.exec(singleValue(raw, 'authorization') ?? '')?.[1];
}
